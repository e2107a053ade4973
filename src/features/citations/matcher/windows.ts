/** Splits long unstructured text into pieces. */
import type { Form, Layout } from './pieces.ts';
import type { Span } from './sentences.ts';

/** Maximum length of a piece of text, in UTF-16 code units. */
export const LONGEST_PIECE = 400;

const LINE_BREAKS: Record<'text' | 'string', RegExp> = { text: /\n/gu, string: /(?<!\\)(?:\\\\){0,8}(\\n|\\r)/gu };

/** Adds the lines of a text as pieces, splitting long lines. @param form `string`: the inside of a JSON string */
export function addWindows(layout: Layout, { start, end }: Span, group: number, form: 'text' | 'string'): void {
  const inside = layout.content.slice(start, end);
  let from = 0;
  for (const match of inside.matchAll(LINE_BREAKS[form])) {
    addLine(layout, start + from, start + match.index + match[0].length - (form === 'string' ? 2 : 1), group, form);
    from = match.index + match[0].length;
  }
  addLine(layout, start + from, start + inside.length, group, form);
}

/** Adds one line: whole if it is short, otherwise split at sentences or white space. */
export function addLine(layout: Layout, from: number, to: number, group: number, form: Form): void {
  const { content } = layout;
  let start = from;
  let end = to;
  while (start < end && content.charCodeAt(start) <= 0x20) start++;
  while (end > start && content.charCodeAt(end - 1) <= 0x20) end--;
  while (end - start > LONGEST_PIECE) {
    const cut = cutBefore(content, start, start + LONGEST_PIECE);
    layout.add(start, cut, group, form);
    start = cut;
    while (start < end && content.charCodeAt(start) <= 0x20) start++;
  }
  if (end > start) layout.add(start, end, group, form);
}

/** Where to split: after the last sentence, else before the last white space, else anywhere but inside a character. */
function cutBefore(content: string, start: number, limit: number): number {
  const text = content.slice(start, limit);
  const sentence = text.lastIndexOf('. ');
  if (sentence > LONGEST_PIECE / 2) return start + sentence + 1;
  const space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t'), text.lastIndexOf(','), text.lastIndexOf(';'));
  if (space > LONGEST_PIECE / 2) return start + space + 1;
  const last = content.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}
