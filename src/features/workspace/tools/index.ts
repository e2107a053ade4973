import type { Tool } from '../../tools/tool.ts';
import type { WorkspaceDrafts } from '../drafts/types.ts';
import { createFile } from './create-file.ts';
import { deleteFile } from './delete-file.ts';
import { editFile } from './edit-file.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { searchFiles } from './search-files.ts';

/**
 * The tools that work on the team's files. They see the run's draft if it has one, and the newest commit otherwise;
 * they write to the draft, which the caller has to finish.
 */
export function workspaceTools(drafts: WorkspaceDrafts): { reading: Tool[]; writing: Tool[] } {
  return {
    reading: [listFiles(drafts), readFile(drafts), searchFiles(drafts)],
    writing: [createFile(drafts), editFile(drafts), deleteFile(drafts)],
  };
}
