/** How often to refetch what is shown, while the tab is visible (the query client sees to that). */
import { ApiError } from './client.ts';

/** While something is running. */
export const LIVE_MS = 5_000;
/** Otherwise, for what others start; and after a failure, so that open tabs do not hammer a server in trouble. */
export const QUIET_MS = 15_000;

/** Refetching does not change these: signed out, forbidden, deleted, or never there. */
const FINAL = new Set([401, 403, 404, 422]);

/**
 * For `refetchInterval`.
 * @param error of the last attempt
 * @param isLive whether something shown is running
 * @returns milliseconds; false to stop
 */
export function pollMs(error: unknown, isLive: boolean): number | false {
  if (error instanceof ApiError && FINAL.has(error.status)) return false;
  return isLive && error === null ? LIVE_MS : QUIET_MS;
}
