/** Browser sessions: credentials that expire and whose secret is in a cookie. */
import { creatorOf } from '../../db/base.ts';
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import { grants, type Principal } from '../../http/authenticate.ts';
import { Forbidden, NotFound } from '../../http/errors.ts';
import { generateCredential } from '../../platform/secrets.ts';
import type { Scopes } from '../../room.ts';
import { lockTeam, lockTeamFor, revoke } from './credentials.ts';
import { Credential, type SignInMethod } from './entities.ts';
import { findMembers, type Member } from './members.ts';
import { ancestorsOf, endOf, scopesOfRole } from './provenance.ts';

export interface OpenedSession {
  session: Credential;
  /** Only in the cookie. */
  secret: string;
}

export interface SessionTerms {
  hash: (secret: string) => string;
  now: Date;
  /** How long it lasts, whether it is used or not. */
  hours: number;
  /** The browser's User-Agent. */
  userAgent: string | undefined;
}

/**
 * Stores a session that expires no later than the keys it comes from.
 * @param tx a transaction that holds the team's lock, so that what permits the session still applies
 * @param whom the user it acts for, and its scopes
 * @param how.madeBy the credential that started it; absent if an identity provider vouches for its person
 */
export async function addSession(
  tx: EntityManager,
  { teamId, userId, scopes }: Pick<Credential, 'teamId' | 'userId' | 'scopes'>,
  { madeBy, signedInWith }: { madeBy?: Credential; signedInWith: SignInMethod },
  terms: SessionTerms,
): Promise<OpenedSession> {
  const secret = generateCredential('cb_session_');
  const end = new Date(terms.now.getTime() + terms.hours * 3_600_000);
  const session = tx.create(Credential, {
    teamId,
    userId,
    scopes,
    signedInWith,
    kind: 'session',
    name: browserOf(terms.userAgent),
    prefix: '',
    hash: terms.hash(secret),
    expiresAt: madeBy ? endOf(await ancestorsOf(tx, madeBy.id), end) : end,
    ...creatorOf({ credentialId: madeBy?.id, userId: userId ?? undefined }),
  });
  return { session, secret };
}

const browserOf = (userAgent = ''): string => userAgent.replaceAll(/[^ -~]/g, '').slice(0, 200) || 'Unknown';

/**
 * Signs in with an API key.
 * @param key as the authenticator knows it, up to two seconds old
 * @returns undefined if it was revoked meanwhile
 */
export function signInWithKey(
  em: EntityManager,
  key: Principal,
  terms: SessionTerms,
): Promise<OpenedSession | undefined> {
  return em.fork().transactional(async (tx) => {
    await lockTeam(tx, key.teamId);
    const row = await tx.findOne(Credential, { id: key.credentialId, kind: 'key', revokedAt: null }, anyTeam);
    if (!row) return undefined;
    await endOldest(tx, row.id, terms.now);
    return addSession(tx, row, { madeBy: row, signedInWith: 'api_key' }, terms);
  });
}

/** Per key. Fewer than a list shows, so that nobody can hide a session behind new ones. */
const MAX_OF_A_KEY = 500;

/** Makes room for another session of a key: ended ones go first, then the oldest. */
async function endOldest(tx: EntityManager, keyId: string, now: Date): Promise<void> {
  const surplus = `select id from credentials where kind = 'session' and created_by_credential_id = ? and signed_in_with = 'api_key'
    order by (revoked_at is null and expires_at > ?) desc, created_at desc, id offset ?`;
  const of = [keyId, now, MAX_OF_A_KEY - 1];
  await tx.execute(`update credentials set expires_at = ? where expires_at > ? and id in (${surplus})`, [
    now,
    now,
    ...of,
  ]);
  await tx.execute(`delete from credentials where id in (${surplus}) and ${IS_LEAF}`, of);
}

/** Keep the origins of other credentials: without them provenance would be lost. */
const IS_LEAF = `not exists (select 1 from credentials made where made.created_by_credential_id = credentials.id)`;

/** The newest are shown; the rest expire. */
const MAX_SHOWN = 1_000;

const isAdmin = ({ scopes }: Principal): boolean => grants(scopes, 'team:admin');

/** Those the caller may see: all of the team for an admin, otherwise those of the same user or key. */
function visibleTo(principal: Principal) {
  if (isAdmin(principal)) return {};
  const { userId, credentialId, sessionId } = principal;
  const own = [
    { createdByCredentialId: credentialId, signedInWith: 'api_key' as const },
    { id: sessionId ?? credentialId },
  ];
  return { $or: [...own, ...(userId === undefined ? [] : [{ userId }])] };
}

export interface ListedSession {
  session: Credential;
  /** Who it acts for. */
  member: Member | undefined;
  scopes: readonly string[];
}

/** Active sessions, newest first, with who they act for. */
export async function listSessions(
  em: EntityManager,
  principal: Principal,
  { now, scopes: known }: { now: Date; scopes: Scopes },
): Promise<ListedSession[]> {
  const sessions = await em.find(
    Credential,
    { kind: 'session', revokedAt: null, expiresAt: { $gt: now }, ...visibleTo(principal) },
    { orderBy: { createdAt: 'desc', id: 'asc' }, limit: MAX_SHOWN },
  );
  const members = await findMembers(
    em,
    sessions.map(({ userId }) => userId),
  );
  const byId = new Map(members.map((member) => [member.user.id, member]));
  return sessions.map((session) => {
    const member = byId.get(session.userId ?? '');
    const byRole = member ? scopesOfRole(member.membership.role, known) : [];
    return { session, member, scopes: session.scopes ?? byRole };
  });
}

/**
 * Ends a session and whatever was created in it: links, keys, and what came from those. Idempotent.
 * @returns the ids of what was revoked
 * @throws {NotFound} also for one the caller may not see
 * @throws {Forbidden} `insufficient_scope` for one with scopes the caller lacks
 * @throws {Conflict} `last_admin_key`
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function revokeSession(
  em: EntityManager,
  principal: Principal,
  sessionId: string,
  now: Date,
): Promise<string[]> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const session = await tx.findOne(Credential, { $and: [{ id: sessionId, kind: 'session' }, visibleTo(principal)] });
    if (!session) throw new NotFound('Session not found.');
    const excess = session.scopes?.find((scope) => !grants(principal.scopes, scope));
    if (excess !== undefined && session.id !== principal.sessionId)
      throw new Forbidden(`The session grants ${excess}, which the caller does not have.`, 'insufficient_scope');
    return revoke(tx, principal, [session], now);
  });
}

/** Deletes sessions, links and shares that ended before a time, except the origins of credentials that are kept. */
export async function purgeSignIns(em: EntityManager, before: Date): Promise<void> {
  const sql = `delete from credentials where kind in ('session', 'link', 'share') and (expires_at < ? or revoked_at < ? or used_at < ?) and ${IS_LEAF} returning id`;
  // The rest of the chain now starts in its former middle.
  while ((await em.fork().execute(sql, [before, before, before])).length > 0);
}
