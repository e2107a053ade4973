import type { MergedEdge } from './live-graph.ts';

/** What of an edge is compared with what was sent. */
type Compared = Pick<MergedEdge, 'callsPerSecond' | 'errorRatio' | 'p95Seconds' | 'sources' | 'stale'>;

/** Error ratios closer than this are the same: one failure more in a thousand calls is no news. */
const LEAST_RATIO_CHANGE = 0.001;

/**
 * Whether an edge has to be sent again: it has become stale or fresh, another source knows it, or a figure has moved
 * away from the one that was sent, or has come or gone. It is compared with what was sent and not with the poll before, so
 * that a slow drift is sent too.
 *
 * @param share by how much of the sent figure the new one has to differ
 */
export function isSignificant(sent: Compared, now: Compared, share: number): boolean {
  return (
    sent.stale !== now.stale ||
    sent.sources.length !== now.sources.length ||
    sent.sources.some((source, index) => source !== now.sources[index]) ||
    differs(sent.callsPerSecond, now.callsPerSecond, share) ||
    differs(sent.errorRatio, now.errorRatio, share, LEAST_RATIO_CHANGE) ||
    differs(sent.p95Seconds, now.p95Seconds, share)
  );
}

function differs(sent: number | undefined, now: number | undefined, share: number, least = 0): boolean {
  if (sent === undefined || now === undefined) return sent !== now;
  const change = Math.abs(now - sent);
  return change > share * sent && change >= least;
}
