/** Sessions of browsers: rows of API keys with an end, whose secret is in a cookie. */
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import { grants, type Principal } from '../../http/authenticate.ts';
import { Forbidden, NotFound } from '../../http/errors.ts';
import { generateCredential } from '../../platform/secrets/index.ts';
import { lockTeam } from './credentials.ts';
import { Credential, SignInLink, User, type SignInMethod } from './entities.ts';

export interface NewSession {
  teamId: string;
  userId: string | null;
  scopes: readonly string[];
  /** The key that it ends with. */
  createdByCredentialId: string | null;
  signedInWith: SignInMethod;
}

export interface OpenedSession {
  session: Credential;
  /** In the cookie and nowhere else. */
  secret: string;
}

export interface SessionTerms {
  hash: (secret: string) => string;
  now: Date;
  /** How long it lasts, whether it is used or not. */
  hours: number;
  /** What the browser calls itself. */
  userAgent: string | undefined;
}

/** Stores a session. @param tx a transaction that has the team's lock, so that what allows the session still holds */
export function addSession(tx: EntityManager, session: NewSession, terms: SessionTerms): OpenedSession {
  const secret = generateCredential('cb_session_');
  const row = tx.create(Credential, {
    ...session,
    createdByUserId: session.userId,
    scopes: [...session.scopes],
    kind: 'session',
    name: browserOf(terms.userAgent),
    prefix: '',
    hash: terms.hash(secret),
    expiresAt: new Date(terms.now.getTime() + terms.hours * 3_600_000),
  });
  return { session: row, secret };
}

const browserOf = (userAgent = ''): string => userAgent.replaceAll(/[^ -~]/g, '').slice(0, 200) || 'Unknown';

/**
 * Signs in with an API key.
 * @param key as the authenticator knows it, which may be two seconds ago
 * @returns undefined when it was revoked meanwhile
 */
export function signInWithKey(
  em: EntityManager,
  key: Principal,
  terms: SessionTerms,
): Promise<OpenedSession | undefined> {
  return em.fork().transactional(async (tx) => {
    await lockTeam(tx, key.teamId);
    const row = await tx.findOne(Credential, { id: key.apiKeyId, kind: 'key', revokedAt: null }, anyTeam);
    if (!row) return undefined;
    const { teamId, userId = null, scopes, id } = row;
    await endOldest(tx, id, terms.now);
    return addSession(tx, { teamId, userId, scopes, createdByCredentialId: id, signedInWith: 'api_key' }, terms);
  });
}

/** Of one key. Fewer than are listed, so that nobody can hide a session behind new ones. */
const MOST_OF_A_KEY = 500;

/** Makes room for one more session of a key: those that are over go first, then the oldest. */
async function endOldest(tx: EntityManager, keyId: string, now: Date): Promise<void> {
  await tx.execute(
    `delete from credentials where id in (
       select id from credentials where kind = 'session' and created_by_credential_id = ? and signed_in_with = 'api_key'
       order by (revoked_at is null and expires_at > ?) desc, created_at desc, id offset ?)`,
    [keyId, now, MOST_OF_A_KEY - 1],
  );
}

/** Ends a session that its own browser gives up. */
export async function endSession(em: EntityManager, sessionId: string, now: Date): Promise<void> {
  await em.nativeUpdate(Credential, { id: sessionId, kind: 'session', revokedAt: null }, { revokedAt: now }, anyTeam);
}

/** The newest are shown; the rest end by themselves. */
const MOST_SHOWN = 1_000;

const isAdmin = ({ scopes }: Principal): boolean => grants(scopes, 'team:admin');

/** Those the caller may see: as an admin all of the team, else those of the same user or the same key. */
function visibleTo(principal: Principal) {
  if (isAdmin(principal)) return {};
  const { userId, apiKeyId, sessionId } = principal;
  const own = [{ createdByCredentialId: apiKeyId, signedInWith: 'api_key' as const }, { id: sessionId ?? apiKeyId }];
  return { $or: [...own, ...(userId === undefined ? [] : [{ userId }])] };
}

/** The sessions that are not over, the newest first, with whom they act for. */
export async function listSessions(
  em: EntityManager,
  principal: Principal,
  now: Date,
): Promise<{ session: Credential; user: User | null }[]> {
  const sessions = await em.find(
    Credential,
    { kind: 'session', revokedAt: null, expiresAt: { $gt: now }, ...visibleTo(principal) },
    { orderBy: { createdAt: 'desc', id: 'asc' }, limit: MOST_SHOWN },
  );
  const userIds = sessions.flatMap(({ userId }) => userId ?? []);
  const users = await em.find(User, { id: { $in: [...new Set(userIds)] } });
  return sessions.map((session) => ({ session, user: users.find(({ id }) => id === session.userId) ?? null }));
}

/**
 * Ends a session, and the unused links that were made in it. A second time changes nothing.
 * @throws {NotFound} also for one that the caller may not see
 * @throws {Forbidden} `insufficient_scope` for one that may do what the caller may not
 */
export async function revokeSession(
  em: EntityManager,
  principal: Principal,
  sessionId: string,
  now: Date,
): Promise<void> {
  const session = await em.findOne(Credential, { $and: [{ id: sessionId, kind: 'session' }, visibleTo(principal)] });
  if (!session) throw new NotFound('There is no such session.');
  const excess = session.scopes.find((scope) => !grants(principal.scopes, scope));
  if (excess !== undefined && session.id !== principal.sessionId)
    throw new Forbidden(`The session grants ${excess}, which the caller does not have.`, 'insufficient_scope');
  await em.transactional(async (tx) => {
    await lockTeam(tx, principal.teamId);
    await tx.nativeUpdate(Credential, { id: sessionId, revokedAt: null }, { revokedAt: now });
    await tx.nativeDelete(SignInLink, { createdInSessionId: sessionId, usedAt: null });
  });
}

/** Deletes sessions and links that ended before a time. */
export async function purgeSignIns(em: EntityManager, before: Date): Promise<void> {
  const fork = em.fork();
  const over = [{ expiresAt: { $lt: before } }, { revokedAt: { $lt: before } }];
  await fork.nativeDelete(Credential, { kind: 'session', $or: over }, anyTeam);
  await fork.nativeDelete(SignInLink, { $or: [{ expiresAt: { $lt: before } }, { usedAt: { $lt: before } }] }, anyTeam);
}
