/** How often what is shown is asked for again. Only while the tab is seen: the query client sees to that. */
import { ApiError } from './client.ts';

/** While something runs. */
export const LIVE_MS = 5_000;
/** Otherwise, for what others begin; and after a failure, so that a server in trouble is not asked by every open tab. */
export const QUIET_MS = 15_000;

/** What asking again does not change: signed out, not allowed, gone, or never there. */
const FINAL = new Set([401, 403, 404, 422]);

/**
 * For `refetchInterval`.
 * @param error what the last attempt came to
 * @param isLive whether something that is shown runs
 * @returns milliseconds; false: not again
 */
export function pollMs(error: unknown, isLive: boolean): number | false {
  if (error instanceof ApiError && FINAL.has(error.status)) return false;
  return isLive && error === null ? LIVE_MS : QUIET_MS;
}
