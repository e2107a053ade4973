/** One-time links: each signs one browser in, once, within its time. */
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import type { Principal } from '../../http/authenticate.ts';
import { InvalidRequest } from '../../http/errors.ts';
import { generateCredential, sameHash } from '../../platform/secrets/index.ts';
import { lockTeam, lockTeamFor } from './credentials.ts';
import { Credential, Membership, SignInLink, Team, User } from './entities.ts';
import { ROLE_SCOPES } from './scopes.ts';
import { addSession, endSession, type OpenedSession, type SessionTerms } from './sessions.ts';

interface NewLink {
  expiresAt: Date;
  hash: (token: string) => string;
}

export interface MadeLink {
  token: string;
  expiresAt: Date;
}

/** The fragment of an address stays in the browser: no server and no log sees the token. */
export const linkUrl = (appUrl: string, path: string, token: string): string => `${appUrl}${path}#link=${token}`;

/** @param memberships of whom the link hangs on: it counts as made after them, whatever the clocks of the processes say */
function addLink(
  em: EntityManager,
  link: Pick<
    SignInLink,
    'teamId' | 'userId' | 'scopes' | 'createdByCredentialId' | 'createdByUserId' | 'createdInSessionId'
  >,
  memberships: readonly Membership[],
  { expiresAt, hash }: NewLink,
): MadeLink {
  const token = generateCredential('cb_link_');
  const createdAt = new Date(Math.max(Date.now(), ...memberships.map((one) => one.createdAt.getTime())));
  em.create(SignInLink, { ...link, hash: hash(token), createdAt, expiresAt });
  return { token, expiresAt };
}

/**
 * Makes a link that signs in as a member of the team, with what their role allows, or without a user with what the
 * caller has.
 * @param em bound to the caller's team
 * @throws {InvalidRequest} when the user is not in the team
 * @throws {Unauthorized} when the caller was revoked meanwhile
 */
export function createLink(
  em: EntityManager,
  principal: Principal,
  request: NewLink & { userId?: string },
): Promise<MadeLink> {
  const { teamId, apiKeyId, sessionId = null, userId: ownUserId = null, scopes } = principal;
  return em.transactional(async (tx) => {
    const caller = await lockTeamFor(tx, principal);
    const { userId } = request;
    const memberships = await membershipsOf(tx, teamId, [userId ?? null, ownUserId]);
    if (userId !== undefined && !memberships.some((one) => one.userId === userId))
      throw InvalidRequest.at(['body', 'user_id'], 'Value error, the user is not a member of the team', userId);
    const whom = userId === undefined ? { userId: ownUserId, scopes: [...scopes] } : { userId, scopes: null };
    const createdByCredentialId = sessionId === null ? apiKeyId : (caller.createdByCredentialId ?? null);
    const maker = { createdByCredentialId, createdByUserId: ownUserId, createdInSessionId: sessionId };
    return addLink(tx, { teamId, ...whom, ...maker }, memberships, request);
  });
}

/**
 * Makes a link into the first team, for whoever can reach the database; there is no endpoint for it.
 * @param request.email a member, who may do what their role allows; without one the link may do everything
 * @throws {Error} when there is no team yet, or no such member
 */
export async function createOperatorLink(em: EntityManager, request: NewLink & { email?: string }): Promise<MadeLink> {
  const tx = em.fork();
  const [team] = await tx.find(Team, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: 1 });
  if (!team) throw new Error('There is no team yet. Start the API once; it makes the first one.');
  const nobody = { createdByCredentialId: null, createdByUserId: null, createdInSessionId: null };
  const user = request.email === undefined ? null : await tx.findOne(User, { email: request.email.toLowerCase() });
  const member = user && (await tx.findOne(Membership, { teamId: team.id, userId: user.id }, anyTeam));
  if (request.email !== undefined && !member)
    throw new Error('Nobody with this address is a member of the first team.');
  const whom = member ? { userId: member.userId, scopes: null } : { userId: null, scopes: ['system:admin'] };
  const made = addLink(tx, { teamId: team.id, ...whom, ...nobody }, member ? [member] : [], request);
  await tx.flush();
  return made;
}

/** A browser whose answer was lost repeats its attempt within this time. */
const REPEATED_WITHIN_MS = 2 * 60_000;

/**
 * Signs in with the token of a link. Of several that use it at the same moment, one is signed in. The browser that was
 * may repeat its attempt, because the answer may have been lost with a process: then the session that nobody got ends.
 * @param use.attempt what the browser calls its attempt
 * @returns undefined when the link is unknown, used or over, or when whoever it hangs on is
 */
export function signInWithLink(
  em: EntityManager,
  use: { link: string; attempt?: string },
  terms: SessionTerms,
): Promise<OpenedSession | undefined> {
  return em.fork().transactional(async (tx) => {
    const hash = terms.hash(use.link);
    const found = await tx.findOne(SignInLink, { hash }, anyTeam);
    if (!found) return undefined;
    const { teamId, userId, createdByCredentialId } = found;
    await lockTeam(tx, teamId);
    // Others may have used it before the lock was had.
    const link = await tx.findOne(SignInLink, { hash }, { ...anyTeam, refresh: true });
    const attemptHash = use.attempt === undefined ? null : terms.hash(use.attempt);
    if (!link || !(isUnused(link, terms.now) || isRepeated(link, attemptHash, terms.now))) return undefined;
    if (link.sessionId != null) await endSession(tx, link.sessionId, terms.now);
    link.usedAt ??= terms.now;
    link.attemptHash = attemptHash;
    const scopes = await scopesOf(tx, link);
    if (!scopes) return undefined;
    const opened = addSession(tx, { teamId, userId, scopes, createdByCredentialId, signedInWith: 'link' }, terms);
    await tx.flush();
    link.sessionId = opened.session.id;
    return opened;
  });
}

const isUnused = ({ usedAt, expiresAt }: SignInLink, now: Date): boolean => usedAt == null && expiresAt > now;

const isRepeated = ({ usedAt, attemptHash: stored }: SignInLink, attemptHash: string | null, now: Date): boolean =>
  usedAt != null &&
  stored != null &&
  attemptHash !== null &&
  sameHash(stored, attemptHash) &&
  now.getTime() - usedAt.getTime() < REPEATED_WITHIN_MS;

const membershipsOf = (tx: EntityManager, teamId: string, userIds: readonly (string | null)[]): Promise<Membership[]> =>
  tx.find(Membership, { teamId, userId: { $in: userIds.filter((id) => id !== null) } }, anyTeam);

/** What the link may do now; undefined when it may nothing any more. */
async function scopesOf(tx: EntityManager, link: SignInLink): Promise<readonly string[] | undefined> {
  const { teamId, userId, scopes, createdByCredentialId, createdByUserId, createdAt } = link;
  const memberships = await membershipsOf(tx, teamId, [userId, createdByUserId]);
  // Who left and came back may have another role now: what was made before does not come back with them.
  const membershipOf = (id: string) => memberships.find((one) => one.userId === id && one.createdAt <= createdAt);
  if (createdByUserId !== null && !membershipOf(createdByUserId)) return undefined;
  const maker = { id: createdByCredentialId, revokedAt: null };
  if (createdByCredentialId !== null && !(await tx.findOne(Credential, maker, anyTeam))) return undefined;
  if (userId === null) return scopes ?? undefined;
  const membership = membershipOf(userId);
  return membership && (scopes ?? ROLE_SCOPES[membership.role]);
}
