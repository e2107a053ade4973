import type { Client, WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { HistoryEvent } from './history-actions.ts';

export interface RunHistory {
  events: HistoryEvent[];
  /** As the server counts them. */
  bytes: number;
  /** It was continued as new: nothing more is added to it. */
  isContinued: boolean;
}

/** The histories of a workflow from one run on, over continue-as-new. */
export async function historiesOf(client: Client, workflowId: string, firstRunId: string): Promise<RunHistory[]> {
  const histories: RunHistory[] = [];
  for (let runId: string | null | undefined = firstRunId; runId;) {
    const handle: WorkflowHandle = client.workflow.getHandle(workflowId, runId);
    const [{ events }, { historySize }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
    const last: HistoryEvent | undefined = events?.at(-1);
    const next: string | null | undefined = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    histories.push({ events: events ?? [], bytes: historySize ?? 0, isContinued: Boolean(next) });
    runId = next;
  }
  return histories;
}

/** Bytes of events as they are sent and stored. */
export const bytesOf = (events: readonly HistoryEvent[]): number =>
  proto.temporal.api.history.v1.History.encode({ events: [...events] }).finish().length;
