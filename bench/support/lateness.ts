import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

export interface Lateness {
  /** From the time that a check was due to the begin of its session, ms; of one that is not begun yet until now. */
  lateMs: number[];
  notBegun: number;
}

/** Checks that are begun by then are not late because somebody counted them too early. */
const GRACE_MS = 5_000;

/** How late the checks were that were due in a period. @param period unix milliseconds */
export async function lateness(
  database: Client,
  { agentIds, from, to, signal }: { agentIds: readonly string[]; from: number; to: number; signal: AbortSignal },
): Promise<Lateness> {
  await sleep(GRACE_MS, undefined, { signal });
  const period = [agentIds, new Date(from), new Date(to)];
  const begun = await database.query<{ ms: string }>(
    `select extract(epoch from started_at - scheduled_at) * 1000 as ms from monitoring_sessions
      where agent_id = any($1) and scheduled_at >= $2 and scheduled_at < $3`,
    period,
  );
  const waiting = await database.query<{ ms: string }>(
    `select extract(epoch from now() - next_due_at) * 1000 as ms from monitoring_agents
      where id = any($1) and next_due_at >= $2 and next_due_at < $3`,
    period,
  );
  const ms = ({ rows }: { rows: { ms: string }[] }): number[] => rows.map((row) => Number(row.ms));
  return { lateMs: [...ms(begun), ...ms(waiting)], notBegun: waiting.rows.length };
}
