import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../../temporal/queues.ts';
import { kindAttribute, serviceAttribute, teamAttribute } from '../../../../temporal/search-attributes.ts';
import type { WorkflowState } from '../../runs/index.ts';
import { FINDING_WORKFLOW, findingChangedSignal, findingWorkflowId, type FindingStatus } from '../contract.ts';
import type { Finding } from '../entities.ts';
import type { FindingWorkflowInput } from './contract.ts';

/** A caller waits at most this long for Temporal; what it did not take is repeated by the sweeper. */
const CONTROL_DEADLINE_MS = 5_000;
/** Whatever was missed, for example that the agent was deleted, is noticed by then. */
const LOOK_AGAIN_SECONDS = 24 * 3_600;

export type ToldFinding = Pick<Finding, 'id' | 'teamId' | 'title' | 'service' | 'revision' | 'status'>;

/** Starts and tells the workflows of findings. */
export interface FindingLauncher {
  /** Tells a finding's workflow that its row has changed; one that is missing is started. @throws when Temporal did not take it */
  tell(finding: ToldFinding): Promise<void>;
  state(findingId: string): Promise<WorkflowState>;
}

/** @param options for tests and benches: another queue than the product's own, another length of history */
export function createFindingLauncher(
  client: Client,
  options: { taskQueue?: string } & Partial<Pick<FindingWorkflowInput, 'lookAgainSeconds' | 'readsPerHistory'>> = {},
): FindingLauncher {
  const { taskQueue = TASK_QUEUE, lookAgainSeconds = LOOK_AGAIN_SECONDS, readsPerHistory } = options;
  const soon = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + CONTROL_DEADLINE_MS, call);
  return {
    async tell({ id, teamId, title, service, revision, status }) {
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
    async state(findingId) {
      try {
        const { status } = await soon(() => client.workflow.getHandle(findingWorkflowId(findingId)).describe());
        return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' ? 'running' : { closed: status.name };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'missing';
        throw error;
      }
    },
  };
}
