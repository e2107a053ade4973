/**
 * What an investigation's sources covered: what was asked, what answered, what did not or is not connected, and what that
 * leaves open. Pure; the model has no say in it.
 */
import { isRecorded, type SourceCapability } from '../../sources/index.ts';
import { haveSourcesFailed, type SourceAnswer } from '../../tools/index.ts';

/** A kind of evidence about an incident, as sources offer it. */
export const SIGNALS = ['metrics', 'logs', 'traces', 'changes', 'dependencies'] as const;
export type Signal = (typeof SIGNALS)[number];

/** A source of the team, as it described itself. */
export interface CoveredSource {
  id: string;
  capabilities: readonly SourceCapability[];
  /** Why it could not describe itself. */
  error?: string;
}

/** One query of a source, or of another system that the team has connected. */
export interface CoveredCall {
  answer: SourceAnswer;
  /** Absent for the tools of connected systems. */
  capability?: SourceCapability;
  source?: string;
  /** The result in one line. */
  digest: string;
}

interface Counts {
  /** Queries made. */
  asked: number;
  /** Queries that brought data. */
  answered: number;
  /** Queries that were not answered. */
  failed: number;
}

export interface SignalCoverage extends Counts {
  signal: Signal;
  /** `empty`: it was asked for, and there was none; `not_connected`: no source offers it. */
  status: 'answered' | 'empty' | 'failed' | 'not_asked' | 'not_connected';
  /** Sources that offer it. */
  sources: string[];
  /** What is not known for lack of it; null if it answered every time. */
  leavesOpen: string | null;
}

export interface SourceCoverage extends Counts {
  source: string;
  recorded: boolean;
  /** Why it did not answer, in its words; null if it did. */
  error: string | null;
}

export interface Coverage {
  /** `no_sources`: the team has none; `sources_failed`: none that was asked answered. */
  outcome: 'answered' | 'nothing_found' | 'no_sources' | 'sources_failed';
  signals: SignalCoverage[];
  sources: SourceCoverage[];
}

/** What is unknown without a signal. */
const UNKNOWN: Record<Signal, string> = {
  metrics: 'changes of latency, errors and resources are unknown',
  logs: 'logged errors are unknown',
  traces: 'slow and failed operations are unknown',
  changes: 'a deploy or configuration change is not ruled out as the trigger',
  dependencies: 'calls between services are unknown',
};

const TITLES: Record<Signal, string> = {
  metrics: 'Metrics',
  logs: 'Logs',
  traces: 'Traces',
  changes: 'Changes',
  dependencies: 'Dependencies',
};

export const titleOfSignal = (signal: Signal): string => TITLES[signal];

/** @param sources those of the team; @param calls queries that were completed, in order */
export function coverageOf(sources: readonly CoveredSource[], calls: readonly CoveredCall[]): Coverage {
  const covered = [...sources, ...unlisted(sources, calls)].map((source) => sourceCoverage(source, calls));
  const signals = SIGNALS.map((signal) => signalCoverage(signal, sources, calls));
  return { outcome: outcomeOf(covered, calls), signals, sources: covered };
}

/** Systems that were queried and are no telemetry source, or no longer one. A source that a model made up is neither. */
function unlisted(sources: readonly CoveredSource[], calls: readonly CoveredCall[]): CoveredSource[] {
  const listed = new Set(sources.map(({ id }) => id));
  const queried = calls.flatMap(({ source, capability, answer }) =>
    source === undefined || listed.has(source) || (capability !== undefined && answer === 'refused') ? [] : [source],
  );
  return [...new Set(queried)].map((id) => ({ id, capabilities: [] }));
}

function outcomeOf(covered: readonly SourceCoverage[], calls: readonly CoveredCall[]): Coverage['outcome'] {
  if (calls.some(({ answer }) => answer === 'data')) return 'answered';
  // Of earlier runs it is not stored which system a tool queried.
  if (covered.length === 0 && calls.every(({ source }) => source !== undefined)) return 'no_sources';
  if (calls.some(({ answer }) => answer === 'nothing')) return 'nothing_found';
  const isDown = haveSourcesFailed(calls.map(({ answer }) => answer));
  const isNoneThere = calls.length === 0 && covered.every(({ error }) => error !== null);
  return isDown || isNoneThere ? 'sources_failed' : 'nothing_found';
}

function sourceCoverage({ id, error }: CoveredSource, calls: readonly CoveredCall[]): SourceCoverage {
  const own = calls.filter(({ source }) => source === id);
  const lost = own.findLast(({ answer }) => answer === 'unavailable');
  const counts = countsOf(own);
  const why = counts.answered > 0 ? undefined : (lost?.digest.replace(/^Error: /u, '') ?? error);
  return { source: id, recorded: isRecorded(id), ...counts, error: why ?? null };
}

function signalCoverage(
  signal: Signal,
  sources: readonly CoveredSource[],
  calls: readonly CoveredCall[],
): SignalCoverage {
  const offering = sources.filter(({ capabilities }) => capabilities.some((one) => signalOf(one) === signal));
  const own = calls.filter(({ capability }) => capability !== undefined && signalOf(capability) === signal);
  const counts = countsOf(own);
  const status = statusOf(counts, own, offering.length);
  return {
    signal,
    status,
    sources: offering.map(({ id }) => id),
    ...counts,
    leavesOpen: leavesOpen(signal, status, counts),
  };
}

function statusOf(
  { asked, answered }: Counts,
  own: readonly CoveredCall[],
  offering: number,
): SignalCoverage['status'] {
  if (answered > 0) return 'answered';
  if (asked === 0) return offering > 0 ? 'not_asked' : 'not_connected';
  return own.some(({ answer }) => answer === 'nothing') ? 'empty' : 'failed';
}

function leavesOpen(signal: Signal, status: SignalCoverage['status'], { asked, failed }: Counts): string | null {
  const said: Record<SignalCoverage['status'], string> = {
    answered: `${failed} of ${asked} queries failed`,
    empty: 'nothing found',
    failed: 'all queries failed',
    not_asked: 'not checked',
    not_connected: 'not connected',
  };
  if (status === 'answered') return failed === 0 ? null : `${capital(said.answered)}; some data may be missing.`;
  return `${capital(said[status])}: ${UNKNOWN[signal]}.`;
}

const signalOf = (capability: SourceCapability): SourceCapability => (capability === 'promql' ? 'metrics' : capability);

const countsOf = (calls: readonly CoveredCall[]): Counts => ({
  asked: calls.length,
  answered: calls.filter(({ answer }) => answer === 'data').length,
  failed: calls.filter(({ answer }) => answer === 'unavailable').length,
});

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
