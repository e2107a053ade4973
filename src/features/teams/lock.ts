import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import { Team } from './entities.ts';

/**
 * Makes changes to who may manage a team happen one after the other, until the transaction ends: two admins who
 * remove each other at the same moment must not both succeed.
 */
export async function lockTeam(tx: EntityManager, teamId: string): Promise<Team> {
  return tx.findOneOrFail(Team, { id: teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}
