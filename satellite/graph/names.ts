import { MAX_NAME_CHARACTERS } from '@casebook/wire';

/**
 * A service's name as the protocol takes it: without control characters and surrounding space, well-formed, clipped.
 *
 * @returns undefined when nothing is left
 */
export function cleanName(name: string): string | undefined {
  // Most names are clean, and this runs for every edge of every poll.
  if (/^[!-~](?:[ -~]{0,98}[!-~])?$/u.test(name)) return name;
  // What is far too long is cut first, and copied: a slice would keep the whole of it in memory.
  const short =
    name.length > 4 * MAX_NAME_CHARACTERS ? Buffer.from(name.slice(0, 4 * MAX_NAME_CHARACTERS)).toString() : name;
  const clean = short
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .trim()
    .slice(0, MAX_NAME_CHARACTERS);
  // The cut may have gone through a pair of surrogates.
  return (clean.isWellFormed() ? clean : clean.slice(0, -1)).trim() || undefined;
}
