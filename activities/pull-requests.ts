import { ApplicationFailure } from '@temporalio/activity';
import { CodeHostError } from '@casebook/connectors';
import type { PullRequestRef, PullRequestStep } from '../src/features/pull-requests/contract.ts';
import {
  createRequest,
  giveUp,
  isFinal,
  noteWaiting,
  pushBranch,
  StepFailed,
  type PullRequestDeps,
} from '../src/features/pull-requests/index.ts';
import { withHeartbeat } from './attempt.ts';

export interface PullRequestActivities {
  pushBranch(ref: PullRequestRef): Promise<PullRequestStep>;
  createRequest(ref: PullRequestRef): Promise<PullRequestStep>;
  giveUp(input: PullRequestRef & { why: string }): Promise<PullRequestStep>;
}

/** The activities of a pull request's workflow. */
export function createPullRequestActivities({ pullRequests: deps }: { pullRequests: PullRequestDeps }) {
  const step =
    (work: typeof pushBranch, isRefused: (error: CodeHostError) => boolean) =>
    (ref: PullRequestRef): Promise<PullRequestStep> =>
      withHeartbeat(async (attempt) => {
        try {
          return await work(deps, ref, attempt);
        } catch (error) {
          attempt.signal.throwIfAborted();
          const failure = toFailure(error, isRefused);
          if (!failure.nonRetryable) await noteWaiting(deps, ref, error);
          throw failure;
        }
      });
  return {
    // A branch that the host does not take, and that is not there either, is refused by a rule.
    pushBranch: step(pushBranch, (error) => isFinal(error) || error.reason === 'conflict'),
    createRequest: step(createRequest, isFinal),
    giveUp: ({ why, ...ref }) => giveUp(deps, ref, why),
  } satisfies PullRequestActivities;
}

/** A host may ask for a pause, but not for one that outlasts everybody's interest. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Temporal owns the retries: what the host said about them becomes the failure's retry policy. */
function toFailure(error: unknown, isRefused: (error: CodeHostError) => boolean): ApplicationFailure {
  const isHosts = error instanceof CodeHostError;
  const retryAfterMs = isHosts ? error.retryAfterMs : undefined;
  return ApplicationFailure.create({
    message: error instanceof Error ? error.message : String(error),
    type: error instanceof Error ? error.name : 'Error',
    nonRetryable: error instanceof StepFailed || (isHosts && isRefused(error)),
    nextRetryDelay: retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, LONGEST_PAUSE_MS),
  });
}
