import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { Conflict, NotFound } from '../../http/errors.ts';
import { Credential, Membership, User, type Role } from './entities.ts';
import { lockTeamFor, revoke } from './credentials.ts';

export interface Member {
  membership: Membership;
  user: User;
}

/** The team's members, in order of joining. */
export async function listMembers(em: EntityManager): Promise<Member[]> {
  return withUsers(em, await em.find(Membership, {}, { orderBy: { createdAt: 'asc', id: 'asc' } }));
}

/** Those of these users who are members of the team. */
export async function findMembers(
  em: EntityManager,
  userIds: readonly (string | null | undefined)[],
): Promise<Member[]> {
  const ids = [...new Set(userIds)].filter((id) => id != null);
  return withUsers(em, await em.find(Membership, { userId: { $in: ids } }));
}

async function withUsers(em: EntityManager, memberships: readonly Membership[]): Promise<Member[]> {
  const users = await em.find(User, { id: { $in: memberships.map(({ userId }) => userId) } });
  const byId = new Map(users.map((user) => [user.id, user]));
  return memberships.flatMap((membership) => {
    const user = byId.get(membership.userId);
    return user ? [{ membership, user }] : [];
  });
}

/**
 * Adds a person to the team. A member of another team stays the same user, under the name this team gives them.
 * @throws {Conflict} `already_member`
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function addMember(
  em: EntityManager,
  principal: Principal,
  { email, name, role }: { email: string; name: string; role: Role },
): Promise<Member> {
  return em.transactional(async (tx) => {
    const { teamId } = await lockTeamFor(tx, principal);
    const user = await findOrCreateUser(tx, email);
    if (await tx.findOne(Membership, { userId: user.id })) {
      throw new Conflict('This person is already a member of the team.', 'already_member');
    }
    const membership = tx.create(Membership, { teamId, userId: user.id, role, name });
    return { membership, user };
  });
}

/** The user with this address; concurrent requests for a new one get the same user. */
export async function findOrCreateUser(tx: EntityManager, address: string): Promise<User> {
  const email = address.toLowerCase();
  return (
    (await tx.findOne(User, { email })) ??
    (await tx.upsert(
      User,
      { email },
      { onConflictFields: ['email'], onConflictAction: 'merge', onConflictMergeFields: ['email'] },
    ))
  );
}

/**
 * Removes a person from the team, and revokes the credentials that act for them, those they created, and whatever came
 * from either.
 * @returns the ids of what was revoked
 * @throws {NotFound}
 * @throws {Conflict} `last_admin`, or `last_admin_key` if nobody else's key could manage the team
 * @throws {Forbidden} `insufficient_scope` if one of the keys has scopes the caller lacks
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function removeMember(em: EntityManager, principal: Principal, userId: string, now: Date): Promise<string[]> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const membership = await tx.findOne(Membership, { userId });
    if (!membership) throw new NotFound('Member not found.');
    if (membership.role === 'admin' && (await tx.count(Membership, { role: 'admin' })) === 1) {
      throw new Conflict('The last admin of a team cannot be removed.', 'last_admin');
    }
    const theirs = await tx.find(Credential, { $or: [{ userId }, { createdByUserId: userId }] });
    const revoked = await revoke(tx, principal, theirs, now);
    tx.remove(membership);
    return revoked;
  });
}
