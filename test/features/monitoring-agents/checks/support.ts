/** A check as a plan has it, and what it runs with. */
import { catalogOver, type TelemetrySource } from '../../../../src/features/sources/index.ts';
import { createToolRegistry, type Tool } from '../../../../src/features/tools/index.ts';
import { runCheapCheck } from '../../../../src/features/monitoring-agents/checks/index.ts';
import type {
  CheapSubject,
  CheckContext,
  CheckResult,
  KnownFaults,
  Observation,
} from '../../../../src/features/monitoring-agents/checks/port.ts';
import { CheckSubject } from '../../../../src/features/monitoring-agents/plan/schema.ts';

/** 2026-03-01T12:00:00Z, unix seconds. */
export const NOW = 1_772_366_400;

export interface Given {
  sources?: TelemetrySource[];
  tools?: Tool[];
  /** Of whoever wrote the plan. */
  scopes?: string[];
  /** Unix seconds. */
  now?: number;
  signal?: AbortSignal;
  faults?: KnownFaults;
}

export function checkContext({
  sources = [],
  tools = [],
  scopes = ['team:admin'],
  now = NOW,
  signal,
  faults = new Map(),
}: Given): CheckContext {
  return {
    teamId: 'team',
    actor: { teamId: 'team', scopes },
    agentId: 'agent',
    sessionId: 'session',
    sources: catalogOver(() => sources),
    faults: async () => faults,
    tools: async () => createToolRegistry(tools),
    clock: { now: () => new Date(now * 1_000) },
    signal: signal ?? new AbortController().signal,
  };
}

/** The subject with the defaults that a plan's schema fills in. */
export function subjectOf(input: object): CheapSubject {
  const subject = CheckSubject.parse(input);
  if (subject.type === 'instruction') throw new Error('an instruction is not cheap');
  return subject;
}

/** Runs a check written as in a plan. */
export const check = (input: object, given: Given): Promise<CheckResult> =>
  runCheapCheck(subjectOf(input), checkContext(given));

export const subjectsOf = (observations: readonly Observation[]): string[] =>
  observations.map(({ subject }) => subject);

/** Samples every `step` seconds, the last one just before {@link NOW}. */
export function samples(count: number, step: number, valueAt: (at: number, index: number) => number) {
  const timestamps = Array.from({ length: count }, (_, index) => NOW - (count - index) * step);
  return { timestamps, values: timestamps.map(valueAt) };
}
