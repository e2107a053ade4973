import { z } from 'zod';
import { count } from '../../tools/index.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { WorkspaceDrafts } from '../drafts/types.ts';
import { answering, pathField, textAnswer } from './answer.ts';

const LIMIT = 100;

/** `search_files`: finds lines of the workspace's text files that match an expression or contain a text. */
export const searchFiles = (drafts: WorkspaceDrafts): Tool =>
  defineTool({
    name: 'search_files',
    description: `Finds lines in the text files of the team's workspace, each as path:line: text; long lines are shown in part. At most ${LIMIT} at once.`,
    input: z.strictObject({
      pattern: z
        .string()
        .min(1)
        .max(500)
        .describe('POSIX extended regular expression to find within a line; with flag F plain text.'),
      path: pathField.default('.').describe('File or directory to search in, the whole workspace by default.'),
      flags: z
        .string()
        .max(3)
        .default('')
        .describe('Any of: i (in any case), w (whole words), F (plain text instead of an expression).'),
    }),
    requires: 'workspace:read',
    summarize: ({ pattern, path }) => `Search ${path === '.' ? 'files' : path} for "${pattern}"`,
    run: ({ pattern, path, flags }, context) =>
      answering(context, async () => {
        const { workspace, at } = await drafts.view(context);
        const options = { at, path, flags, limit: LIMIT, signal: context.signal };
        const { matches, truncated } = await workspace.search(pattern, options);
        const files = new Set(matches.map((match) => match.path)).size;
        // Without the pattern: a model must not be able to cite its own search text.
        const found = `${count(matches.length, 'line')} in ${count(files, 'file')}${truncated ? ', and there are more' : ''}`;
        const lines = matches.map((match) => `${match.path}:${match.line}: ${match.text}`);
        return textAnswer([`${found}${lines.length > 0 ? ':' : '.'}`, ...lines].join('\n'), found);
      }),
  });
