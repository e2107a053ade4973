import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';

/** How long a caller waits for Temporal to accept a start or signal; a sweeper repeats what it did not accept. */
const CONTROL_DEADLINE_MS = 5_000;

/** A workflow's state in Temporal; `closed` holds Temporal's name for how it ended. */
export type WorkflowState = 'running' | 'missing' | { closed: string };

/** Starts and controls workflows of any type. */
export interface WorkflowControl {
  /** Calls Temporal with a deadline. */
  soon<T>(call: () => Promise<T>): Promise<T>;
  state(workflowId: string): Promise<WorkflowState>;
  /** @returns false if there is no running workflow to signal. @throws if Temporal did not accept it */
  signal<Args extends unknown[]>(
    workflowId: string,
    definition: SignalDefinition<Args>,
    ...args: Args
  ): Promise<boolean>;
}

/** @param deadlineMs how long to wait for Temporal, ms */
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
    async signal(workflowId, definition, ...args) {
      try {
        await soon(() => client.workflow.getHandle(workflowId).signal(definition, ...args));
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
  };
}
