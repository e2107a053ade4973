/** The contract of every check type. */
import type { Actor } from '../../../http/authenticate.ts';
import type { SourceCatalog, TimeWindow } from '../../sources/port.ts';
import type { ToolRegistry } from '../../tools/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { CheckSubject } from '../plan/schema.ts';

/**
 * An observation about one subject (a service, a series, a call between services; the check itself if it has only one).
 */
export interface Observation {
  /** Identifies it within the check, the same in every run: the `{subject}` of a dedup key. At most 200 characters. */
  subject: string;
  isFinding: boolean;
  /** One line with the decisive numbers, for example "p95 latency of checkout is 1.9 s, usual are 0.21 s". */
  text: string;
  service?: string;
  value?: number;
  /** The value it was compared with. */
  expected?: number;
  /** Of both, as the source states it; absent if it states none. */
  unit?: string;
}

/** A query and its answer, bounded: the evidence of a finding. */
export interface CheckEvidence {
  source: string;
  /** The query, as a person would write it. */
  question: string;
  /** Plain JSON of at most 32,000 characters. */
  answer: unknown;
}

/** `failed`: no result; `summary` tells an operator why. */
export interface CheckResult {
  status: 'ok' | 'finding' | 'failed';
  /** One line, at most 200 characters. */
  summary: string;
  /** Only judged subjects; at most {@link MAX_OBSERVATIONS}, findings first. */
  observations: Observation[];
  evidence: CheckEvidence[];
  /** Some subjects could not be judged: the status of a subject without an observation is unknown. */
  isPartial?: true;
}

export const MAX_OBSERVATIONS = 100;

/**
 * When each subject of a check was at fault, by its findings: from the first report that found it to the one that
 * found it over, unix seconds; `Infinity`: it still is.
 */
export type KnownFaults = ReadonlyMap<string, readonly TimeWindow[]>;

/** Whether a subject is at fault now. */
export const isAtFault = (known: KnownFaults, subject: string): boolean =>
  known.get(subject)?.some(({ to }) => to === Infinity) ?? false;

export interface CheckContext {
  teamId: string;
  agentId: string;
  sessionId: string;
  /** Whoever wrote the plan version. */
  actor: Actor;
  sources: SourceCatalog;
  /** The faults of the check's subjects that ended after a time, unix seconds, or have not ended. */
  faults: (since: number) => Promise<KnownFaults>;
  /** The team's read-only tools. Built on first use. */
  tools: () => Promise<ToolRegistry>;
  clock: Clock;
  /** Fires on the check's timeout, on cancellation, and when the worker stops. */
  signal: AbortSignal;
}

/** A check that needs no model. */
export type CheapSubject = Exclude<CheckSubject, { type: 'instruction' }>;

/**
 * Runs one check that needs no model. A source that does not answer, or answers garbage, yields a result with status
 * `failed`; throws only when the signal has fired.
 */
export type RunCheapCheck = (subject: CheapSubject, context: CheckContext) => Promise<CheckResult>;
