import { z } from 'zod';
import { isCitable, errorOutput, defineTool } from './tool.ts';
import { count, safeCut } from './text.ts';
import { viewOf } from './view.ts';

/** Leaves room for headings, so that an answer fits the view of a tool result. */
const PAGE_CHARACTERS = 15_000;

/**
 * `read_tool_result`: more of a stored result. Between its headings it returns verbatim pieces of the original, so an
 * excerpt of them can be cited with either evidence number.
 */
export const readToolResult = defineTool({
  name: 'read_tool_result',
  description:
    'Reads more of an earlier tool result that was too long to be shown whole: a page from an offset, or, with search, the places where a text occurs, each with its offset. The pieces are verbatim and can be cited.',
  input: z.strictObject({
    evidence: z.number().int().min(1).describe('The evidence number of the tool result.'),
    offset: z.number().int().min(0).default(0).describe('Character to begin at, 0 by default.'),
    length: z
      .number()
      .int()
      .min(1)
      .max(PAGE_CHARACTERS)
      .default(PAGE_CHARACTERS)
      .describe(`Characters to read, ${PAGE_CHARACTERS} by default and at most.`),
    search: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Text to find from the offset on, in any case; no regular expression.'),
  }),
  summarize: ({ evidence, search, offset }) =>
    search ? `Search evidence ${evidence} for "${search}"` : `Read evidence ${evidence} from ${offset}`,
  async run({ evidence, offset, length, search }, context) {
    const stored = await context.evidence.read(evidence);
    if (!stored) return errorOutput(`There is no evidence ${evidence} in this conversation.`);
    const { content, tool } = stored;
    // Read back, the model's own words would look like evidence.
    if (!isCitable(tool)) return errorOutput(`Evidence ${evidence} is a result of ${tool}; there is nothing to read.`);
    const name = `Evidence ${evidence} (${tool}, ${content.length} characters)`;
    if (search !== undefined) {
      const found = findSlices(content, search, { offset, room: length });
      const where = offset > 0 ? ` from ${offset} on` : '';
      if (found.matches === 0) {
        // Do not repeat the text: a model's search term must not become something it can cite.
        const text = `${name}: the text does not occur${where}.`;
        return { content: text, digest: text };
      }
      const more = found.next === undefined ? '' : ` More places follow: search again with offset ${found.next}.`;
      const pieces = found.slices.map(({ from, to }) => `[characters ${from}-${to}]\n${content.slice(from, to)}`);
      return {
        content: `${name}: ${count(found.matches, 'place')} shown.${more}\n${pieces.join('\n')}`,
        digest: `${count(found.matches, 'place')} with "${search}" in evidence ${evidence}`,
      };
    }
    if (offset >= content.length) {
      return errorOutput(`Evidence ${evidence} has ${content.length} characters; offset ${offset} is past its end.`);
    }
    const { text, shownFrom, shownTo } = viewOf(content, { offset, limit: length });
    const rest = shownTo < content.length ? `; read on with offset ${shownTo}` : '; this is the end';
    return {
      content: `${name}, characters ${shownFrom}-${shownTo}${rest}:\n${text}`,
      digest: `Characters ${shownFrom}-${shownTo} of evidence ${evidence}`,
    };
  },
});

interface FoundSlices {
  /** Ranges of the text around the matches, in order, not overlapping. */
  slices: { from: number; to: number }[];
  /** Matches within the slices. */
  matches: number;
  /** Where to continue, if there are more. */
  next?: number;
}

/** Characters shown on either side of a match: usually a log line or a JSON property. */
const AROUND = 250;
/** Characters that each slice's heading takes. */
const HEADING = 60;

/**
 * Finds a plain text in a long one, ignoring case, and cuts out the line around it, or as much of the line as fits
 * (JSON results are one line).
 * @param options.offset where to start
 * @param options.room maximum characters of all slices and their headings; the first match is always returned
 */
export function findSlices(text: string, needle: string, options: { offset: number; room: number }): FoundSlices {
  // A case-insensitive expression keeps offsets correct; lower-casing both texts would not for every script.
  const pattern = new RegExp(RegExp.escape(needle), 'giu');
  pattern.lastIndex = options.offset;
  const slices: { from: number; to: number }[] = [];
  let matches = 0;
  let used = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const place = { from: match.index, to: match.index + match[0].length };
    const { from, to } = around(text, place, options.offset);
    const last = slices.at(-1);
    const joins = last !== undefined && from <= last.to;
    const cost = joins ? Math.max(0, to - last.to) : to - from + HEADING;
    if (matches > 0 && used + cost > options.room) return { slices, matches, next: place.from };
    used += cost;
    matches++;
    if (joins) last.to = Math.max(last.to, to);
    else slices.push({ from, to });
  }
  return { slices, matches };
}

function around(text: string, place: { from: number; to: number }, offset: number): { from: number; to: number } {
  const before = text.slice(Math.max(offset, place.from - AROUND), place.from);
  const after = text.slice(place.to, place.to + AROUND);
  const lineStart = before.lastIndexOf('\n') + 1;
  const lineEnd = after.indexOf('\n');
  const from = safeCut(text, place.from - before.length + lineStart);
  return { from, to: safeCut(text, place.to + (lineEnd < 0 ? after.length : lineEnd)) };
}
