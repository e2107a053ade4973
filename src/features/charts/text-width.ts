/** Estimates text width without a canvas, to size and truncate labels. */

/** Widths relative to the font size, by Helvetica's character classes. */
const NARROW = /[ !'(),\-./:;I[\]fijlrt{|}"·]/u;
const WIDE = /[mMwW%@…]/u;
const CAPITAL = /[A-Z]/u;
const FULL = /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uff60\u{1f000}-\u{3ffff}]/u;
/** A browser's fallback font may be wider. */
const MARGIN = 1.1;

/** @returns an estimate in pixels for a sans-serif font */
export function textWidth(text: string, fontSize: number): number {
  let width = 0;
  for (const character of text) {
    if (NARROW.test(character)) width += 0.3;
    else if (WIDE.test(character)) width += 0.87;
    else if (CAPITAL.test(character)) width += 0.69;
    else width += FULL.test(character) ? 1 : 0.55;
  }
  return Math.ceil(width * fontSize * MARGIN);
}
