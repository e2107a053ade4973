import { z } from 'zod';
import { count } from '../../tools/index.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { WorkspaceDrafts } from '../drafts/types.ts';
import { editText } from '../edit.ts';
import { MAX_FILE_BYTES, WorkspaceError } from '../port.ts';
import { answering, jsonAnswer, pathField } from './answer.ts';

/** `edit_file`: replaces one piece of a file, in the turn's draft. */
export const editFile = (drafts: WorkspaceDrafts): Tool =>
  defineTool({
    name: 'edit_file',
    description:
      "Replaces a piece of a text file in the team's workspace. old_text must be copied exactly from the file and occur once, unless replace_all is set. What a turn changes is saved at its end, together.",
    input: z.strictObject({
      path: pathField.describe('The file, from the root of the workspace.'),
      old_text: z.string().min(1).max(MAX_FILE_BYTES).describe('The piece to replace, exactly as it is in the file.'),
      new_text: z.string().max(MAX_FILE_BYTES).describe('The replacement; empty removes the piece.'),
      replace_all: z.boolean().default(false).describe('Replace every occurrence.'),
    }),
    requires: 'workspace:write',
    sideEffect: true,
    summarize: ({ path }) => `Edit ${path}`,
    run: ({ path, old_text, new_text, replace_all }, context) =>
      answering(context, async () => {
        const { signal, toolCallId } = context;
        const { output, digest } = await drafts.stage(
          context,
          toolCallId,
          async ({ workspace, at }) => {
            const file = await workspace.read(path, { at, signal });
            if (file.kind !== 'text' || file.text === null)
              throw new WorkspaceError('not_a_file', `${file.path} is ${file.kind}, not text: it cannot be edited.`);
            const edited = editText(file.text, { oldText: old_text, newText: new_text, replaceAll: replace_all });
            if ('problem' in edited) throw new WorkspaceError('invalid', `${file.path}: ${edited.problem}`);
            const { text, replacements, lines } = edited;
            return {
              changes: [{ path: file.path, content: text }],
              result: {
                output: { path: file.path, replacements, lines, size: Buffer.byteLength(text) },
                digest: `${file.path} edited, ${count(replacements, 'replacement')}`,
              },
            };
          },
          { signal },
        );
        return jsonAnswer(output, digest);
      }),
  });
