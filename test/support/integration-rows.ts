/** Integrations as rows, where a test does not connect them itself. */
import { randomUUID } from 'node:crypto';
import type { EntityManager } from '../../src/db/orm.ts';
import { Integration, type FamilyName } from '../../src/features/integrations/entities.ts';
import { slugOf, type Settings } from '../../src/features/integrations/families.ts';
import type { Secrets, Vault } from '../../src/features/integrations/vault.ts';

/** A connected one, due for a check. @param em bound to the team */
export function createIntegration(
  em: EntityManager,
  vault: Pick<Vault, 'seal'>,
  given: { teamId: string; family: FamilyName; name: string; settings: Settings; secrets: Secrets },
): Integration {
  const { secrets, teamId, ...row } = given;
  const owner = { id: randomUUID(), teamId };
  return em.create(Integration, {
    ...owner,
    ...row,
    slug: slugOf(row.name),
    createdByCredentialId: null,
    createdByUserId: null,
    enabled: true,
    status: 'connected',
    statusSince: new Date(),
    error: null,
    sealed: vault.seal(owner, secrets),
    pending: null,
    via: null,
    revision: 1,
    found: { warnings: [], resources: [] },
    tools: null,
    checkedAt: null,
    dueAt: new Date(0),
    lastUsedAt: null,
  });
}
