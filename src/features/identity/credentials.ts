import { LockMode } from '@mikro-orm/core';
import { creatorOf } from '../../db/base.ts';
import type { EntityManager } from '../../db/orm.ts';
import { grants, type Principal } from '../../http/authenticate.ts';
import { Conflict, Forbidden, InvalidRequest, NotFound, Unauthorized } from '../../http/errors.ts';
import { generateCredential, pepperFor } from '../../platform/secrets/index.ts';
import { Credential, Membership, Team } from './entities.ts';

/** How many characters of a key are kept to recognise it by, and never more than a quarter of it. */
const PREFIX_LENGTH = 8;

export const generateApiKey = (): string => generateCredential('cb_');

/** The beginning of a key, which may be shown. */
export const prefixOf = (apiKey: string): string =>
  apiKey.slice(0, Math.min(PREFIX_LENGTH, Math.floor(apiKey.length / 4)));

/** The pepper of the stored hashes of API keys, for an installation's secret key. */
export const pepperFrom = (secretKey: Buffer): Buffer => pepperFor(secretKey, 'casebook api keys');

/**
 * Makes changes to who may manage a team happen one after the other, until the transaction ends: two admins who
 * remove each other at the same moment must not both succeed.
 */
export async function lockTeam(tx: EntityManager, teamId: string): Promise<Team> {
  return tx.findOneOrFail(Team, { id: teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/**
 * For a caller who makes a credential: one that was revoked may be believed for two seconds more, and must not make what
 * stays.
 * @returns the caller's key or session
 * @throws {Unauthorized} when it was revoked
 */
export async function lockTeamFor(tx: EntityManager, principal: Principal): Promise<Credential> {
  await lockTeam(tx, principal.teamId);
  const caller = await tx.findOne(Credential, { id: principal.sessionId ?? principal.apiKeyId, revokedAt: null });
  if (!caller) throw new Unauthorized('The API key or session was revoked.');
  return caller;
}

/** Every key of the team, the newest first, revoked ones included; sessions are none. */
export const listApiKeys = (em: EntityManager): Promise<Credential[]> =>
  em.find(Credential, { kind: 'key' }, { orderBy: { createdAt: 'desc', id: 'asc' } });

/**
 * Makes a key for the caller's team. Its text is in the answer and nowhere else.
 * @throws {Forbidden} `insufficient_scope` for a scope the caller does not have itself
 * @throws {InvalidRequest} when the user is not in the team
 * @throws {Unauthorized} when the caller was revoked meanwhile
 */
export function createApiKey(
  em: EntityManager,
  principal: Principal,
  request: { name: string; scopes: string[]; userId?: string },
  hash: (apiKey: string) => string,
): Promise<{ key: Credential; apiKey: string }> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const excess = request.scopes.find((scope) => !grants(principal.scopes, scope));
    if (excess !== undefined) {
      throw new Forbidden(`A key cannot grant ${excess}, which it does not have itself.`, 'insufficient_scope');
    }
    if (request.userId !== undefined && !(await tx.findOne(Membership, { userId: request.userId }))) {
      throw InvalidRequest.at(['body', 'user_id'], 'Value error, the user is not a member of the team', request.userId);
    }
    const apiKey = generateApiKey();
    const key = tx.create(Credential, {
      teamId: principal.teamId,
      name: request.name,
      prefix: prefixOf(apiKey),
      hash: hash(apiKey),
      scopes: [...new Set(request.scopes)],
      userId: request.userId ?? null,
      ...creatorOf(principal),
    });
    return { key, apiKey };
  });
}

/**
 * Revokes a key, and ends the sessions that hang on it; a second time changes nothing.
 * @throws {NotFound}
 * @throws {Forbidden} `insufficient_scope` for a key that may do what the caller may not
 * @throws {Conflict} `last_admin_key`: without it nobody could manage the team (or the installation) any more
 */
export function revokeApiKey(
  em: EntityManager,
  principal: Principal,
  apiKeyId: string,
  now: Date,
): Promise<Credential> {
  return em.transactional(async (tx) => {
    await lockTeam(tx, principal.teamId);
    const key = await tx.findOne(Credential, { id: apiKeyId, kind: 'key' });
    if (!key) throw new NotFound('There is no such API key.');
    await revokeKeys(tx, principal, [key], now);
    return key;
  });
}

/** What somebody must be able to do: manage the team and, in a team that can, the whole installation. */
const ADMIN_SCOPES = ['system:admin', 'team:admin'] as const;

/**
 * Revokes keys and sessions of a team that is locked, as one, and the sessions that hang on them; those that are revoked
 * already stay as they are.
 * @throws {Forbidden} and {@link Conflict} as {@link revokeApiKey}
 */
export async function revokeKeys(
  tx: EntityManager,
  principal: Principal,
  keys: readonly Credential[],
  now: Date,
): Promise<void> {
  const going = keys.filter(({ revokedAt }) => revokedAt == null);
  const excess = going.flatMap(({ scopes }) => scopes).find((scope) => !grants(principal.scopes, scope));
  if (excess !== undefined) {
    throw new Forbidden(`A key cannot revoke one that grants ${excess}, which it does not have.`, 'insufficient_scope');
  }
  const goingIds = going.map(({ id }) => id);
  // A session ends by itself, and so nobody may depend on it.
  const staying = await tx.find(Credential, { kind: 'key', revokedAt: null, id: { $nin: goingIds } });
  for (const scope of ADMIN_SCOPES) {
    const grant = ({ scopes }: Credential): boolean => grants(scopes, scope);
    if (going.some((key) => key.kind === 'key' && grant(key)) && !staying.some(grant)) {
      throw new Conflict(`The last key that grants ${scope} cannot be revoked.`, 'last_admin_key');
    }
  }
  for (const key of going) key.revokedAt = now;
  const hanging = { kind: 'session', createdByCredentialId: { $in: goingIds }, revokedAt: null } as const;
  await tx.nativeUpdate(Credential, hanging, { revokedAt: now });
}
