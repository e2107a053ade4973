/** The calls between services that an investigation has seen. */
import type { ReadResults } from './results.ts';

export interface KnownCall {
  caller: string;
  callee: string;
  callsPerSecond: number | null;
  errorRatio: number | null;
  p95Seconds: number | null;
  /** When the live graph that measured the figures was last confirmed, ISO 8601; null for those of a window. */
  asOf: string | null;
  stale: boolean;
}

/** Each call once; if results differ the later one wins, and figures it omits stay. */
export function callsIn({ dependencies, rankings }: Pick<ReadResults, 'dependencies' | 'rankings'>): KnownCall[] {
  const calls = new Map<string, KnownCall>();
  const keyOf = (caller: string, callee: string): string => JSON.stringify([caller, callee]);
  const seen = (caller: string, callee: string): void => {
    if (calls.has(keyOf(caller, callee)) || caller === callee) return;
    const unknown = { callsPerSecond: null, errorRatio: null, p95Seconds: null, asOf: null, stale: false };
    calls.set(keyOf(caller, callee), { caller, callee, ...unknown });
  };
  for (const { edges, as_of: asOf } of dependencies) {
    for (const { caller, callee, calls_per_second, error_ratio, p95_seconds, stale } of edges) {
      if (caller === callee) continue;
      const known = calls.get(keyOf(caller, callee));
      const isMeasured = [calls_per_second, error_ratio, p95_seconds].some((figure) => figure !== null);
      calls.set(keyOf(caller, callee), {
        caller,
        callee,
        callsPerSecond: calls_per_second ?? known?.callsPerSecond ?? null,
        errorRatio: error_ratio ?? known?.errorRatio ?? null,
        p95Seconds: p95_seconds ?? known?.p95Seconds ?? null,
        asOf: isMeasured ? asOf : (known?.asOf ?? null),
        stale,
      });
    }
  }
  // Paths and best callees are calls too, including some whose edges were cut off.
  for (const { direction, services } of dependencies) {
    for (const { path } of services) {
      for (const [index, at] of path.entries()) {
        const next = path[index + 1];
        if (next === undefined) continue;
        if (direction === 'downstream') seen(at, next);
        else seen(next, at);
      }
    }
  }
  for (const { causes } of rankings)
    for (const { service, best_callee: callee } of causes) if (callee) seen(service, callee.service);
  return [...calls.values()];
}
