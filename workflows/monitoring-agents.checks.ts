/** A check as an agent's workflow keeps track of it. Pure. */
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

/** A run that begins later than this has missed something: workers were away. */
const LATE_MS = 15_000;

/** The server's clock was set back: due times made by the later one would leave a check alone for as long. */
export const isFromLater = ({ lastStartedAt }: TrackedCheck, now: number): boolean =>
  lastStartedAt !== undefined && lastStartedAt - now > LATE_MS;

/** It is due for so long that scheduled times may have passed since, and nobody has counted them yet. */
export const isLate = ({ isPlanned, isLateKnown, dueAt }: TrackedCheck, now: number): boolean =>
  isPlanned && !isLateKnown && dueAt !== null && now - dueAt > LATE_MS;

/**
 * When a check that runs is due next, as far as its interval tells: the timer that is set while it runs is then the one that
 * is wanted afterwards, which saves two events of each run. Whether it is silent is seen when that timer ends.
 */
export function probableDue({ dueAt }: TrackedCheck, { schedule }: PlannedCheck, now: number): number | null {
  if (dueAt === null || dueAt > now) return dueAt;
  const next = schedule.every_seconds === undefined ? 0 : dueAt + schedule.every_seconds * 1_000;
  return next > now ? next : null;
}

/** What a run says of its next time holds. One that waited for a worker knows only times that are over. */
export const isCurrent = ({ dueAt }: DueTimes, now: number): boolean => dueAt === null || now - dueAt <= LATE_MS;

/**
 * Takes due times. For a check that is late they count what was missed; it stays due for the time it is late for, unless
 * it must not be run now.
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

/** An instruction check that has not reported so long after its time was over will not. */
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

/** A check that was changed, or was paused with its agent. What it said stays known when it asks the same. */
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

/** Triggers remembered, so that one that is sent twice is taken once. */
const TRIGGERS_KEPT = 1_000;

/** Adds a trigger to those that were taken, and forgets the oldest. */
export function remember(triggers: Set<string>, triggerId: string): void {
  triggers.add(triggerId);
  for (const oldest of triggers) {
    if (triggers.size <= TRIGGERS_KEPT) break;
    triggers.delete(oldest);
  }
}

/** What sessions of earlier runs of the workflow say of a check that has not run in this one. */
export function recall(tracked: TrackedCheck, earlier: BeginMonitoringResult['earlier']): TrackedCheck {
  const known = earlier[tracked.checkId];
  if (known && tracked.lastStartedAt === undefined) {
    Object.assign(tracked, { lastStartedAt: known.startedAt, lastResultAt: known.resultAt, isPlanned: false });
  }
  return tracked;
}
