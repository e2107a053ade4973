import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { generateApiKey, prefixOf } from './api-key.ts';
import { ApiKey, Membership, Team, User, type Role } from './entities.ts';
import { findOrCreateUser } from './members.ts';

/** Every team of this installation, the oldest first. */
export const listTeams = (em: EntityManager): Promise<Team[]> =>
  em.find(Team, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });

/** A new team with its admin and the first key, which may manage the team. */
export function createTeam(
  em: EntityManager,
  principal: Principal,
  request: { name: string; adminEmail: string; adminName: string },
  hash: (apiKey: string) => string,
): Promise<{ team: Team; key: ApiKey; apiKey: string }> {
  return em.transactional(async (tx) => {
    const user = await findOrCreateUser(tx, request.adminEmail, request.adminName);
    const team = tx.create(Team, { name: request.name });
    tx.create(Membership, { teamId: team.id, userId: user.id, role: 'admin' });
    const apiKey = generateApiKey();
    const key = tx.create(ApiKey, {
      teamId: team.id,
      name: 'First key',
      prefix: prefixOf(apiKey),
      hash: hash(apiKey),
      scopes: ['team:admin'],
      userId: user.id,
      createdByKeyId: principal.apiKeyId,
    });
    await tx.flush();
    return { team, key, apiKey };
  });
}

export const ownTeam = (em: EntityManager, { teamId }: Principal): Promise<Team> =>
  em.findOneOrFail(Team, { id: teamId });

export async function renameTeam(em: EntityManager, principal: Principal, name: string): Promise<Team> {
  const team = await ownTeam(em, principal);
  team.name = name;
  await em.flush();
  return team;
}

/** Whom a key acts for, and as what; both null for a key of a program. */
export async function currentUser(
  em: EntityManager,
  { userId }: Principal,
): Promise<{ user: User | null; role: Role | null }> {
  if (userId === undefined) return { user: null, role: null };
  const [user, membership] = [await em.findOne(User, { id: userId }), await em.findOne(Membership, { userId })];
  return { user, role: membership?.role ?? null };
}
