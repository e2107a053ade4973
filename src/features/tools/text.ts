/** Truncation and rounding for tool results. */

/**
 * The end of a slice that does not split a surrogate pair.
 * @param index the desired end, in UTF-16 code units
 * @returns `index`, or one less if `index` falls inside a character
 */
export function safeCut(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  const splits = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
  return splits ? index - 1 : index;
}

/** @returns `text` on one line of at most `limit` characters, ending in `…` if it was longer */
export function oneLine(text: string, limit: number): string {
  const head = text.slice(0, limit * 4);
  const line = head.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line.length <= limit && head.length === text.length) return line;
  return `${line.slice(0, safeCut(line, limit - 1))}…`;
}

/** @returns `text`, or its head and a note of how many characters were left out */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = safeCut(text, limit);
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/** Rounds to six significant digits, more than any telemetry is accurate to. */
export function significant(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : value;
}

/** Compact JSON; numbers have six significant digits, and non-finite ones become null. */
export function compactJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'number' ? significant(member) : member));
}

/** @returns `1 item`, `2 items` */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
