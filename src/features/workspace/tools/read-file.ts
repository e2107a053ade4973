import { z } from 'zod';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { WorkspaceDrafts } from '../drafts/types.ts';
import { pageOf } from '../lines.ts';
import { answering, jsonAnswer, pathField, textAnswer } from './answer.ts';

/** Leaves room for the heading, so that a page fits the view of a tool result. */
const PAGE_CHARACTERS = 15_000;

/** `read_file`: reads a page of a text file, verbatim, so that `edit_file` can match a piece of it. */
export const readFile = (drafts: WorkspaceDrafts): Tool =>
  defineTool({
    name: 'read_file',
    description:
      "Reads a file of the team's workspace, whole lines from an offset on. After a heading of one line follows the text exactly as it is, without line numbers: pieces of it can be given to edit_file.",
    input: z.strictObject({
      path: pathField.describe('The file, from the root of the workspace.'),
      offset: z.number().int().min(0).default(0).describe('Lines to skip, 0 by default.'),
      limit: z
        .number()
        .int()
        .min(0)
        .default(0)
        .describe(`Maximum lines to read; 0, the default, means as many as fit into ${PAGE_CHARACTERS} characters.`),
    }),
    requires: 'workspace:read',
    summarize: ({ path, offset }) => (offset > 0 ? `Read ${path} from line ${offset + 1}` : `Read ${path}`),
    run: ({ path, offset, limit }, context) =>
      answering(context, async () => {
        const { workspace, at } = await drafts.view(context);
        const file = await workspace.read(path, { at, signal: context.signal });
        const { kind, size, text } = file;
        if (kind === 'link') return jsonAnswer({ path: file.path, kind, target: text }, `${file.path} is a link`);
        if (text === null)
          return jsonAnswer({ path: file.path, kind, size }, `${file.path} is ${kind}, ${size} bytes, and not shown`);
        const { page, lines, shown } = pageOf(text, { offset, limit, maxCharacters: PAGE_CHARACTERS });
        if (shown === 0) {
          const empty = `${file.path} has ${lines} lines; there is nothing from line ${offset + 1} on.`;
          return textAnswer(empty, empty);
        }
        const next = offset + shown;
        const where = `${file.path}, lines ${offset + 1}-${next} of ${lines}`;
        const rest = next < lines ? `; continue with offset ${next}` : '; end of file';
        return textAnswer(`${where}${rest}:\n${page}`, where);
      }),
  });
