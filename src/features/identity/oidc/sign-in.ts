import type { EntityManager } from '../../../db/orm.ts';
import { anyTeam } from '../../../db/team-filter.ts';
import { lockTeam } from '../credentials.ts';
import { Credential, Membership, User } from '../entities.ts';
import { addSession, type OpenedSession, type SessionTerms } from '../sessions.ts';
import { SignInFailed } from './errors.ts';
import type { Identity } from './provider.ts';
import { membershipsOf } from './teams.ts';

/**
 * Signs in as the user with this address, in the team they last used, otherwise the one they joined first.
 * @throws {SignInFailed} `email_not_verified`, `not_a_member`
 */
export function signInAs(
  em: EntityManager,
  { verifiedEmail: email }: Identity,
  terms: SessionTerms,
): Promise<OpenedSession> {
  if (email === undefined) throw new SignInFailed('email_not_verified');
  return em.fork().transactional(async (tx) => {
    const user = await tx.findOne(User, { email });
    const memberships = user ? await membershipsOf(tx, user.id) : [];
    const lastTeamId = user && (await lastTeamOf(tx, user.id));
    const found = memberships.find(({ teamId }) => teamId === lastTeamId) ?? memberships[0];
    if (!found) throw new SignInFailed('not_a_member');
    await lockTeam(tx, found.teamId);
    // They may have been removed before we got the lock.
    const membership = await tx.findOne(Membership, { id: found.id }, { ...anyTeam, refresh: true });
    if (!membership) throw new SignInFailed('not_a_member');
    const { teamId, userId } = membership;
    return addSession(tx, { teamId, userId, scopes: null }, { signedInWith: 'oidc' }, terms);
  });
}

/** For as long as the session is kept. */
async function lastTeamOf(tx: EntityManager, userId: string): Promise<string | undefined> {
  const newest = { ...anyTeam, orderBy: { createdAt: 'desc' } } as const;
  return (await tx.findOne(Credential, { userId, kind: 'session', signedInWith: 'oidc' }, newest))?.teamId;
}
