import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { Conflict, NotFound } from '../../http/errors.ts';
import { Credential, Membership, User, type Role } from './entities.ts';
import { lockTeam, revokeKeys } from './credentials.ts';

export interface Member {
  membership: Membership;
  user: User;
}

/** The team's members in the order they joined. */
export async function listMembers(em: EntityManager): Promise<Member[]> {
  const memberships = await em.find(Membership, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });
  const users = await em.find(User, { id: memberships.map(({ userId }) => userId) });
  const byId = new Map(users.map((user) => [user.id, user]));
  return memberships.flatMap((membership) => {
    const user = byId.get(membership.userId);
    return user ? [{ membership, user }] : [];
  });
}

/**
 * Puts a person into the team. Somebody whom another team knows already stays the same user, under the name they have.
 * @throws {Conflict} `already_member`
 */
export function addMember(
  em: EntityManager,
  teamId: string,
  request: { email: string; name: string; role: Role },
): Promise<Member> {
  return em.transactional(async (tx) => {
    await lockTeam(tx, teamId);
    const user = await findOrCreateUser(tx, request.email, request.name);
    if (await tx.findOne(Membership, { userId: user.id })) {
      throw new Conflict('This person is a member of the team already.', 'already_member');
    }
    const membership = tx.create(Membership, { teamId, userId: user.id, role: request.role });
    return { membership, user };
  });
}

/** The user with this address; of two requests that name a new one at once, both get the same user. */
export async function findOrCreateUser(tx: EntityManager, address: string, name: string): Promise<User> {
  const email = address.toLowerCase();
  return (
    (await tx.findOne(User, { email })) ??
    (await tx.upsert(
      User,
      { email, name },
      { onConflictFields: ['email'], onConflictAction: 'merge', onConflictMergeFields: ['email'] },
    ))
  );
}

/**
 * Takes a person out of the team, revokes the keys that act for them in it, and ends their sessions.
 * @returns the ids of those keys and sessions
 * @throws {NotFound}
 * @throws {Conflict} `last_admin`, or `last_admin_key` when nobody else's key could manage the team
 * @throws {Forbidden} `insufficient_scope` when one of the keys may do what the caller may not
 */
export function removeMember(em: EntityManager, principal: Principal, userId: string, now: Date): Promise<string[]> {
  return em.transactional(async (tx) => {
    await lockTeam(tx, principal.teamId);
    const membership = await tx.findOne(Membership, { userId });
    if (!membership) throw new NotFound('There is no such member.');
    if (membership.role === 'admin' && (await tx.count(Membership, { role: 'admin' })) === 1) {
      throw new Conflict('The last admin of a team cannot be removed.', 'last_admin');
    }
    const isOpen = { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
    const keys = await tx.find(Credential, { userId, revokedAt: null, ...isOpen });
    await revokeKeys(tx, principal, keys, now);
    tx.remove(membership);
    return keys.map(({ id }) => id);
  });
}
