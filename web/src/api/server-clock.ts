/**
 * The server's clock, as its responses tell it. Laptops and phones are off by minutes, and "how long ago" refers to
 * server times.
 */

/** Responses carry whole seconds and take a while; a smaller difference means nothing. */
const SAME_MS = 3_000;

let aheadMs = 0;

/** @param date the `Date` header of a response that just arrived */
export function noteServerDate(date: string | null): void {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return;
  const ahead = at - Date.now();
  aheadMs = Math.abs(ahead) < SAME_MS ? 0 : ahead;
}

/** Milliseconds since 1970. */
export const serverNow = (): number => Date.now() + aheadMs;
