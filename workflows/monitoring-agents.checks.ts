/** How an agent's workflow tracks a check. Pure. */
import type {
  BeginMonitoringResult,
  CheckState,
  DueTimes,
  PlannedCheck,
  TrackedCheck,
} from '../src/features/monitoring-agents/contract.ts';

/** What a change of settings leaves behind. */
export interface SupersededRun {
  sessionId: string;
  isInstruction: boolean;
}

/** A run that starts later than this missed something: workers were away. */
const LATE_MS = 15_000;

/** The server's clock was set back: due times computed with the later one would leave a check idle for that long. */
export const isFromLater = ({ lastStartedAt }: TrackedCheck, now: number): boolean =>
  lastStartedAt !== undefined && lastStartedAt - now > LATE_MS;

/** It has been due for so long that scheduled times may have passed uncounted. */
export const isLate = ({ isPlanned, isLateKnown, dueAt }: TrackedCheck, now: number): boolean =>
  isPlanned && !isLateKnown && dueAt !== null && now - dueAt > LATE_MS;

/**
 * When a running check is due next, by its interval. The timer set while it runs is then the right one afterwards,
 * which saves two events per run. Silence is detected when that timer fires.
 */
export function probableDue({ dueAt }: TrackedCheck, { schedule }: PlannedCheck, now: number): number | null {
  if (dueAt === null || dueAt > now) return dueAt;
  const next = schedule.every_seconds === undefined ? 0 : dueAt + schedule.every_seconds * 1_000;
  return next > now ? next : null;
}

/** A run knows its next time best. One that waited for a worker only knows times in the past. */
export const isCurrent = ({ dueAt }: DueTimes, now: number): boolean => dueAt === null || now - dueAt <= LATE_MS;

/**
 * Applies due times. For a late check they count what was missed; it stays due for the time it is late for, unless it
 * must not run now.
 */
export function applyDue(tracked: TrackedCheck, due: DueTimes, now: number): void {
  const wasLate = tracked.isPlanned;
  const isDueNow = due.dueAt !== null && due.dueAt <= now;
  tracked.missed = due.missed + (wasLate && isDueNow ? 1 : 0);
  tracked.isLateKnown = wasLate && isDueNow;
  if (!wasLate || !isDueNow) tracked.dueAt = due.dueAt;
  tracked.silentAt ??= due.silentAt;
  tracked.isPlanned = true;
}

/** An instruction check that has not reported by this long after its timeout never will. */
export const LOST_AFTER_MS = 10 * 60_000;

export function newlyTracked(checkId: string): TrackedCheck {
  return {
    checkId,
    dueAt: null,
    silentAt: null,
    isPlanned: false,
    failures: 0,
    isSlow: false,
    budgetSpent: false,
    missed: 0,
    isLateKnown: false,
  };
}

/** A check that was changed, or paused with its agent. Its last result stays if the question is the same. */
export function begunAnew(tracked: TrackedCheck, isSame: boolean): TrackedCheck {
  return { ...newlyTracked(tracked.checkId), ...(isSame ? { last: tracked.last, isSlow: tracked.isSlow } : {}) };
}

/** For the query. @param active whether its agent is */
export const checkState = ({ checkId, dueAt, running, last, failures }: TrackedCheck, active: boolean): CheckState => ({
  checkId,
  dueAt: active ? dueAt : null,
  running: running !== undefined,
  last,
  failures,
});

export const runOf = ({ running }: TrackedCheck): SupersededRun[] =>
  running ? [{ sessionId: running.sessionId, isInstruction: running.isInstruction }] : [];

export const isDue = ({ running, wanted, isPlanned, dueAt }: TrackedCheck, now: number): boolean =>
  !running && (wanted !== undefined || (isPlanned && dueAt !== null && dueAt <= now));

export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Triggers remembered, so that duplicates are dropped. */
const TRIGGERS_KEPT = 1_000;

/** Remembers a trigger and forgets the oldest. */
export function remember(triggers: Set<string>, triggerId: string): void {
  triggers.add(triggerId);
  for (const oldest of triggers) {
    if (triggers.size <= TRIGGERS_KEPT) break;
    triggers.delete(oldest);
  }
}

/** What earlier sessions say about a check that has not run in this history. */
export function recall(tracked: TrackedCheck, earlier: BeginMonitoringResult['earlier']): TrackedCheck {
  const known = earlier[tracked.checkId];
  if (known && tracked.lastStartedAt === undefined) {
    Object.assign(tracked, { lastStartedAt: known.startedAt, lastResultAt: known.resultAt, isPlanned: false });
  }
  return tracked;
}
