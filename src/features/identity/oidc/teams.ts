/** The teams of a person identified by the provider: a session belongs to one team, and they may switch to another. */
import type { EntityManager } from '../../../db/orm.ts';
import { anyTeam } from '../../../db/team-filter.ts';
import { NotFound, Unauthorized } from '../../../http/errors.ts';
import { lockTeam } from '../credentials.ts';
import { Credential, Membership, Team } from '../entities.ts';
import { addSession, type OpenedSession, type SessionTerms } from '../sessions.ts';

/** Memberships in order of creation. */
export const membershipsOf = (em: EntityManager, userId: string): Promise<Membership[]> =>
  em.find(Membership, { userId }, { ...anyTeam, orderBy: { createdAt: 'asc', id: 'asc' } });

/**
 * The other teams a session's person may switch to. None for a session started by a key or link: one team issued it,
 * and its admins have no say in others.
 */
export async function otherTeams(em: EntityManager, { userId, teamId, signedInWith }: Credential): Promise<Team[]> {
  if (signedInWith !== 'oidc' || userId == null) return [];
  const ids = (await membershipsOf(em, userId)).map((membership) => membership.teamId).filter((id) => id !== teamId);
  return em.find(Team, { id: { $in: ids } }, { orderBy: { name: 'asc', id: 'asc' } });
}

/**
 * Replaces a session by one of the same person in another of their teams, with the same expiry.
 * @throws {NotFound} if they are not a member there
 * @throws {Unauthorized} if the session has ended
 */
export function goOnInTeam(
  em: EntityManager,
  session: Credential,
  teamId: string,
  terms: SessionTerms,
): Promise<OpenedSession> {
  const { id, userId, signedInWith, expiresAt } = session;
  const notThere = new NotFound('You are not a member of that team.', 'team_not_found');
  if (signedInWith !== 'oidc' || userId == null || expiresAt == null) throw notThere;
  return em.fork().transactional(async (tx) => {
    if (!(await tx.findOne(Membership, { userId, teamId }, anyTeam))) throw notThere;
    await lockTeam(tx, teamId);
    // They may have been removed before we got the lock.
    const membership = await tx.findOne(Membership, { userId, teamId }, { ...anyTeam, refresh: true });
    if (!membership) throw notThere;
    // Of two concurrent requests one succeeds, and someone removed from the first team cannot switch at all.
    const over = { id, revokedAt: null, expiresAt: { $gt: terms.now } };
    const ended = await tx.nativeUpdate(Credential, over, { expiresAt: terms.now }, anyTeam);
    if (ended === 0) throw new Unauthorized('The session has ended.');
    const hours = (expiresAt.getTime() - terms.now.getTime()) / 3_600_000;
    return addSession(tx, { teamId, userId, scopes: null }, { signedInWith }, { ...terms, hours });
  });
}
