/** One-time links: each signs in one browser, once, before it expires. */
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import { creatorOf } from '../../db/base.ts';
import type { Principal } from '../../http/authenticate.ts';
import { generateCredential, sameHash } from '../../platform/secrets.ts';
import { cameFrom, checkActsFor, endSessions, lockTeam, lockTeamFor } from './credentials.ts';
import { Credential, Membership, Team, User } from './entities.ts';
import { ancestorsOf, endOf, isRooted } from './provenance.ts';
import { addSession, type OpenedSession, type SessionTerms } from './sessions.ts';

interface NewLink {
  expiresAt: Date;
  hash: (token: string) => string;
}

export interface MadeLink {
  token: string;
  expiresAt: Date;
}

/** The fragment stays in the browser: no server or log sees the token. */
export const linkUrl = (appUrl: string, path: string, token: string): string => `${appUrl}${path}#link=${token}`;

function addLink(
  em: EntityManager,
  link: Pick<Credential, 'teamId' | 'userId' | 'scopes' | 'createdByCredentialId' | 'createdByUserId'>,
  { expiresAt, hash }: NewLink,
): MadeLink {
  const token = generateCredential('cb_link_');
  em.create(Credential, { ...link, kind: 'link', name: '', prefix: '', hash: hash(token), expiresAt });
  return { token, expiresAt };
}

/**
 * Creates a link that signs in as a member of the team, with what their role allows, or without a user with the
 * caller's scopes.
 * @param em bound to the caller's team
 * @throws {InvalidRequest} if the user is not in the team
 * @throws {Forbidden} `another_admin`
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function createLink(
  em: EntityManager,
  principal: Principal,
  request: NewLink & { userId?: string },
): Promise<MadeLink> {
  const { teamId, userId: ownUserId = null } = principal;
  return em.transactional(async (tx) => {
    const caller = await lockTeamFor(tx, principal);
    const { userId, hash } = request;
    if (userId !== undefined) await checkActsFor(tx, principal, userId);
    const whom = userId === undefined ? { userId: ownUserId, scopes: caller.scopes } : { userId, scopes: null };
    const expiresAt = endOf(await ancestorsOf(tx, caller.id), request.expiresAt) ?? request.expiresAt;
    return addLink(tx, { teamId, ...whom, ...cameFrom(principal) }, { expiresAt, hash });
  });
}

/**
 * Creates a link for whoever can reach the database; there is no endpoint for it.
 * @param request.email a member, with what their role allows in the team they joined first; without one the link leads
 *   to the first team with every scope
 * @throws {Error} if there is no team yet, or no such member
 */
export async function createOperatorLink(em: EntityManager, request: NewLink & { email?: string }): Promise<MadeLink> {
  const tx = em.fork();
  const oldest = { orderBy: { createdAt: 'asc', id: 'asc' } } as const;
  const [team] = await tx.find(Team, {}, { ...oldest, limit: 1 });
  if (!team) throw new Error('There is no team yet. Start the API once: it creates the first one.');
  const user = request.email === undefined ? null : await tx.findOne(User, { email: request.email.toLowerCase() });
  const member = user && (await tx.findOne(Membership, { userId: user.id }, { ...anyTeam, ...oldest }));
  if (request.email !== undefined && !member) throw new Error('No team member has this address.');
  const whom = member
    ? { teamId: member.teamId, userId: member.userId, scopes: null }
    : { teamId: team.id, userId: null, scopes: ['system:admin'] };
  const made = addLink(tx, { ...whom, ...creatorOf() }, request);
  await tx.flush();
  return made;
}

/** A browser whose response was lost repeats its attempt within this time. */
const REPEATED_WITHIN_MS = 2 * 60_000;

/**
 * Signs in with the token of a link. Of several concurrent attempts, one succeeds. That browser may repeat its attempt,
 * because the response may have been lost with a process: the session that nobody received then ends.
 * @param use.attempt the browser's id of its attempt
 * @returns undefined if the link is unknown, used, expired or revoked, or its user has left the team
 */
export function signInWithLink(
  em: EntityManager,
  use: { link: string; attempt?: string },
  terms: SessionTerms,
): Promise<OpenedSession | undefined> {
  return em.fork().transactional(async (tx) => {
    const hash = terms.hash(use.link);
    const found = await tx.findOne(Credential, { hash, kind: 'link' }, anyTeam);
    if (!found) return undefined;
    await lockTeam(tx, found.teamId);
    // Someone else may have used it before we got the lock.
    const link = await tx.findOne(Credential, { hash, kind: 'link', revokedAt: null }, { ...anyTeam, refresh: true });
    const attemptHash = use.attempt === undefined ? null : terms.hash(use.attempt);
    if (!link || !(isUnused(link, terms.now) || isRepeated(link, attemptHash, terms.now))) return undefined;
    const { teamId, userId } = link;
    const isMember = userId == null || (await tx.findOne(Membership, { teamId, userId }, anyTeam)) !== null;
    if (!isMember || !(await isRooted(tx, link))) return undefined;
    if (link.usedAt != null) await endSessions(tx, { createdByCredentialId: link.id }, terms.now);
    link.usedAt ??= terms.now;
    link.attemptHash = attemptHash;
    return addSession(tx, link, { madeBy: link, signedInWith: 'link' }, terms);
  });
}

const isUnused = ({ usedAt, expiresAt }: Credential, now: Date): boolean =>
  usedAt == null && expiresAt != null && expiresAt > now;

const isRepeated = ({ usedAt, attemptHash: stored }: Credential, attemptHash: string | null, now: Date): boolean =>
  usedAt != null &&
  stored != null &&
  attemptHash !== null &&
  sameHash(stored, attemptHash) &&
  now.getTime() - usedAt.getTime() < REPEATED_WITHIN_MS;
