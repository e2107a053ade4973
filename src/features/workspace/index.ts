/** The team's workspace of files: a history of commits, and the drafts in which runs change it. */
export { createWorkspaceDrafts } from './drafts/index.ts';
export type { DraftOutcome, FinishInput, RunKey, WorkspaceDrafts } from './drafts/types.ts';
export { createGitWorkspaces, type GitWorkspaceOptions } from './git/index.ts';
export { gitFiles } from './git/files.ts';
export { pageOf } from './lines.ts';
export { directoryPath, workspacePath } from './path.ts';
export * from './port.ts';
export { workspaceTools } from './tools/index.ts';
export { workspaceRoom } from './room.ts';
