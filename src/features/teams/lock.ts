import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../http/authenticate.ts';
import { Unauthorized } from '../../http/errors.ts';
import { ApiKey, Team } from './entities.ts';

/**
 * Makes changes to who may manage a team happen one after the other, until the transaction ends: two admins who
 * remove each other at the same moment must not both succeed.
 */
export async function lockTeam(tx: EntityManager, teamId: string): Promise<Team> {
  return tx.findOneOrFail(Team, { id: teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/**
 * For a caller who makes a credential: one that was revoked may be believed for two seconds more, and must not make what
 * stays.
 * @returns the caller's key or session
 * @throws {Unauthorized} when it was revoked
 */
export async function lockTeamFor(tx: EntityManager, principal: Principal): Promise<ApiKey> {
  await lockTeam(tx, principal.teamId);
  const caller = await tx.findOne(ApiKey, { id: principal.sessionId ?? principal.apiKeyId, revokedAt: null });
  if (!caller) throw new Unauthorized('The API key or session was revoked.');
  return caller;
}
