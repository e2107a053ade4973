/** How wide text is, without a canvas to measure it: what room labels get, and where they are cut. */

/** Widths in parts of the font's size, after the classes of Helvetica. */
const NARROW = /[ !'(),\-./:;I[\]fijlrt{|}"·]/u;
const WIDE = /[mMwW%@…]/u;
const CAPITAL = /[A-Z]/u;
const FULL = /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uff60\u{1f000}-\u{3ffff}]/u;
/** The font a browser has instead may be wider. */
const MARGIN = 1.1;

/** @returns an estimate in pixels for a font without serifs */
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
