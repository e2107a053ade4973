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
