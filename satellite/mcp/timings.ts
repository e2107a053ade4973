import type { Backoff } from './backoff.ts';

/** Timeouts towards MCP servers; all in ms. */
export interface McpTimings {
  /** Until a server has started and answered for the first time: `npx` may have to download it. */
  connectMs: number;
  /** Between two looks at whether a server still answers. */
  pingEveryMs: number;
  /** Until a look counts as failed. */
  pingMs: number;
  /** Tools are listed again this often: not every server can say that they have changed. */
  listEveryMs: number;
  /** Announcements of changed tools that come closer together are one. */
  debounceMs: number;
  /** A connection that lasted this long was a good one: the next failure is the first again. */
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
