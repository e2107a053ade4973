import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../temporal/queues.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import { cancelRunSignal, runProgressQuery, userMessageSignal, type RunKind, type RunProgress } from './contract.ts';
import { createWorkflowControl, type WorkflowState } from './control.ts';

/** Starts and controls the workflows of one kind of run. */
export interface RunLauncher<Row> {
  /** Starts the workflow; harmless when it was started before. @throws when Temporal did not take it */
  start(row: Row): Promise<void>;
  /** @returns false when there is no running workflow to cancel */
  cancel(id: string, reason: string): Promise<boolean>;
  /** @returns false when there is no running workflow to tell */
  messageAdded(id: string, messageId: string): Promise<boolean>;
  progress(workflowId: string): Promise<RunProgress>;
  /** What Temporal knows of the workflow, or `missing`. */
  state(id: string): Promise<WorkflowState>;
}

/** How a row becomes a workflow. */
export interface LaunchedKind<Row> {
  kind: RunKind;
  /** The workflow type, as exported from `workflows/index.ts`. */
  workflow: string;
  /** Derives from the row's id: a repeated start is harmless. */
  workflowId: (id: string) => string;
  /** Another queue than the product's own, for tests and benches. */
  taskQueue?: string;
  /** How long Temporal is waited for, ms; likewise. */
  deadlineMs?: number;
  /** The workflow's one argument, and what operators read of it: `summary` is one line, `details` may be more. */
  describe: (row: Row) => { teamId: string; input: object; summary: string; details: string };
}

export function createRunLauncher<Row extends { id: string }>(
  client: Client,
  { kind, workflow, workflowId, taskQueue = TASK_QUEUE, deadlineMs, describe }: LaunchedKind<Row>,
): RunLauncher<Row> {
  const handle = (id: string) => client.workflow.getHandle(workflowId(id));
  const { soon, state } = createWorkflowControl(client, deadlineMs);

  return {
    async start(row) {
      const { teamId, input, summary, details } = describe(row);
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
              { key: teamAttribute, value: teamId },
              { key: kindAttribute, value: kind },
            ]),
          }),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
    cancel: (id, reason) => unlessGone(() => soon(() => handle(id).signal(cancelRunSignal, { reason }))),
    messageAdded: (id, messageId) => unlessGone(() => soon(() => handle(id).signal(userMessageSignal, { messageId }))),
    progress: (id) => soon(() => client.workflow.getHandle(id).query(runProgressQuery)),
    state: (id) => state(workflowId(id)),
  };
}

async function unlessGone(signal: () => Promise<void>): Promise<boolean> {
  try {
    await signal();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
