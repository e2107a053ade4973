import { sharedTools } from '../../tools/index.ts';

/** Tools whose results are series, as far as there are any. */
const SERIES_TOOLS: ReadonlySet<string> = new Set(['query_metric', 'promql']);
const SHARED: ReadonlySet<string> = new Set(sharedTools.map(({ name }) => name));
/** As the digests of those tools say that there are none. */
const NONE = /^0 series\b|: no series in the window$/u;

interface CallRow {
  name: string;
  status: string;
  isError: boolean;
  digest: string | null;
}

/**
 * Whether a call's result is known to hold series, from its row alone: contents are large. Results of a team's own tools
 * may hold some as well, which is known only when they are read.
 */
export function hasSeries({ name, status, isError, digest }: CallRow): boolean {
  return SERIES_TOOLS.has(name) && status === 'completed' && !isError && !NONE.test(digest ?? '');
}

/** Whether it is worth looking for series in the results of a tool. What the other shared tools return is none. */
export function mayHoldSeries(name: string): boolean {
  return SERIES_TOOLS.has(name) || !SHARED.has(name);
}
