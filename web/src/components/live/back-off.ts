/** When to reopen a broken stream. */
/**
 * A connection that a phone lost between two networks still looks open, so one that is silent for this long is
 * reopened. The API writes at least every 15 seconds, which readers of the raw bytes see.
 */
export const SILENT_MS = 60_000;
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Doubles with each consecutive failure, up to half a minute, with jitter so that pages do not all return at once.
 * @param failures consecutive failures since something was last received, from 1
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function backOffMs(failures: number, random: number = Math.random()): number {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return longest * (0.5 + random / 2);
}
