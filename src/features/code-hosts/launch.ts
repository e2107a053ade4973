import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../temporal/queues.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import { createWorkflowControl, type WorkflowState } from '../runs/index.ts';
import { MIRROR_WORKFLOW, mirrorWantedSignal, mirrorWorkflowId, type MirrorWorkflowInput } from './contract.ts';
import type { Repository } from './entities.ts';

/** Short enough to seem immediate; long enough that a push of a branch and a tag is one fetch. */
const FIRST_PAUSE_MS = 250;
/** A repository that is pushed to all the time is fetched this often. */
const LONGEST_PAUSE_MS = 15_000;

/** Starts the workflows of mirrors. */
export interface MirrorLauncher {
  /** Tells the repository's workflow that newer commits are wanted; starts a missing one. @throws when Temporal did not accept it */
  want(repository: Pick<Repository, 'id' | 'teamId' | 'fullName'>): Promise<void>;
  state(repositoryId: string): Promise<WorkflowState>;
}

/** @param options for tests and benches: task queue, Temporal timeout in ms, pauses and history length */
export function createMirrorLauncher(
  client: Client,
  options: { taskQueue?: string; deadlineMs?: number } & Partial<
    Pick<MirrorWorkflowInput, 'pauseMs' | 'longestPauseMs' | 'fetchesPerHistory'>
  > = {},
): MirrorLauncher {
  const { taskQueue = TASK_QUEUE, pauseMs = FIRST_PAUSE_MS, longestPauseMs = LONGEST_PAUSE_MS } = options;
  const { fetchesPerHistory } = options;
  const { soon, state } = createWorkflowControl(client, options.deadlineMs);
  return {
    async want({ id, teamId, fullName }) {
      const input: MirrorWorkflowInput = {
        repositoryId: id,
        teamId,
        pauseMs,
        longestPauseMs,
        ...(fetchesPerHistory !== undefined && { fetchesPerHistory }),
      };
      await soon(() =>
        client.workflow.signalWithStart(MIRROR_WORKFLOW, {
          taskQueue,
          workflowId: mirrorWorkflowId(id),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          args: [input],
          signal: mirrorWantedSignal,
          staticSummary: fullName.slice(0, 200),
          typedSearchAttributes: new TypedSearchAttributes([
            { key: teamAttribute, value: teamId },
            { key: kindAttribute, value: 'mirror' },
          ]),
        }),
      );
    },
    state: (repositoryId) => state(mirrorWorkflowId(repositoryId)),
  };
}
