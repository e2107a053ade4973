/**
 * A finding's state from the reports of its sources. Pure: rows, locks and messages are elsewhere.
 * A finding has sources (a subject of a check, an alert, the agent's health). A source that reports it often enough in
 * a row opens it. It is over when no source holds it open any longer. If it comes back within its cool-down, it is the
 * same finding. If it keeps coming and going, it is flapping, and people hear only of that until it has been stable for
 * a while.
 */
import type { FindingStatus } from '../contract.ts';
import type { FindingSource } from '../entities.ts';

/** Opens within the window that make it flapping. */
export const FLAPPING_OPENS = 4;
/** The window, and how long it must be stable to be calm again, ms. */
export const FLAPPING_WINDOW_MS = 3_600_000;
/** Maximum sources of one finding; resolved ones are dropped first. */
export const MAX_SOURCES = 500;
const MAX_OPENS = 20;
/** Times at fault that a source remembers. */
const MAX_FAULTS = 20;

/** The state that decides how a finding proceeds. Times in unix milliseconds. */
export interface FindingState {
  status: FindingStatus;
  sources: Record<string, FindingSource>;
  openedAt: number | null;
  resolvedAt: number | null;
  closedAt: number | null;
  /** Times at which it opened, the newest last. */
  opens: number[];
  isFlapping: boolean;
  /** Number of reports that found it. */
  occurrences: number;
  lastSeenAt: number;
  coolDownSeconds: number;
  /** Incremented by every change that people or the workflow should hear of; 0 while it is pending. */
  revision: number;
  /** It is over after this much silence, ms; absent: its source always reports the end. */
  silenceMs?: number;
}

/** One source's report. */
export interface FindingReport {
  source: string;
  isFinding: boolean;
  text: string;
  /** Unix milliseconds. */
  at: number;
  /** A repetition by the same session changes nothing. */
  sessionId?: string;
  policy: FindingPolicy;
}

export interface FindingPolicy {
  /** Consecutive reports of one source that open it. */
  confirmations: number;
  /** Consecutive all-clear reports after which a source no longer holds it open. */
  recoveries: number;
  coolDownSeconds: number;
}

/**
 * The effect of a report. `none`: no change. `pending`: recorded, nobody is notified. `seen`: it is still open.
 * `dropped`: it was not confirmed, and is deleted. `closed`: its cool-down is over.
 */
export type FindingChange =
  | 'none'
  | 'pending'
  | 'seen'
  | 'opened'
  | 'resolved'
  | 'reopened'
  | 'flapping'
  | 'calmed'
  | 'dropped'
  | 'closed';

export interface Reduced {
  /** Undefined: no finding. */
  state: FindingState | undefined;
  change: FindingChange;
}

/** Whether people hear of a change: while a finding is flapping they hear only of that. */
export function isNews({ state, change }: Reduced): boolean {
  if (change === 'opened' || change === 'flapping' || change === 'calmed') return true;
  return (change === 'resolved' || change === 'reopened') && state?.isFlapping === false;
}

/** Whether the workflow should look at it. */
export const isChanged = (before: FindingState | undefined, after: FindingState | undefined): boolean =>
  (after?.revision ?? 0) > (before?.revision ?? 0);

/**
 * Applies one report.
 * @param state undefined: no finding has this key
 * @param recentOpens opens of earlier findings of the key that are now closed; unix milliseconds
 * @returns `closed` for a report that finds it after its cool-down: apply the report again, without a finding
 */
export function reduce(
  state: FindingState | undefined,
  given: FindingReport,
  recentOpens: readonly number[] = [],
): Reduced {
  if (!state || state.status === 'closed')
    return given.isFinding ? begin(given, recentOpens) : { state, change: 'none' };
  const known = state.sources[given.source];
  const isRepeated = given.sessionId !== undefined && known?.sessionId === given.sessionId;
  if (isRepeated) return { state, change: 'none' };
  // Reports arrive in order: an older timestamp comes from another clock, or from one that was set back.
  const report = { ...given, at: Math.max(given.at, known?.at ?? 0) };
  if (!report.isFinding && (!known || known.isOver)) return { state, change: 'none' };

  const settled = settleThrough(state, report.at);
  if (settled.change === 'closed' && report.isFinding) return settled;
  const now = settled.change === 'closed' ? state : settled.state!;
  const calmed: FindingChange | undefined = settled.change === 'calmed' ? 'calmed' : undefined;

  const source = heard(now.sources[report.source], report);
  const { coolDownSeconds } = report.policy;
  const heardOf = { ...now, coolDownSeconds, sources: bounded({ ...now.sources, [report.source]: source }) };
  if (!report.isFinding) {
    const without = release(heardOf, report.at);
    return without.change === 'none' ? { state: heardOf, change: calmed ?? 'pending' } : without;
  }
  const seen = { ...heardOf, occurrences: now.occurrences + 1, lastSeenAt: Math.max(now.lastSeenAt, report.at) };
  if (now.status === 'open') return { state: seen, change: calmed ?? 'seen' };
  return source.streak >= report.policy.confirmations
    ? open(seen, report.at)
    : { state: seen, change: calmed ?? 'pending' };
}

/**
 * Applies a report to a finding that a person closed while some of its sources were failing. They open nothing new until
 * they are over; what was not failing then is about something else.
 * @returns undefined when the report is not about such a source
 */
export function reduceHeld(
  state: FindingState,
  report: FindingReport,
): { sources: FindingState['sources']; isHeld: boolean } | undefined {
  const known = state.sources[report.source];
  if (!known || known.isOver) return undefined;
  if (state.silenceMs !== undefined && report.at - known.at >= state.silenceMs) return undefined;
  const isRepeated = report.sessionId !== undefined && known.sessionId === report.sessionId;
  const sources = isRepeated ? state.sources : { ...state.sources, [report.source]: heard(known, report) };
  return { sources, isHeld: isAnyFailing(sources) };
}

/** Whether a source still holds its finding. */
export const isAnyFailing = (sources: FindingState['sources']): boolean =>
  Object.values(sources).some(({ isOver }) => !isOver);

/** All changes by time alone up to a moment. */
function settleThrough(state: FindingState, at: number): Reduced {
  let settled: Reduced = { state, change: 'none' };
  for (;;) {
    const next = settle(settled.state!, at);
    if (next.change === 'none') return settled;
    settled = next;
    if (next.change === 'closed') return settled;
  }
}

/**
 * The change by time alone: a cool-down ends, a flapping finding is calm, a silent one is over.
 * @param at unix milliseconds
 */
export function settle(state: FindingState, at: number): Reduced {
  const due = settlesAt(state);
  if (due === null || at < due) return { state, change: 'none' };
  if (due === forgottenAt(state)) return release({ ...state, sources: silent(state.sources) }, due);
  const calm = { ...state, isFlapping: false, revision: state.revision + 1 };
  if (state.status === 'resolved' && at >= coolDownEndsAt(state)!)
    return { state: { ...calm, status: 'closed', closedAt: at }, change: 'closed' };
  return { state: calm, change: 'calmed' };
}

/** When {@link settle} next changes something, unix milliseconds; null: never. */
export function settlesAt(state: FindingState): number | null {
  const calmAt = state.isFlapping ? lastTransition(state) + FLAPPING_WINDOW_MS : Infinity;
  const earliest = Math.min(calmAt, coolDownEndsAt(state) ?? Infinity, forgottenAt(state) ?? Infinity);
  return (state.status === 'open' || state.status === 'resolved') && Number.isFinite(earliest) ? earliest : null;
}

/** When silence ends an open finding, unix milliseconds. */
function forgottenAt({ status, lastSeenAt, silenceMs }: FindingState): number | null {
  return status === 'open' && silenceMs !== undefined ? lastSeenAt + silenceMs : null;
}

const silent = (sources: Record<string, FindingSource>): Record<string, FindingSource> =>
  Object.fromEntries(
    Object.entries(sources).map(([key, source]) => [key, { ...source, isFailing: false, streak: 1, isOver: true }]),
  );

/** A flapping finding stays the same for the whole window: if it closed, its next return would be news. */
export function coolDownEndsAt({ status, resolvedAt, coolDownSeconds, isFlapping }: FindingState): number | null {
  if (status !== 'resolved' || resolvedAt === null) return null;
  return resolvedAt + Math.max(coolDownSeconds * 1_000, isFlapping ? FLAPPING_WINDOW_MS : 0);
}

/** Sources that are no longer reported hold nothing open. @param isGone by the source's key */
export function forget(state: FindingState, isGone: (source: string) => boolean, at: number): Reduced {
  const kept = Object.entries(state.sources).filter(([key]) => !isGone(key));
  if (kept.length === Object.keys(state.sources).length) return { state, change: 'none' };
  const rest = { ...state, sources: Object.fromEntries(kept) };
  const released = release(rest, at);
  return released.change === 'none' ? { state: rest, change: 'pending' } : released;
}

function begin(report: FindingReport, recentOpens: readonly number[]): Reduced {
  const { coolDownSeconds, confirmations } = report.policy;
  const state: FindingState = {
    status: 'pending',
    sources: { [report.source]: heard(undefined, report) },
    openedAt: null,
    resolvedAt: null,
    closedAt: null,
    opens: [...recentOpens],
    isFlapping: false,
    occurrences: 1,
    lastSeenAt: report.at,
    coolDownSeconds,
    revision: 0,
  };
  return confirmations <= 1 ? open(state, report.at) : { state, change: 'pending' };
}

function heard(known: FindingSource | undefined, report: FindingReport): FindingSource {
  const { isFinding, text, sessionId, at, policy } = report;
  const streak = known?.isFailing === isFinding ? known.streak + 1 : 1;
  const isOver = !isFinding && streak >= policy.recoveries;
  return {
    isFailing: isFinding,
    streak,
    text,
    at,
    ...(sessionId !== undefined && { sessionId }),
    ...(isOver && { isOver }),
    faults: faultsAfter(known?.faults ?? [], { isFinding, isOver, at }),
  };
}

/** A fault lasts from the first report that finds it to the one with which it is over. */
function faultsAfter(
  faults: NonNullable<FindingSource['faults']>,
  { isFinding, isOver, at }: { isFinding: boolean; isOver: boolean; at: number },
): NonNullable<FindingSource['faults']> {
  const last = faults.at(-1);
  const isOpen = last?.[1] === null;
  if (isFinding && !isOpen) return [...faults, [at, null] satisfies [number, null]].slice(-MAX_FAULTS);
  return isOver && isOpen ? [...faults.slice(0, -1), [last[0], at]] : faults;
}

function open(state: FindingState, at: number): Reduced {
  const opens = [...state.opens, at].slice(-MAX_OPENS);
  const often = opens.filter((time) => at - time < FLAPPING_WINDOW_MS).length >= FLAPPING_OPENS;
  const opened: FindingState = {
    ...state,
    status: 'open',
    openedAt: state.openedAt ?? at,
    resolvedAt: null,
    opens,
    isFlapping: state.isFlapping || often,
    revision: state.revision + 1,
  };
  if (often && !state.isFlapping) return { state: opened, change: 'flapping' };
  return { state: opened, change: state.openedAt === null ? 'opened' : 'reopened' };
}

/** Ends a finding that no source holds open any longer. */
function release(state: FindingState, at: number): Reduced {
  const sources = Object.values(state.sources);
  if (state.status === 'pending')
    return sources.some(({ isFailing }) => isFailing)
      ? { state, change: 'none' }
      : { state: undefined, change: 'dropped' };
  if (state.status !== 'open' || !sources.every(({ isOver }) => isOver)) return { state, change: 'none' };
  return { state: { ...state, status: 'resolved', resolvedAt: at, revision: state.revision + 1 }, change: 'resolved' };
}

const lastTransition = ({ opens, resolvedAt }: FindingState): number => Math.max(opens.at(-1) ?? 0, resolvedAt ?? 0);

function bounded(sources: Record<string, FindingSource>): Record<string, FindingSource> {
  const entries = Object.entries(sources);
  if (entries.length <= MAX_SOURCES) return sources;
  const rank = ({ isOver, at }: FindingSource): number => (isOver ? at : at + Number.MAX_SAFE_INTEGER / 2);
  return Object.fromEntries(entries.sort(([, a], [, b]) => rank(b) - rank(a)).slice(0, MAX_SOURCES));
}
