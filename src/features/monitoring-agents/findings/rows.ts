/** Rows of findings as the reducer sees them, and the locks under which they are changed. */
import type { EntityManager } from '../../../db/orm.ts';
import { Finding } from '../entities.ts';
import { FLAPPING_WINDOW_MS, type FindingState } from './reduce.ts';

/**
 * Observations of one agent are applied one after the other, also those of a finding that no row stands for yet.
 * @param em in a transaction; the lock ends with it
 * @param owner the agent's id, or the team's for alerts that belong to no agent
 */
export async function lockFindings(em: EntityManager, owner: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`findings:${owner}`]);
}

/** The findings of these keys that are not closed, by key. @param em holds the lock of their owner */
export async function currentFindings(
  em: EntityManager,
  agentId: string | null,
  keys: readonly string[],
): Promise<Map<string, Finding>> {
  const rows = await em.find(Finding, { agentId, dedupKey: { $in: [...keys] }, status: { $ne: 'closed' } });
  return new Map(rows.map((row) => [row.dedupKey, row]));
}

/** When findings opened lately that are closed by now, for each of the keys; unix milliseconds. */
export async function recentOpens(
  em: EntityManager,
  agentId: string | null,
  keys: readonly string[],
  at: number,
): Promise<Map<string, number[]>> {
  const opens = new Map<string, number[]>(keys.map((key) => [key, []]));
  if (keys.length === 0) return opens;
  const since = at - FLAPPING_WINDOW_MS;
  const closed = await em.find(
    Finding,
    { agentId, dedupKey: { $in: [...keys] }, status: 'closed', closedAt: { $gt: new Date(since) } },
    { fields: ['dedupKey', 'opens'], orderBy: { closedAt: 'asc' }, disableIdentityMap: true },
  );
  // The last one of a key has what those before it had.
  for (const row of closed)
    opens.set(
      row.dedupKey,
      row.opens.filter((time) => time > since),
    );
  return opens;
}

/**
 * Many tools never say that an alert is over: one that was not sent for so long is, and the next one is news again.
 * Alertmanager repeats what is firing every four hours unless it is told otherwise.
 */
const ALERT_SILENCE_MS = 24 * 3_600_000;

export function stateOf(row: Finding): FindingState {
  const { status, sources, opens, isFlapping, occurrences, coolDownSeconds, revision } = row;
  return {
    status,
    sources,
    opens,
    isFlapping,
    occurrences,
    coolDownSeconds,
    revision,
    openedAt: row.openedAt?.getTime() ?? null,
    resolvedAt: row.resolvedAt?.getTime() ?? null,
    closedAt: row.closedAt?.getTime() ?? null,
    lastSeenAt: row.lastSeenAt.getTime(),
    ...(row.origin === 'alert' && { silenceMs: ALERT_SILENCE_MS }),
  };
}

/** A state as the columns that hold it. */
export function columnsOf(state: FindingState) {
  const { status, sources, opens, isFlapping, occurrences, coolDownSeconds, revision } = state;
  return {
    status,
    sources,
    opens,
    isFlapping,
    occurrences,
    coolDownSeconds,
    revision,
    openedAt: dateOf(state.openedAt),
    resolvedAt: dateOf(state.resolvedAt),
    closedAt: dateOf(state.closedAt),
    lastSeenAt: new Date(state.lastSeenAt),
  };
}

const dateOf = (time: number | null): Date | null => (time === null ? null : new Date(time));
