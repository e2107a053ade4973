/** When a stream that broke off is opened again. */
/**
 * A connection that a phone lost between two networks looks as if it were open: one that is silent for so long is opened
 * anew. The API writes something at least every 15 seconds; what reads the bytes themselves sees it.
 */
export const SILENT_MS = 60_000;
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Doubles with every failure in a row, up to half a minute; spread, so that not all pages come back in the same moment.
 * @param failures how often it has failed since something was last received, from 1
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function backOffMs(failures: number, random: number = Math.random()): number {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return longest * (0.5 + random / 2);
}
