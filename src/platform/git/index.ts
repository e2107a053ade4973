/** The real `git`, within bounds. */
export { ifThere, removeStaleLocks } from './locks.ts';
export { callRemote, writeAuthorities, type GitRemote, type RemoteCall } from './remote.ts';
export { GIT_TIMEOUT_MS, GitError, GitStopped, runGit, type GitOptions, type GitResult } from './run.ts';
