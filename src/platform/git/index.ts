/** The real `git`, within bounds. */
export { GIT_TIMEOUT_MS, GitError, GitStopped, runGit, type GitOptions, type GitResult } from './run.ts';
