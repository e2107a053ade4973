import { creatorOf } from '../../db/base.ts';
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import type { Principal } from '../../http/authenticate.ts';
import { cameFrom, generateApiKey, lockTeamFor, prefixOf } from './credentials.ts';
import { Credential, Membership, Team, User } from './entities.ts';
import { findMembers, findOrCreateUser, type Member } from './members.ts';

/** Every team of this installation, oldest first. */
export const listTeams = (em: EntityManager): Promise<Team[]> =>
  em.find(Team, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });

/**
 * A new team with its admin and its first key, which can manage the team.
 * @throws {Unauthorized} if the caller was revoked meanwhile
 */
export function createTeam(
  em: EntityManager,
  principal: Principal,
  request: { name: string; adminEmail: string; adminName: string },
  hash: (apiKey: string) => string,
): Promise<{ team: Team; key: Credential; apiKey: string }> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const user = await findOrCreateUser(tx, request.adminEmail);
    const team = tx.create(Team, { name: request.name });
    tx.create(Membership, { teamId: team.id, userId: user.id, role: 'admin', name: request.adminName });
    const apiKey = generateApiKey();
    const key = tx.create(Credential, {
      kind: 'key',
      teamId: team.id,
      name: 'First key',
      prefix: prefixOf(apiKey),
      hash: hash(apiKey),
      scopes: ['team:admin'],
      userId: user.id,
      ...cameFrom(principal),
    });
    await tx.flush();
    return { team, key, apiKey };
  });
}

export const ownTeam = (em: EntityManager, { teamId }: Pick<Principal, 'teamId'>): Promise<Team> =>
  em.findOneOrFail(Team, { id: teamId });

/** @throws {Unauthorized} if the caller was revoked meanwhile */
export function renameTeam(em: EntityManager, principal: Principal, name: string): Promise<Team> {
  return em.transactional(async (tx) => {
    await lockTeamFor(tx, principal);
    const team = await ownTeam(tx, principal);
    team.name = name;
    return team;
  });
}

/** Who a key acts for in its team; undefined for a program's key. */
export const currentMember = async (
  em: EntityManager,
  { userId }: Pick<Principal, 'userId'>,
): Promise<Member | undefined> => (userId === undefined ? undefined : (await findMembers(em, [userId]))[0]);

/** Any constant will do, as long as every bootstrapping process uses the same. */
const BOOTSTRAP_LOCK = 4_117_010;

export interface Bootstrap {
  teamId: string;
  /** The key, if it was just generated: shown only once. */
  generatedApiKey?: string;
}

/**
 * Ensures that there is a first team ("Default") with an admin and a key with every scope. Safe to call at every start
 * and from several processes at once. A configured key that the first team lacks is added, even later; a revoked one
 * stays revoked.
 * @param options.apiKey the configured key; without one a key is generated with the first team
 * @param options.hash computes the stored hash of a key
 */
export function bootstrapFirstTeam(
  em: EntityManager,
  options: { apiKey?: string; hash: (apiKey: string) => string },
): Promise<Bootstrap> {
  return em.fork().transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock(?)', [BOOTSTRAP_LOCK]);
    const [existing] = await tx.find(Team, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: 1 });
    const team = existing ?? createFirstTeam(tx);
    await tx.flush();
    const membership = await tx.findOne(
      Membership,
      { teamId: team.id, role: 'admin' },
      { ...anyTeam, orderBy: { createdAt: 'asc' } },
    );
    const apiKey = options.apiKey ?? (existing ? undefined : generateApiKey());
    if (apiKey === undefined) return { teamId: team.id };
    const hash = options.hash(apiKey);
    if (!(await tx.findOne(Credential, { hash }, anyTeam))) {
      tx.create(Credential, {
        kind: 'key',
        teamId: team.id,
        name: options.apiKey === undefined ? 'First key' : 'Configured key',
        prefix: prefixOf(apiKey),
        hash,
        scopes: ['system:admin'],
        userId: membership?.userId ?? null,
        ...creatorOf(),
      });
    }
    return { teamId: team.id, ...(options.apiKey === undefined && { generatedApiKey: apiKey }) };
  });
}

function createFirstTeam(tx: EntityManager): Team {
  const team = tx.create(Team, { name: 'Default' });
  const user = tx.create(User, { email: 'admin@casebook.invalid' });
  tx.create(Membership, { teamId: team.id, userId: user.id, role: 'admin', name: 'Admin' });
  return team;
}

/**
 * Creates an admin key of the first team: the way back in if every other key is lost. For whoever can reach the
 * database; there is no endpoint for it.
 * @returns the key, which is stored nowhere
 * @throws {Error} if there is no team yet
 */
export async function addAdminKey(
  em: EntityManager,
  options: { name: string; hash: (apiKey: string) => string },
): Promise<string> {
  const tx = em.fork();
  const [team] = await tx.find(Team, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: 1 });
  if (!team) throw new Error('There is no team yet. Start the API once: it creates the first one.');
  const apiKey = generateApiKey();
  tx.create(Credential, {
    kind: 'key',
    teamId: team.id,
    name: options.name,
    prefix: prefixOf(apiKey),
    hash: options.hash(apiKey),
    scopes: ['system:admin'],
    userId: null,
    ...creatorOf(),
  });
  await tx.flush();
  return apiKey;
}
