import type { MergedEdge } from './live-graph.ts';

/** The parts of an edge that are compared with what was sent. */
type Compared = Pick<MergedEdge, 'callsPerSecond' | 'errorRatio' | 'p95Seconds' | 'sources' | 'stale'>;

/** Error ratios closer than this are equal: one more failure in a thousand calls is not significant. */
const MIN_RATIO_CHANGE = 0.001;

/**
 * Whether to send an edge again: its staleness or sources changed, or a figure moved far enough, appeared or
 * disappeared. The comparison is with what was sent, not with the previous poll, so that a slow drift is sent too.
 * @param share relative change that counts
 */
export function isSignificant(sent: Compared, now: Compared, share: number): boolean {
  return (
    sent.stale !== now.stale ||
    sent.sources.length !== now.sources.length ||
    sent.sources.some((source, index) => source !== now.sources[index]) ||
    differs(sent.callsPerSecond, now.callsPerSecond, share) ||
    differs(sent.errorRatio, now.errorRatio, share, MIN_RATIO_CHANGE) ||
    differs(sent.p95Seconds, now.p95Seconds, share)
  );
}

function differs(sent: number | undefined, now: number | undefined, share: number, least = 0): boolean {
  if (sent === undefined || now === undefined) return sent !== now;
  const change = Math.abs(now - sent);
  return change > share * sent && change >= least;
}
