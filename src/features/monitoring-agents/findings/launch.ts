import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../../temporal/queues.ts';
import { kindAttribute, serviceAttribute, teamAttribute } from '../../../../temporal/search-attributes.ts';
import { createWorkflowControl, type WorkflowState } from '../../runs/index.ts';
import { FINDING_WORKFLOW, findingChangedSignal, findingWorkflowId, type FindingStatus } from '../contract.ts';
import type { Finding } from '../entities.ts';
import type { FindingWorkflowInput } from './contract.ts';

/** A missed change, such as the agent's deletion, is noticed by then. */
const LOOK_AGAIN_SECONDS = 24 * 3_600;

export type ChangedFinding = Pick<Finding, 'id' | 'teamId' | 'title' | 'service' | 'revision' | 'status'>;

/** Starts and notifies the workflows of findings. */
export interface FindingLauncher {
  /**
   * Notifies a finding's workflow that its row has changed; starts a missing workflow. @throws when Temporal did not
   * accept it
   */
  notify(finding: ChangedFinding): Promise<void>;
  state(findingId: string): Promise<WorkflowState>;
}

/** @param options for tests and benches: task queue, history length, and Temporal timeout in ms */
export function createFindingLauncher(
  client: Client,
  options: { taskQueue?: string; deadlineMs?: number } & Partial<
    Pick<FindingWorkflowInput, 'lookAgainSeconds' | 'readsPerHistory'>
  > = {},
): FindingLauncher {
  const { taskQueue = TASK_QUEUE, lookAgainSeconds = LOOK_AGAIN_SECONDS, readsPerHistory } = options;
  const { soon, state } = createWorkflowControl(client, options.deadlineMs);
  return {
    async notify({ id, teamId, title, service, revision, status }) {
      const input: FindingWorkflowInput = {
        findingId: id,
        teamId,
        lookAgainSeconds,
        ...(readsPerHistory !== undefined && { readsPerHistory }),
      };
      const change: [{ revision: number; status: FindingStatus }] = [{ revision, status }];
      await soon(() =>
        client.workflow.signalWithStart(FINDING_WORKFLOW, {
          taskQueue,
          workflowId: findingWorkflowId(id),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          args: [input],
          signal: findingChangedSignal,
          signalArgs: change,
          staticSummary: title.slice(0, 200),
          typedSearchAttributes: new TypedSearchAttributes([
            { key: teamAttribute, value: teamId },
            { key: kindAttribute, value: 'finding' },
            ...(service === null ? [] : [{ key: serviceAttribute, value: service }]),
          ]),
        }),
      );
    },
    state: (findingId) => state(findingWorkflowId(findingId)),
  };
}
