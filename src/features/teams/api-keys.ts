import type { EntityManager } from '../../db/orm.ts';
import { grants, type Principal } from '../../http/authenticate.ts';
import { Conflict, Forbidden, InvalidRequest, NotFound } from '../../http/errors.ts';
import { generateApiKey, prefixOf } from './api-key.ts';
import { ApiKey, Membership } from './entities.ts';
import { lockTeam } from './lock.ts';

/** Every key of the team, the newest first, revoked ones included. */
export const listApiKeys = (em: EntityManager): Promise<ApiKey[]> =>
  em.find(ApiKey, {}, { orderBy: { createdAt: 'desc', id: 'asc' } });

/**
 * Makes a key for the caller's team. Its text is in the answer and nowhere else.
 * @throws {Forbidden} `insufficient_scope` for a scope the caller does not have itself
 * @throws {InvalidRequest} when the user is not in the team
 */
export async function createApiKey(
  em: EntityManager,
  principal: Principal,
  request: { name: string; scopes: string[]; userId?: string },
  hash: (apiKey: string) => string,
): Promise<{ key: ApiKey; apiKey: string }> {
  const excess = request.scopes.find((scope) => !grants(principal.scopes, scope));
  if (excess !== undefined) {
    throw new Forbidden(`A key cannot grant ${excess}, which it does not have itself.`, 'insufficient_scope');
  }
  if (request.userId !== undefined && !(await em.findOne(Membership, { userId: request.userId }))) {
    throw InvalidRequest.at(['body', 'user_id'], 'Value error, the user is not a member of the team', request.userId);
  }
  const apiKey = generateApiKey();
  const key = em.create(ApiKey, {
    teamId: principal.teamId,
    name: request.name,
    prefix: prefixOf(apiKey),
    hash: hash(apiKey),
    scopes: [...new Set(request.scopes)],
    userId: request.userId ?? null,
    createdByKeyId: principal.apiKeyId,
  });
  await em.flush();
  return { key, apiKey };
}

const isAdminKey = ({ scopes }: ApiKey): boolean => grants(scopes, 'team:admin');

/**
 * Revokes a key; a second time changes nothing.
 * @throws {NotFound}
 * @throws {Conflict} `last_admin_key`: without it nobody could manage the team any more
 */
export function revokeApiKey(em: EntityManager, teamId: string, apiKeyId: string, now: Date): Promise<ApiKey> {
  return em.transactional(async (tx) => {
    await lockTeam(tx, teamId);
    const keys = await tx.find(ApiKey, { $or: [{ id: apiKeyId }, { revokedAt: null }] });
    const key = keys.find(({ id }) => id === apiKeyId);
    if (!key) throw new NotFound('There is no such API key.');
    if (key.revokedAt != null) return key;
    if (isAdminKey(key) && !keys.some((other) => other !== key && isAdminKey(other))) {
      throw new Conflict('The last key that can manage the team cannot be revoked.', 'last_admin_key');
    }
    key.revokedAt = now;
    return key;
  });
}
