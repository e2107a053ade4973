import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../temporal/queues.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import {
  cancelRunSignal,
  runProgressQuery,
  userMessageSignal,
  type RunBudget,
  type RunProgress,
} from '../runs/contract.ts';
import { titleOf } from './title.ts';
import { INVESTIGATION_WORKFLOW, investigationWorkflowId, type InvestigationWorkflowInput } from './contract.ts';

/** A caller waits at most this long for Temporal to take a start or a signal; a start or cancellation that it did not take is repeated by the sweeper. */
const CONTROL_DEADLINE_MS = 5_000;

/** Starts and controls the workflows of investigations. */
export interface InvestigationLauncher {
  /** Starts the workflow; harmless when it was started before. @throws when Temporal did not take it */
  start(investigation: { id: string; teamId: string; query: string }): Promise<void>;
  /** @returns false when there is no running workflow to cancel */
  cancel(investigationId: string, reason: string): Promise<boolean>;
  /** @returns false when there is no running workflow to tell */
  messageAdded(investigationId: string, messageId: string): Promise<boolean>;
  progress(workflowId: string): Promise<RunProgress>;
  /** What Temporal knows of the workflow, or `missing`. */
  state(investigationId: string): Promise<'running' | 'missing' | { closed: string }>;
}

/**
 * @param budget bounds of every run that is started here
 * @param taskQueue another queue than the product's own, for tests and benches
 */
export function createInvestigationLauncher(
  client: Client,
  budget: RunBudget,
  taskQueue = TASK_QUEUE,
): InvestigationLauncher {
  const handle = (investigationId: string) => client.workflow.getHandle(investigationWorkflowId(investigationId));
  const soon = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + CONTROL_DEADLINE_MS, call);

  return {
    async start({ id, teamId, query }) {
      const input: InvestigationWorkflowInput = { investigationId: id, teamId, budget };
      try {
        await soon(() =>
          client.workflow.start(INVESTIGATION_WORKFLOW, {
            taskQueue,
            workflowId: investigationWorkflowId(id),
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'USE_EXISTING',
            args: [input],
            staticSummary: titleOf(query),
            staticDetails: query.slice(0, 4_000),
            typedSearchAttributes: new TypedSearchAttributes([
              { key: teamAttribute, value: teamId },
              { key: kindAttribute, value: 'investigation' },
            ]),
          }),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
    cancel: (id, reason) => unlessGone(() => soon(() => handle(id).signal(cancelRunSignal, { reason }))),
    messageAdded: (id, messageId) => unlessGone(() => soon(() => handle(id).signal(userMessageSignal, { messageId }))),
    progress: (workflowId) =>
      client.withDeadline(Date.now() + CONTROL_DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId).query(runProgressQuery),
      ),
    async state(id) {
      try {
        const { status } = await soon(() => handle(id).describe());
        return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' ? 'running' : { closed: status.name };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'missing';
        throw error;
      }
    },
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
