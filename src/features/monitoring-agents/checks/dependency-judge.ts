/** Judges the health of calls between services. Pure. */
import type { SubjectOf } from '../plan/schema.ts';
import type { CheckedEdge } from './edges.ts';
import { digits, figure } from './figures.ts';
import type { Observation } from './port.ts';

type Limit = Exclude<SubjectOf<'dependency'>['condition'], { type: 'missing' }>;

/** The judged calls, or why none could be judged. */
export type CallsVerdict = { observations: Observation[]; unknown: number } | { reason: string };

/**
 * Compares each call's measurements with the limit. A call without recent traffic or without a measurement cannot be
 * judged: its figures are out of date.
 */
export function judgeCalls(edges: readonly CheckedEdge[], limit: Limit): CallsVerdict {
  const observations = edges.flatMap((edge): Observation[] => {
    const value = limit.type === 'error_ratio' ? edge.errorRatio : edge.p95Seconds;
    if (value === undefined || edge.isStale) return [];
    const subject = `${edge.caller} -> ${edge.callee}`;
    const isFinding = value > limit.above;
    const said =
      limit.type === 'error_ratio'
        ? `${figure(value, 'ratio')} of the calls ${subject} fail, limit ${figure(limit.above, 'ratio')}`
        : `p95 of the calls ${subject} is ${figure(value, 's')}, limit ${figure(limit.above, 's')}`;
    const rate = edge.callsPerSecond === undefined ? '' : ` (${digits(edge.callsPerSecond)} calls/s)`;
    return [{ subject, isFinding, text: said + rate, service: edge.callee, value, expected: limit.above }];
  });
  const unknown = edges.length - observations.length;
  if (observations.length > 0) {
    return { observations: observations.sort((a, b) => (b.value ?? 0) - (a.value ?? 0)), unknown };
  }
  const isQuiet = edges.length > 0 && edges.every(({ isStale }) => isStale);
  return {
    reason: isQuiet ? 'no such call was seen lately' : `the graph does not say the ${limit.type} of these calls`,
  };
}
