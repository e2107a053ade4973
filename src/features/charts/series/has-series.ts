import { sharedTools } from '../../tools/index.ts';

/** Tools whose results are series. */
const SERIES_TOOLS: ReadonlySet<string> = new Set(['query_metric', 'promql']);
const SHARED: ReadonlySet<string> = new Set(sharedTools.map(({ name }) => name));
/** How the digests of those tools say that there are none. */
const NONE = /^0 series\b|: no series in the window$/u;

interface CallRow {
  name: string;
  status: string;
  isError: boolean;
  digest: string | null;
}

/**
 * Whether a call's result is known to hold series, from its row alone, since contents are large. A team's own tools may
 * return some too, which only reading them shows.
 */
export function hasSeries({ name, status, isError, digest }: CallRow): boolean {
  return SERIES_TOOLS.has(name) && status === 'completed' && !isError && !NONE.test(digest ?? '');
}

/** Whether a tool's results may hold series; those of the other shared tools never do. */
export function mayHoldSeries(name: string): boolean {
  return SERIES_TOOLS.has(name) || !SHARED.has(name);
}
