import { MAX_NAME_CHARACTERS } from '@casebook/wire';

/**
 * Normalizes a service's name for the protocol: trimmed, well-formed, without control characters, clipped.
 * @returns undefined when nothing is left
 */
export function cleanName(name: string): string | undefined {
  // Fast path: most names are clean, and this runs for every edge of every poll.
  if (/^[!-~](?:[ -~]{0,98}[!-~])?$/u.test(name)) return name;
  // Overlong names are cut first, and copied: a slice would keep the whole string in memory.
  const short =
    name.length > 4 * MAX_NAME_CHARACTERS ? Buffer.from(name.slice(0, 4 * MAX_NAME_CHARACTERS)).toString() : name;
  const clean = short
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .trim()
    .slice(0, MAX_NAME_CHARACTERS);
  // The cut may have split a surrogate pair.
  return (clean.isWellFormed() ? clean : clean.slice(0, -1)).trim() || undefined;
}
