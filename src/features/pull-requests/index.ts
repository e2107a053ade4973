/** Pull requests: suggested by runs, opened by people, followed at their hosts. */
export type { PullRequestDeps } from './deps.ts';
export { PullRequest } from './entities.ts';
export { createRequest, giveUp, isFinal, noteWaiting, pushBranch, StepFailed } from './steps.ts';
export { pullRequestsRoom } from './room.ts';
