/** Character classes by table lookup: results of megabytes are read one character at a time. */
import { IDEOGRAPH } from './words.ts';

export const OTHER = 0;
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 3;
/** From a script without spaces, see `pairsOf`. */
export const PAIRED = 4;
export const LETTER = 5;
const UNKNOWN = 255;
const classes = new Uint8Array(65_536).fill(UNKNOWN);

/** @param code a UTF-16 code unit */
export function classOf(code: number): number {
  const known = classes[code]!;
  if (known !== UNKNOWN) return known;
  const character = String.fromCharCode(code);
  const found = /[0-9]/u.test(character)
    ? DIGIT
    : /\p{Lu}/u.test(character)
      ? UPPER
      : /\p{Ll}/u.test(character)
        ? LOWER
        : IDEOGRAPH.test(character)
          ? PAIRED
          : /[\p{L}\p{M}\p{N}]/u.test(character)
            ? LETTER
            : OTHER;
  classes[code] = found;
  return found;
}

export const isDigit = (text: string, at: number, to: number): boolean =>
  at < to && classOf(text.charCodeAt(at)) === DIGIT;
