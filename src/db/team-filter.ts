import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Forks an entity manager bound to one team: one per request and per activity attempt.
 * @param em any entity manager of the ORM
 * @param teamId the team whose rows it may read
 */
export function forTeam(em: EntityManager, teamId: string): EntityManager {
  const fork = em.fork();
  fork.setFilterParams('team', { teamId });
  return fork;
}

/** Query option for the few places that deliberately work across teams (authentication, sweeper, bootstrap). */
export const anyTeam = { filters: { team: false } } as const;
