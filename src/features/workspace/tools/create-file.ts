import { z } from 'zod';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { WorkspaceDrafts } from '../drafts/types.ts';
import { fileIfThere } from '../lookups.ts';
import { workspacePath } from '../path.ts';
import { MAX_FILE_BYTES, WorkspaceError } from '../port.ts';
import { answering, jsonAnswer, pathField } from './answer.ts';

/** `create_file`: creates a file in the turn's draft. */
export const createFile = (drafts: WorkspaceDrafts): Tool =>
  defineTool({
    name: 'create_file',
    description:
      "Creates a text file in the team's workspace, with the directories it needs. What a turn changes is saved at its end, together.",
    input: z.strictObject({
      path: pathField.describe('The file, from the root of the workspace.'),
      content: z.string().max(MAX_FILE_BYTES).describe('The whole text.'),
      overwrite: z.boolean().default(false).describe('Replace an existing file.'),
    }),
    requires: 'workspace:write',
    sideEffect: true,
    summarize: ({ path, overwrite }) => `${overwrite ? 'Write' : 'Create'} ${path}`,
    run: ({ path, content, overwrite }, context) =>
      answering(context, async () => {
        const file = workspacePath(path);
        const { output, digest } = await drafts.stage(
          context,
          context.toolCallId,
          async (files) => {
            const existing = await fileIfThere(files, file, context.signal);
            if (existing && !overwrite)
              throw new WorkspaceError(
                'clash',
                `${file} already exists (${existing.size} bytes). Use edit_file to change it, or set overwrite.`,
              );
            const size = Buffer.byteLength(content);
            const change = existing ? 'overwritten' : 'created';
            return {
              changes: [{ path: file, content }],
              result: { output: { path: file, change, size }, digest: `${file} ${change}, ${size} bytes` },
            };
          },
          { signal: context.signal },
        );
        return jsonAnswer(output, digest);
      }),
  });
