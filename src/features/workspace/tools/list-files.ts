import { z } from 'zod';
import { count } from '../../tools/index.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { WorkspaceDrafts } from '../drafts/types.ts';
import { answering, jsonAnswer, pathField } from './answer.ts';

const LIMIT = 200;

/** `list_files`: lists a directory of the workspace. */
export const listFiles = (drafts: WorkspaceDrafts): Tool =>
  defineTool({
    name: 'list_files',
    description: `Lists a directory of the team's workspace: names from the root, kinds, sizes in bytes. At most ${LIMIT} at once.`,
    input: z.strictObject({
      path: pathField.default('.').describe('The directory, from the root of the workspace; "." is the root itself.'),
      recursive: z.boolean().default(false).describe('All files below, instead of one level.'),
    }),
    requires: 'workspace:read',
    summarize: ({ path, recursive }) => `List ${path}${recursive ? ' and below' : ''}`,
    run: ({ path, recursive }, context) =>
      answering(context, async () => {
        const { workspace, at } = await drafts.view(context);
        const { entries, truncated } = await workspace.list(path, {
          at,
          recursive,
          limit: LIMIT,
          signal: context.signal,
        });
        const digest = `${count(entries.length, 'entry', 'entries')} in ${path}${truncated ? ', and more' : ''}`;
        return jsonAnswer({ path, entries, ...(truncated && { truncated }) }, digest);
      }),
  });
