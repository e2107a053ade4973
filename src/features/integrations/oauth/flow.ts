/**
 * Consent at a vendor: what is kept while a person gives it, and what the code that comes back becomes. The state is of
 * one team and one person or key, is used once, and lasts ten minutes.
 */
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { creatorOf } from '../../../db/base.ts';
import type { Principal } from '../../../http/authenticate.ts';
import type { Clock } from '../../../platform/clock.ts';
import { SecretError } from '../../../platform/secrets.ts';
import { lockTeamFor } from '../../identity/index.ts';
import { Integration, type FamilyName } from '../entities.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import { nameTaken, wrongState } from '../errors.ts';
import type { Target } from '../connections.ts';
import { findNamed, LOCKED, lockRowThenTeam, mayReplace } from '../service.ts';
import type { Vault } from '../vault.ts';
import type { Consent } from './client.ts';

const LASTS_MS = 10 * 60_000;

const pending = z.object({
  state: z.string(),
  verifier: z.string(),
  until: z.number(),
  /** Who asked. */
  by: z.string(),
  redirectUri: z.string(),
  settings: z.record(z.string(), z.unknown()),
  /** The OAuth client, and whatever else becomes part of the secrets. */
  secrets: z.record(z.string(), z.union([z.string(), z.number()])),
  via: z.string().nullable(),
});
export type Pending = z.output<typeof pending>;

const askedBy = ({ userId, credentialId }: Principal): string => userId ?? credentialId;

/**
 * Keeps a consent until its code comes back. A row that is connected stays so until then; otherwise it is pending, and
 * nothing lists or uses it. A later consent replaces an earlier one.
 * @throws {Conflict} `name_taken`
 */
export async function keep(
  { clock, vault }: { clock: Clock; vault: Vault },
  em: EntityManager,
  principal: Principal,
  draft: Target,
  { name, redirectUri, consent }: { name: string; redirectUri: string; consent: Consent },
): Promise<void> {
  const { settings, secrets, via, id, family, slug, teamId } = draft;
  await em.transactional(async (tx) => {
    await lockRowThenTeam(tx, principal, { slug });
    const row = await findNamed(tx, draft);
    if (row && !mayReplace(row, draft)) throw nameTaken(name);
    const now = clock.now();
    const kept: Pending = {
      state: consent.state,
      verifier: consent.verifier,
      until: now.getTime() + LASTS_MS,
      by: askedBy(principal),
      redirectUri,
      settings: { ...settings },
      secrets: { ...secrets },
      via,
    };
    const sealed = vault.sealText(row ?? draft, JSON.stringify(kept));
    if (row) {
      tx.assign(row, { pending: sealed });
      return undefined;
    }
    tx.create(Integration, {
      ...creatorOf(principal),
      id,
      teamId,
      family,
      name,
      slug,
      status: 'pending',
      statusSince: now,
      error: null,
      settings: {},
      sealed: vault.seal(draft, {}),
      pending: sealed,
      via: null,
      found: { warnings: [], resources: [] },
      tools: null,
      checkedAt: null,
      dueAt: now,
      lastUsedAt: null,
    });
    return undefined;
  });
}

/**
 * Takes a consent for a state: the state is used up, whatever happens next.
 * @throws {InvalidRequest} when the state is another team's, family's or person's, has expired, or was used
 */
export async function take(
  { clock, vault }: { clock: Clock; vault: Vault },
  em: EntityManager,
  principal: Principal,
  { family, state }: { family: FamilyName; state: string },
): Promise<{ row: Integration; pending: Pending }> {
  const taken = await em.transactional(async (tx) => {
    const waiting = { family, pending: { $ne: null } };
    // Rows before the team, as in every change.
    const rows = await tx.find(Integration, waiting, { ...LOCKED, orderBy: { id: 'asc' } });
    await lockTeamFor(tx, principal);
    for (const row of rows) {
      const found = opened(vault, row);
      if (!found || !isSame(found.state, state)) continue;
      tx.assign(row, { pending: null });
      return { row, pending: found };
    }
    return undefined;
  });
  if (!taken || taken.pending.by !== askedBy(principal) || taken.pending.until <= clock.now().getTime())
    throw wrongState();
  return taken;
}

/** @throws {InvalidRequest} for a redirect to anywhere but the web app */
export function assertBelow(appUrl: string, redirectUri: string): void {
  if (new URL(redirectUri).origin === new URL(appUrl).origin) return;
  throw InvalidRequest.at(['body', 'redirect_uri'], `Value error, must be below ${appUrl}`, redirectUri);
}

function opened(vault: Vault, row: Integration): Pending | undefined {
  try {
    return pending.parse(JSON.parse(vault.openText(row, row.pending!)));
  } catch (error) {
    // Sealed with a key that is gone: the person starts again.
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}

function isSame(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
