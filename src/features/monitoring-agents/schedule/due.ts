import type { DueTimes, ScheduleChecksInput, ScheduleChecksResult } from '../contract.ts';
import type { Schedule } from '../plan/schema.ts';
import { isQuiet } from './quiet.ts';
import { countTimes, nextTime, nextTimes } from './times.ts';

const LEAST_GRACE_MS = 10_000;
const MAX_GRACE_MS = 5 * 60_000;

/** What is known of a check when it is planned. Times in unix milliseconds. */
export interface DueInput {
  agentId: string;
  checkId: string;
  now: number;
  /** When its last run was due, or started. Absent: it has not run. */
  lastScheduledAt?: number | undefined;
  lastResultAt?: number | undefined;
}

/**
 * When a check is due. Pure: `now` is the only clock.
 * - A check that has not run, or whose schedule was changed, is due at once, or after quiet hours.
 * - Otherwise it is due at the first scheduled time after its last run. If that has passed, it is due at once, and
 *   once: `missed` counts the other times that passed. In quiet hours nothing is due: then all times that passed were
 *   missed.
 * - A last run that lies further in the future than the next scheduled time (a clock was set back) counts as now.
 * - It is silent after the third scheduled time since its last result (or since now, without one), plus a grace period
 *   of a tenth of the interval, 10 s to 5 min.
 */
export function dueTimes(schedule: Schedule, input: DueInput): DueTimes {
  const { agentId, lastResultAt, lastScheduledAt } = input;
  const now = Math.floor(input.now);
  const silentAt = silentAfter(schedule, agentId, Math.min(lastResultAt ?? now, now));
  const last = lastScheduledAt === undefined ? undefined : trustedLast(schedule, agentId, lastScheduledAt, now);
  const mayRunNow = !isQuiet(schedule, now);
  if (last === undefined) return { dueAt: mayRunNow ? now : nextTime(schedule, agentId, now), silentAt, missed: 0 };
  const next = nextTime(schedule, agentId, last);
  if (next === null || next > now) return { dueAt: next, silentAt, missed: 0 };
  const passed = countTimes(schedule, agentId, last, now);
  return mayRunNow
    ? { dueAt: now, silentAt, missed: Math.max(0, passed - 1) }
    : { dueAt: nextTime(schedule, agentId, now), silentAt, missed: passed };
}

/** {@link dueTimes} of several checks of an agent, by check. */
export function scheduleChecks({ agentId, now, checks }: ScheduleChecksInput): ScheduleChecksResult {
  return Object.fromEntries(
    checks.map(({ checkId, schedule, lastScheduledAt, lastResultAt }) => [
      checkId,
      dueTimes(schedule, { agentId, checkId, now, lastScheduledAt, lastResultAt }),
    ]),
  );
}

/** A last run in the future would keep the check silent until then. */
function trustedLast(schedule: Schedule, agentId: string, last: number, now: number): number {
  if (last <= now) return last;
  const next = nextTime(schedule, agentId, now);
  return next !== null && last > next ? now : last;
}

function silentAfter(schedule: Schedule, agentId: string, since: number): number | null {
  const [, before, third] = nextTimes(schedule, agentId, since, 3);
  if (before === undefined || third === undefined) return null;
  const grace = Math.min(MAX_GRACE_MS, Math.max(LEAST_GRACE_MS, (third - before) / 10));
  return Math.round(third + grace);
}
