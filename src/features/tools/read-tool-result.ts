import { z } from 'zod';
import { isCitable } from './citable.ts';
import { findSlices } from './find-slices.ts';
import { errorOutput } from './output.ts';
import { count } from './text.ts';
import { defineTool } from './tool.ts';
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
