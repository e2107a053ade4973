import { compareLogs } from './log-patterns/compare.ts';
import { compareSteps } from './log-patterns/compare-steps.ts';
import { executionsOf } from './log-patterns/executions.ts';
import { logEvidence, stepEvidence, tellsFailure } from './log-evidence.ts';
import { ALERT_TIME_ERROR_SECONDS } from './onset.ts';
import { traceEvidence } from './trace-evidence.ts';
import { compareSpans } from './traces/compare-spans.ts';
import type { CauseEvidence, RankingInput, TimeWindow } from './types.ts';

/** What traces and logs say about a service beside its metrics. */
export interface Behaviour {
  /** Slowness that is the service's own, strongest first: traces have already taken off what others account for. */
  slow: CauseEvidence[];
  /** Failure and other changed behaviour, strongest first; callers inherit it. */
  failing: CauseEvidence[];
  /** Its spans were compared: latency metrics, which include the time of callees, add nothing. */
  isTraced: boolean;
}

/** Alerts wait for a condition to hold; traces and logs of this time before one may already show the fault. */
const BEFORE_ALERT_SECONDS = 900;

export interface Behaviours {
  /** Requests of both periods were traced: a service in none of them has no part in the incident. */
  isTraced: boolean;
  of: Map<string, Behaviour>;
  notes: string[];
}

/** Pure; kinds that are absent take nothing away. */
export function compareBehaviour(
  input: RankingInput,
  windows: { baseline: TimeWindow; incident: TimeWindow },
): Behaviours {
  const reportedAt = input.alert?.at;
  const compared = {
    baseline: windows.baseline,
    incident: aroundAlert(input, windows),
    ...(reportedAt !== undefined && { reportedAt }),
  };
  const notes: string[] = [];
  let isTraced = false;
  const of = new Map<string, Behaviour>();
  const entry = (service: string): Behaviour => {
    let behaviour = of.get(service);
    if (behaviour === undefined) of.set(service, (behaviour = { slow: [], failing: [], isTraced: false }));
    return behaviour;
  };
  const { spans = [], logs = [] } = input;
  if (spans.length > 0) {
    const comparison = compareSpans(spans, compared);
    const { before, after } = comparison.traces;
    isTraced = before > 0 && after > 0;
    if (!isTraced) {
      notes.push(`Traces could not be compared: there are none ${before === 0 ? 'before' : 'of'} the incident.`);
    }
    for (const { service, selfMs } of comparison.operations) {
      if (after > 0 && selfMs.samplesBefore > 0) entry(service).isTraced = true;
    }
    for (const [service, { slow, failing }] of traceEvidence(comparison)) {
      entry(service).slow.push(...slow);
      entry(service).failing.push(...failing);
    }
  }
  if (logs.length > 0) {
    const { executions, others } = executionsOf(logs, spans);
    const steps = stepEvidence(compareSteps(executions, compared, tellsFailure));
    for (const found of [steps, logEvidence(compareLogs(others, compared))]) {
      for (const [service, evidence] of found) entry(service).failing.push(...evidence);
    }
  }
  for (const behaviour of of.values()) behaviour.failing.sort((a, b) => b.strength - a.strength);
  return { of, notes, isTraced };
}

/** The incident, from as early as its alert may be late, without healthy time. */
function aroundAlert(
  { alert, incident: given, baseline: healthy }: RankingInput,
  { incident, baseline }: { baseline: TimeWindow; incident: TimeWindow },
): TimeWindow {
  if (given !== undefined || alert === undefined) return incident;
  const earliest = Math.min(incident.from, alert.at - BEFORE_ALERT_SECONDS);
  const isBefore = baseline.from < incident.from;
  const until = isBefore ? (healthy === undefined ? baseline.to + ALERT_TIME_ERROR_SECONDS : healthy.to) : -Infinity;
  return {
    from: Math.min(incident.from, Math.max(earliest, until)),
    to: isBefore ? incident.to : Math.min(incident.to, baseline.from),
  };
}
