/** Prepares text from telemetry for charts. */
import { safeCut } from '../tools/index.ts';

/**
 * Text for a title. A title that names a property of every object, such as `constructor`, makes Vega look up one of its
 * own signals and fail; an invisible trailing space prevents that.
 */
export function titleText(text: string, limit: number): string {
  const title = plainText(text, limit);
  return title in Object.prototype ? `${title} ` : title;
}

/** Invisible or direction-changing characters, which would make text deceptive. */
const DECEPTIVE = /[\u0080-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/gu;

/**
 * One line of text that any XML parser accepts and that reads as what it is: control characters become their symbols,
 * deceptive characters U+FFFD.
 * @param limit maximum characters; longer text ends in `…`
 */
export function plainText(text: string, limit: number): string {
  const head = text.slice(0, safeCut(text, limit * 2)).toWellFormed();
  const line = head
    .replaceAll(/[\t\n\r ]+/gu, ' ')
    // oxlint-disable-next-line no-control-regex -- these are what is replaced
    .replaceAll(/[\u0000-\u001f]/gu, (control) => String.fromCodePoint(0x24_00 + control.charCodeAt(0)))
    .replaceAll('\u007f', '\u2421')
    .replaceAll(DECEPTIVE, '\ufffd')
    .trim();
  if (line.length <= limit && head.length >= text.length) return line;
  return `${line.slice(0, safeCut(line, limit - 1))}…`;
}

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
