import { WorkflowNotFoundError, type Client } from '@temporalio/client';

/** A caller waits at most this long for Temporal to take a start or a signal; what it did not take is repeated by a sweeper. */
const CONTROL_DEADLINE_MS = 5_000;

/** What Temporal knows of a workflow; `closed` carries how it ended, as Temporal names it. */
export type WorkflowState = 'running' | 'missing' | { closed: string };

/** What starting and controlling workflows has in common, whatever they are. */
export interface WorkflowControl {
  /** Calls Temporal, and waits for it no longer than callers can. */
  soon<T>(call: () => Promise<T>): Promise<T>;
  state(workflowId: string): Promise<WorkflowState>;
}

/** @param deadlineMs how long Temporal is waited for, ms; another than the product's own for tests */
export function createWorkflowControl(client: Client, deadlineMs = CONTROL_DEADLINE_MS): WorkflowControl {
  const soon = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + deadlineMs, call);
  return {
    soon,
    async state(workflowId) {
      try {
        const { status } = await soon(() => client.workflow.getHandle(workflowId).describe());
        return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' ? 'running' : { closed: status.name };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'missing';
        throw error;
      }
    },
  };
}
