/**
 * The clock of the server, as far as its answers tell it. Clocks of laptops and phones go wrong by minutes, and "how long
 * ago" is told from times that the server wrote.
 */

/** Answers tell whole seconds and take a while; what differs by less is no difference. */
const SAME_MS = 3_000;

let aheadMs = 0;

/** @param date the header `Date` of an answer that has just come */
export function noteServerDate(date: string | null): void {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return;
  const ahead = at - Date.now();
  aheadMs = Math.abs(ahead) < SAME_MS ? 0 : ahead;
}

/** Milliseconds since 1970. */
export const serverNow = (): number => Date.now() + aheadMs;
