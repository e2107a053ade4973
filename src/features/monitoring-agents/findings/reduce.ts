/**
 * How a finding stands, by what its sources report. Pure: rows, locks and messages are elsewhere.
 *
 * A finding has sources (a subject of a check, an alert, the agent's health). One source that reports it often enough in
 * a row opens it; it is over when none of them holds it open any more; one that comes back within its cool-down is the
 * same; one that comes and goes is flapping, and only that is told until it has stayed as it is for a while.
 */
import type { FindingStatus } from '../contract.ts';
import type { FindingSource } from '../entities.ts';

/** Opened so often within the window, it is flapping. */
export const FLAPPING_OPENS = 4;
/** The window, and how long it must stay as it is to be calm again, ms. */
export const FLAPPING_WINDOW_MS = 3_600_000;
/** Most sources of one finding; those that are over go first. */
export const MOST_SOURCES = 500;
const MOST_OPENS = 20;

/** What decides how a finding goes on. Times in unix milliseconds. */
export interface FindingState {
  status: FindingStatus;
  sources: Record<string, FindingSource>;
  openedAt: number | null;
  resolvedAt: number | null;
  closedAt: number | null;
  /** When it opened, the newest last. */
  opens: number[];
  isFlapping: boolean;
  /** Reports that found it. */
  occurrences: number;
  lastSeenAt: number;
  coolDownSeconds: number;
  /** Grows with every change that people or the workflow should hear of; 0 while it is pending. */
  revision: number;
  /** Not heard of for so long it is over, ms; absent: somebody is sure to say so. */
  silenceMs?: number;
}

/** What one source says. */
export interface FindingReport {
  source: string;
  isFinding: boolean;
  text: string;
  /** Unix milliseconds. */
  at: number;
  /** The same session says the same: a repetition changes nothing. */
  sessionId?: string;
  policy: FindingPolicy;
}

export interface FindingPolicy {
  /** Reports in a row, of one source, that open it. */
  confirmations: number;
  /** Reports in a row after which a source does not hold it open any more. */
  recoveries: number;
  coolDownSeconds: number;
}

/**
 * What became of it. `none`: nothing is different. `pending`: noted, nobody hears of it. `seen`: it is still there.
 * `dropped`: it was not confirmed, nothing is left of it. `closed`: its cool-down is over.
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
  /** Undefined: there is none. */
  state: FindingState | undefined;
  change: FindingChange;
}

/** Whether people hear of a change: of a finding that is flapping they hear that, and no more. */
export function isNews({ state, change }: Reduced): boolean {
  if (change === 'opened' || change === 'flapping' || change === 'calmed') return true;
  return (change === 'resolved' || change === 'reopened') && state?.isFlapping === false;
}

/** Whether the workflow is to look at it. */
export const isChanged = (before: FindingState | undefined, after: FindingState | undefined): boolean =>
  (after?.revision ?? 0) > (before?.revision ?? 0);

/**
 * Takes one report.
 * @param state undefined: there is no finding of this key
 * @param recentOpens when earlier findings of the key opened that are closed by now; unix milliseconds
 * @returns `closed` for a report that finds it after its cool-down: it is to be taken once more, without a finding
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
  // They come one after the other: one that says that it is older comes from another clock, or one that was set back.
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

/** All that time has changed until a moment. */
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
 * What time alone changes: a cool-down ends, one that was flapping is calm, one that nobody speaks of is over.
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

/** When {@link settle} next changes something, unix milliseconds; null: never, by itself. */
export function settlesAt(state: FindingState): number | null {
  const calmAt = state.isFlapping ? lastTransition(state) + FLAPPING_WINDOW_MS : Infinity;
  const earliest = Math.min(calmAt, coolDownEndsAt(state) ?? Infinity, forgottenAt(state) ?? Infinity);
  return (state.status === 'open' || state.status === 'resolved') && Number.isFinite(earliest) ? earliest : null;
}

/** When one that is open is over because nobody has spoken of it, unix milliseconds. */
function forgottenAt({ status, lastSeenAt, silenceMs }: FindingState): number | null {
  return status === 'open' && silenceMs !== undefined ? lastSeenAt + silenceMs : null;
}

const silent = (sources: Record<string, FindingSource>): Record<string, FindingSource> =>
  Object.fromEntries(
    Object.entries(sources).map(([key, source]) => [key, { ...source, isFailing: false, streak: 1, isOver: true }]),
  );

/** One that is flapping is the same for the whole window: closing it would make its next return news. */
export function coolDownEndsAt({ status, resolvedAt, coolDownSeconds, isFlapping }: FindingState): number | null {
  if (status !== 'resolved' || resolvedAt === null) return null;
  return resolvedAt + Math.max(coolDownSeconds * 1_000, isFlapping ? FLAPPING_WINDOW_MS : 0);
}

/** Sources that nobody reports any more hold nothing open. @param isGone by the source's key */
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
  return {
    isFailing: isFinding,
    streak,
    text,
    at,
    ...(sessionId !== undefined && { sessionId }),
    ...(!isFinding && streak >= policy.recoveries && { isOver: true }),
  };
}

function open(state: FindingState, at: number): Reduced {
  const opens = [...state.opens, at].slice(-MOST_OPENS);
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

/** Ends what no source holds open any more. */
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
  if (entries.length <= MOST_SOURCES) return sources;
  const rank = ({ isOver, at }: FindingSource): number => (isOver ? at : at + Number.MAX_SAFE_INTEGER / 2);
  return Object.fromEntries(entries.sort(([, a], [, b]) => rank(b) - rank(a)).slice(0, MOST_SOURCES));
}
