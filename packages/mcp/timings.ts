/** Timeouts and intervals for MCP servers; all in ms. */
export interface McpTimings {
  /** Until a server has started and answered for the first time: `npx` may have to download it. */
  connectMs: number;
  /** Interval between pings. */
  pingEveryMs: number;
  /** Timeout of a ping. */
  pingMs: number;
  /** Interval between listings of tools: not every server announces changes. */
  listEveryMs: number;
  /** Announcements of changed tools that are closer together count as one. */
  debounceMs: number;
  /** A connection that lasted this long was a good one: the next failure counts as the first again. */
  steadyMs: number;
  backoff: Backoff;
}

export const DEFAULT_TIMINGS: McpTimings = {
  connectMs: 60_000,
  pingEveryMs: 15_000,
  pingMs: 10_000,
  listEveryMs: 300_000,
  debounceMs: 250,
  steadyMs: 30_000,
  backoff: { firstMs: 500, maxMs: 60_000 },
};

/** The delay before retrying a server. */
interface Backoff {
  /** Before the first attempt after a failure, in ms. */
  firstMs: number;
  maxMs: number;
}

/**
 * Doubles with each failure, with half of it random, so that servers that went down together do not return at once.
 * @param failures number of consecutive failures, 1 or more
 * @returns ms
 */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + Math.random() / 2);
}
