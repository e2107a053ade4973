import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import { grants, type Principal } from '../../http/authenticate.ts';
import { Conflict, Forbidden, InvalidRequest, NotFound, Unauthorized } from '../../http/errors.ts';
import { generateCredential, pepperFor, sameHash, type Pepper, type SecretKeys } from '../../platform/secrets.ts';
import { Credential, Membership, type CredentialKind } from './entities.ts';
import { ancestorsOf, descendantsOf, endOf } from './provenance.ts';

/** How many characters of a key are kept for recognition, but never more than a quarter of it. */
const PREFIX_LENGTH = 8;

export const generateApiKey = (): string => generateCredential('cb_');

/** The start of a key, which may be shown. */
export const prefixOf = (apiKey: string): string =>
  apiKey.slice(0, Math.min(PREFIX_LENGTH, Math.floor(apiKey.length / 4)));

/** The pepper of the stored API key hashes, derived from the installation's secret keys. */
export const pepperFrom = (keys: SecretKeys): Pepper => pepperFor(keys, 'casebook api keys');

/**
 * The credential of a secret. One that an earlier key has hashed is hashed with the current key from then on.
 * @param em of any team
 */
export async function findCredential(
  em: EntityManager,
  secret: string,
  { kind, pepper }: { kind: CredentialKind; pepper: Pepper },
): Promise<Credential | null> {
  const hashes = pepper.hashes(secret);
  const found = await em.findOne(Credential, { hash: { $in: hashes }, kind }, anyTeam);
  if (!found || !hashes.some((hash) => sameHash(found.hash, hash))) return null;
  const [current] = hashes;
  if (found.hash !== current) await em.fork().nativeUpdate(Credential, { id: found.id }, { hash: current }, anyTeam);
  return found;
}

/**
 * Serializes changes to who may manage a team until the transaction ends: two admins who remove each other at the same
 * time must not both succeed.
 */
export async function lockTeam(tx: EntityManager, teamId: string): Promise<void> {
  // Not `for update`: whoever adds a row to the team holds a key-share lock, and may wait for a row that is locked here.
  await tx.execute('select from teams where id = ? for no key update', [teamId]);
}

/**
 * For a caller who changes teams, members or credentials: a revoked one may be trusted for two more seconds, and must
 * leave nothing that stays.
 * @returns the caller's key or session
 * @throws {Unauthorized} if it was revoked
 */
export async function lockTeamFor(tx: EntityManager, principal: Principal): Promise<Credential> {
  await lockTeam(tx, principal.teamId);
  const caller = await tx.findOne(Credential, { id: actingId(principal), revokedAt: null });
  if (!caller) throw new Unauthorized('The API key or session was revoked.');
  return caller;
}

const actingId = ({ sessionId, credentialId }: Principal): string => sessionId ?? credentialId;

/** The creator columns of a credential: it comes from exactly the credential that requested it. */
export const cameFrom = (principal: Principal) => ({
  createdByCredentialId: actingId(principal),
  createdByUserId: principal.userId ?? null,
});

/**
 * Stores a credential of the caller's team that comes from the caller's own and expires with the keys it comes from.
 * @param tx a transaction
 * @throws {InvalidRequest} for an expiry in the past
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export async function addCredential(
  tx: EntityManager,
  principal: Principal,
  {
    expiresAt,
    ...made
  }: Pick<Credential, 'kind' | 'name' | 'prefix' | 'hash' | 'scopes' | 'userId'> & { expiresAt?: Date },
  now: Date,
): Promise<Credential> {
  const caller = await lockTeamFor(tx, principal);
  if (expiresAt && expiresAt <= now)
    throw InvalidRequest.at(['body', 'expires_at'], 'Value error, the time has passed', expiresAt.toISOString());
  return tx.create(Credential, {
    ...made,
    teamId: principal.teamId,
    expiresAt: endOf(await ancestorsOf(tx, caller.id), expiresAt) ?? null,
    ...cameFrom(principal),
  });
}

/**
 * Checks who a new key or link may act for: a member of the team, but no admin other than the caller. A removed admin
 * must not have become another one beforehand.
 * @throws {InvalidRequest} if the user is not in the team
 * @throws {Forbidden} `another_admin`
 */
export async function checkActsFor(tx: EntityManager, { userId: ownId }: Principal, userId: string): Promise<void> {
  const membership = await tx.findOne(Membership, { userId });
  if (!membership)
    throw InvalidRequest.at(['body', 'user_id'], 'Value error, the user is not a member of the team', userId);
  if (membership.role === 'admin' && userId !== ownId)
    throw new Forbidden(
      'A link cannot sign in as another admin. Use the identity provider, or `npm run admin -- sign-in-link`.',
      'another_admin',
    );
}

/** Every key of the team, newest first, including revoked ones but no sessions. */
export const listApiKeys = (em: EntityManager): Promise<Credential[]> =>
  em.find(Credential, { kind: 'key' }, { orderBy: { createdAt: 'desc', id: 'asc' } });

/**
 * Creates a key for the caller's team. Its text is only in the response. It expires with the keys it comes from.
 * @throws {Forbidden} `insufficient_scope` for a scope the caller lacks, or as {@link checkActsFor}
 * @throws {InvalidRequest} if the user is not in the team, or for an expiry in the past
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function createApiKey(
  em: EntityManager,
  principal: Principal,
  request: { name: string; scopes: string[]; userId?: string; expiresAt?: Date },
  { hash, now }: { hash: (apiKey: string) => string; now: Date },
): Promise<{ key: Credential; apiKey: string }> {
  return em.transactional(async (tx) => {
    await lockTeam(tx, principal.teamId);
    const excess = request.scopes.find((scope) => !grants(principal.scopes, scope));
    if (excess !== undefined) {
      throw new Forbidden(`A key cannot grant ${excess}, which it does not have itself.`, 'insufficient_scope');
    }
    const { name, userId, expiresAt } = request;
    if (userId !== undefined) await checkActsFor(tx, principal, userId);
    const apiKey = generateApiKey();
    const made = { kind: 'key', name, prefix: prefixOf(apiKey), hash: hash(apiKey), userId: userId ?? null } as const;
    const scopes = [...new Set(request.scopes)];
    return { key: await addCredential(tx, principal, { ...made, scopes, expiresAt }, now), apiKey };
  });
}

/**
 * Revokes a key and whatever came from it: keys, sessions, links and satellite tokens created with it, recursively. A
 * key that revokes its own creator takes its place, so that a program can rotate its key. Idempotent.
 * @returns the key, and the ids of everything that was revoked
 * @throws {NotFound}
 * @throws {Forbidden} `insufficient_scope` for a key with scopes the caller lacks
 * @throws {Conflict} `last_admin_key`: without it nobody could manage the team (or the installation)
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function revokeApiKey(
  em: EntityManager,
  principal: Principal,
  keyId: string,
  now: Date,
): Promise<{ key: Credential; revoked: string[] }> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const key = await tx.findOne(Credential, { id: keyId, kind: 'key' });
    if (!key) throw new NotFound('API key not found.');
    await replaceBy(tx, principal, key);
    return { key, revoked: await revoke(tx, principal, [key], now) };
  });
}

/** A key's successor inherits its origin: rotation does not break the chain of provenance. */
async function replaceBy(tx: EntityManager, principal: Principal, replaced: Credential): Promise<void> {
  const chain = await ancestorsOf(tx, actingId(principal));
  const successor = chain[chain.findIndex(({ id }) => id === replaced.id) - 1];
  if (successor?.kind !== 'key') return;
  const { createdByCredentialId, createdByUserId } = replaced;
  await tx.nativeUpdate(Credential, { id: successor.id }, { createdByCredentialId, createdByUserId });
}

/** Somebody must remain able to manage the team and, in a team that can, the whole installation. */
const ADMIN_SCOPES = ['system:admin', 'team:admin'] as const;

/**
 * Revokes credentials of a locked team together with everything that came from them; revoked ones stay as they are.
 * @returns the ids of what was revoked
 * @throws {Forbidden} and {@link Conflict} as {@link revokeApiKey}
 */
export async function revoke(
  tx: EntityManager,
  principal: Principal,
  roots: readonly Credential[],
  now: Date,
): Promise<string[]> {
  const ids = await descendantsOf(tx, roots);
  const going = await tx.find(Credential, { id: { $in: ids }, revokedAt: null });
  const open = going.filter(({ expiresAt }) => expiresAt == null || expiresAt > now);
  const excess = open.flatMap(({ scopes }) => scopes ?? []).find((scope) => !grants(principal.scopes, scope));
  if (excess !== undefined) {
    throw new Forbidden(`A key cannot revoke one that grants ${excess}, which it does not have.`, 'insufficient_scope');
  }
  // Anything that expires cannot be relied on.
  const isLasting = ({ kind, expiresAt }: Credential): boolean => kind === 'key' && expiresAt == null;
  const staying = await tx.find(Credential, { kind: 'key', revokedAt: null, expiresAt: null, id: { $nin: ids } });
  for (const scope of ADMIN_SCOPES) {
    const isAdmin = ({ scopes }: Credential): boolean => grants(scopes ?? [], scope);
    if (going.some((one) => isLasting(one) && isAdmin(one)) && !staying.some(isAdmin)) {
      throw new Conflict(`The last key that grants ${scope} cannot be revoked.`, 'last_admin_key');
    }
  }
  for (const one of going) one.revokedAt = now;
  await tx.flush();
  return going.map(({ id }) => id);
}

/** Ends what belongs to the browser; what was created in it stays. */
export async function endSessions(
  em: EntityManager,
  which: { id: string } | { createdByCredentialId: string },
  now: Date,
): Promise<number> {
  const open = { kind: 'session', revokedAt: null, expiresAt: { $gt: now } } as const;
  return em.nativeUpdate(Credential, { ...open, ...which }, { expiresAt: now }, anyTeam);
}
