/** What running one check is, whatever its type. */
import type { Requester } from '../../../http/authenticate.ts';
import type { SourceCatalog } from '../../sources/port.ts';
import type { ToolRegistry } from '../../tools/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { CheckSubject } from '../plan/schema.ts';

/** What was seen of one subject (a service, a series, a call between services; the check itself where it has only one). */
export interface Observation {
  /** Names it within the check, the same in every run: the `{subject}` of a dedup key. At most 200 characters. */
  subject: string;
  isFinding: boolean;
  /** One line with the numbers that decide, for example "p95 latency of checkout is 1.9 s, usual are 0.21 s". */
  text: string;
  service?: string;
  value?: number;
  /** What it was compared with. */
  expected?: number;
}

/** What was asked and what came back, bounded: what a finding rests on. */
export interface CheckEvidence {
  source: string;
  /** What was asked, as a person would write it. */
  question: string;
  /** Plain JSON of at most 32,000 characters. */
  answer: unknown;
}

/** `failed`: it could not say; `summary` says why, in words for an operator. */
export interface CheckResult {
  status: 'ok' | 'finding' | 'failed';
  /** One line, at most 200 characters. */
  summary: string;
  /** Only subjects that could be judged; at most {@link MOST_OBSERVATIONS}, findings first. */
  observations: Observation[];
  evidence: CheckEvidence[];
  /** Some subjects could not be judged: one that is not among the observations may be as it was. */
  isPartial?: true;
}

export const MOST_OBSERVATIONS = 100;

export interface CheckContext {
  teamId: string;
  agentId: string;
  sessionId: string;
  /** On whose behalf: who wrote the version of the plan. */
  requester: Requester;
  sources: SourceCatalog;
  /** The team's tools that only read. Made when it is first asked for. */
  tools: () => Promise<ToolRegistry>;
  clock: Clock;
  /** Fires on the check's time-out, on cancellation, and when the worker stops. */
  signal: AbortSignal;
}

/** A check that needs no model. */
export type CheapSubject = Exclude<CheckSubject, { type: 'instruction' }>;

/**
 * Runs one check that needs no model. A source that does not answer, or answers garbage, is a result with status `failed`;
 * throws only when the signal has fired.
 */
export type RunCheapCheck = (subject: CheapSubject, context: CheckContext) => Promise<CheckResult>;
