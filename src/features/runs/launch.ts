import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../temporal/queues.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import { cancelRunSignal, runProgressQuery, userMessageSignal, type RunBudget, type RunProgress } from './contract.ts';
import { createWorkflowControl, type WorkflowState } from './control.ts';
import type { Run } from './entities.ts';
import type { RunKindDefinition } from './kind.ts';

/** Starts and controls the workflows of one kind of run. */
export interface RunLauncher<Row> {
  /** Starts the workflow; harmless if it was started before. @throws if Temporal did not accept it */
  start(row: Row): Promise<void>;
  /** @returns false if there is no running workflow to cancel */
  cancel(id: string, reason: string): Promise<boolean>;
  /** @returns false if there is no running workflow to notify */
  messageAdded(id: string, messageId: string): Promise<boolean>;
  progress(workflowId: string): Promise<RunProgress>;
  /** The workflow's state in Temporal, or `missing`. */
  state(id: string): Promise<WorkflowState>;
}

/** How a process launches workflows. */
export interface LaunchOptions {
  /** Bounds of every run. */
  budget: RunBudget;
  /** The task queue, if not the product's own. */
  taskQueue?: string;
  /** How long to wait for Temporal, ms. */
  deadlineMs?: number;
}

export function createRunLauncher<Row extends Run>(
  client: Client,
  { kind, workflowId, start }: Pick<RunKindDefinition<Row, never, never>, 'kind' | 'workflowId' | 'start'>,
  { budget, taskQueue = TASK_QUEUE, deadlineMs }: LaunchOptions,
): RunLauncher<Row> {
  const { soon, state, signal } = createWorkflowControl(client, deadlineMs);

  return {
    async start(row) {
      if (!start) throw new TypeError(`Another workflow starts runs of the kind ${kind}.`);
      const { workflow, input, summary, details } = start(row, budget);
      try {
        await soon(() =>
          client.workflow.start(workflow, {
            taskQueue,
            workflowId: workflowId(row.id),
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'USE_EXISTING',
            args: [input],
            staticSummary: summary,
            staticDetails: details,
            typedSearchAttributes: new TypedSearchAttributes([
              { key: teamAttribute, value: row.teamId },
              { key: kindAttribute, value: kind },
            ]),
          }),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
    cancel: (id, reason) => signal(workflowId(id), cancelRunSignal, { reason }),
    messageAdded: (id, messageId) => signal(workflowId(id), userMessageSignal, { messageId }),
    progress: (id) => soon(() => client.workflow.getHandle(id).query(runProgressQuery)),
    state: (id) => state(workflowId(id)),
  };
}
