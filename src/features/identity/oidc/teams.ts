/** The teams of a person whom the identity provider has named: one session is of one team, and they may go on in another. */
import type { EntityManager } from '../../../db/orm.ts';
import { anyTeam } from '../../../db/team-filter.ts';
import { NotFound, Unauthorized } from '../../../http/errors.ts';
import { lockTeam } from '../credentials.ts';
import { Credential, Membership, Team } from '../entities.ts';
import { addSession, type OpenedSession, type SessionTerms } from '../sessions.ts';

/** Memberships in the order in which they were made. */
export const membershipsOf = (em: EntityManager, userId: string): Promise<Membership[]> =>
  em.find(Membership, { userId }, { ...anyTeam, orderBy: { createdAt: 'asc', id: 'asc' } });

/**
 * The other teams in which a session's person may go on. None for a session that was made with a key or a link: those
 * were given by one team, whose admins have no say in the others.
 */
export async function otherTeams(em: EntityManager, { userId, teamId, signedInWith }: Credential): Promise<Team[]> {
  if (signedInWith !== 'oidc' || userId == null) return [];
  const ids = (await membershipsOf(em, userId)).map((membership) => membership.teamId).filter((id) => id !== teamId);
  return em.find(Team, { id: { $in: ids } }, { orderBy: { name: 'asc', id: 'asc' } });
}

/**
 * Ends a session and makes one of the same person in another of their teams, which ends when the first would have.
 * @throws {NotFound} when they are no member there
 * @throws {Unauthorized} when the session is over
 */
export function goOnInTeam(
  em: EntityManager,
  session: Credential,
  teamId: string,
  terms: SessionTerms,
): Promise<OpenedSession> {
  const { id, userId, signedInWith, expiresAt } = session;
  const notThere = new NotFound('The session’s person is in no such team.', 'team_not_found');
  if (signedInWith !== 'oidc' || userId == null || expiresAt == null) throw notThere;
  return em.fork().transactional(async (tx) => {
    if (!(await tx.findOne(Membership, { userId, teamId }, anyTeam))) throw notThere;
    await lockTeam(tx, teamId);
    // Somebody may have removed them before the lock was had.
    const membership = await tx.findOne(Membership, { userId, teamId }, { ...anyTeam, refresh: true });
    if (!membership) throw notThere;
    // Of two requests at the same moment one goes on; and who was removed from the first team goes on nowhere.
    const over = { id, revokedAt: null, expiresAt: { $gt: terms.now } };
    const ended = await tx.nativeUpdate(Credential, over, { expiresAt: terms.now }, anyTeam);
    if (ended === 0) throw new Unauthorized('The session is over.');
    const hours = (expiresAt.getTime() - terms.now.getTime()) / 3_600_000;
    return addSession(tx, { teamId, userId, scopes: null }, { signedInWith }, { ...terms, hours });
  });
}
