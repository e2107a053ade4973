/** What is told once for a key: a repetition finds it, and one that comes at the same moment waits. */
import { randomUUID } from 'node:crypto';
import { Conflict } from '../../../http/errors.ts';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { anyTeam } from '../../../db/team-filter.ts';
import { MonitoringTrigger } from './entities.ts';
import type { AgentTold } from './port.ts';

export interface WantedTrigger {
  teamId: string;
  key: string;
  kind: MonitoringTrigger['kind'];
  /** Of the request: the key of another one is refused. Absent: whatever comes under the key is the same. */
  digest?: string;
  details: Record<string, unknown>;
  now: Date;
  /** For how long a repetition is one; absent: for as long as it is stored. */
  windowMs?: number;
}

export interface ClaimedTrigger {
  /** The same for every repetition: an agent that has heard of it leaves it out. */
  triggerId: string;
  /** Whom it was told before; null: nobody, or not everybody. */
  told: AgentTold[] | null;
}

/**
 * Takes a key, or finds out what became of it. Whoever took it and did not get to tell it leaves it to the repetition.
 * @param em bound to the team; the claim is committed when this resolves
 * @throws {Conflict} when the key stands for another request
 */
export async function claimTrigger(em: EntityManager, wanted: WantedTrigger): Promise<ClaimedTrigger> {
  const { teamId, key, kind, digest = '', details, now, windowMs } = wanted;
  return em.fork().transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`trigger:${teamId}:${key}`]);
    const found = await tx.findOne(MonitoringTrigger, { key });
    const isOver = found && windowMs !== undefined && now.getTime() - found.receivedAt.getTime() >= windowMs;
    if (found && !isOver) {
      if (found.digest !== digest) throw keyReused();
      return { triggerId: found.triggerId, told: found.told };
    }
    const fresh = { triggerId: randomUUID(), digest, details, receivedAt: now, told: null };
    if (found) tx.assign(found, fresh, { mergeObjectProperties: false });
    else tx.create(MonitoringTrigger, { teamId, key, kind, ...fresh });
    return { triggerId: fresh.triggerId, told: null };
  });
}

const keyReused = (): Conflict =>
  new Conflict('This Idempotency-Key was used before with another request.', 'idempotency_key_reused');

/** Everybody has heard of it. */
export async function triggerTold(em: EntityManager, triggerId: string, told: AgentTold[]): Promise<void> {
  await em.nativeUpdate(MonitoringTrigger, { triggerId, told: null }, { told, updatedAt: new Date() });
}

/** Deletes, of all teams, what came before a moment. @returns how many */
export function purgeTriggers({ em }: Pick<Orm, 'em'>, before: Date): Promise<number> {
  return em.fork().nativeDelete(MonitoringTrigger, { receivedAt: { $lt: before } }, anyTeam);
}
