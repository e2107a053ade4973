import { z } from 'zod';
import { count } from '../../tools/index.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { WorkspaceDrafts } from '../drafts/types.ts';
import { filesAt } from '../lookups.ts';
import { workspacePath } from '../path.ts';
import { MAX_CHANGES } from '../port.ts';
import { answering, jsonAnswer, pathField } from './answer.ts';

const MAX_NAMED = 50;

/** `delete_file`: deletes a file, or a directory with all its contents, in the turn's draft. */
export const deleteFile = (drafts: WorkspaceDrafts): Tool =>
  defineTool({
    name: 'delete_file',
    description: `Deletes a file of the team's workspace, or a directory with everything in it (at most ${MAX_CHANGES} files). What a turn changes is saved at its end, together.`,
    input: z.strictObject({ path: pathField.describe('File or directory, from the root of the workspace.') }),
    requires: 'workspace:write',
    sideEffect: true,
    summarize: ({ path }) => `Delete ${path}`,
    run: ({ path }, context) =>
      answering(context, async () => {
        const name = workspacePath(path);
        const { output, digest } = await drafts.stage(
          context,
          context.toolCallId,
          async (files) => {
            const paths = await filesAt(files, name, { limit: MAX_CHANGES, signal: context.signal });
            const deleted = paths.slice(0, MAX_NAMED);
            return {
              changes: paths.map((each) => ({ path: each, content: null })),
              result: {
                output: { path: name, files: paths.length, deleted },
                digest: `${name} deleted, ${count(paths.length, 'file')}`,
              },
            };
          },
          { signal: context.signal },
        );
        return jsonAnswer(output, digest);
      }),
  });
