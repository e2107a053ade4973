/** The team's workspace of files: a history of commits, and the drafts in which runs change it. */
export { createWorkspaceDrafts } from './drafts/index.ts';
export type { DraftOutcome, FinishInput, RunKey, WorkspaceDrafts } from './drafts/types.ts';
export { createGitWorkspaces, type GitWorkspaceOptions } from './git/index.ts';
export { gitFiles } from './git/files.ts';
export { pageOf } from './lines.ts';
export { directoryPath, workspacePath } from './path.ts';
export { createLiveGateway, type LiveGateway } from './live/gateway.ts';
export { CLOSE, SOCKET_PATH, type LiveMessage } from './live/messages.ts';
export { registerWorkspaceMetrics } from './metrics.ts';
export * from './port.ts';
export { workspaceTools } from './tools/index.ts';
export { workspaceRoom } from './room.ts';

/** For rooms that change other repositories in the same way: without a checkout. */
export { editText, type Edited } from './edit.ts';
export { changeMessage } from './git/commit.ts';
export { diffOf } from './git/diff.ts';
export { findEntries, readFile, type TreeEntry } from './git/entries.ts';
export { TRAILER } from './git/refs.ts';
export { COMMITTER, id as objectId, identity, type Repository as GitRepository } from './git/repository.ts';
export { writeObjects, writeTree } from './git/tree.ts';
