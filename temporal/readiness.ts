import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { TASK_QUEUE } from './queues.ts';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;
/** A live worker renews its long poll at least this often. */
const POLLED_WITHIN_MS = 90_000;

/** Resolves when the namespace is usable. */
export async function temporalReady(client: Client, signal: AbortSignal): Promise<void> {
  await client.withAbortSignal(signal, () =>
    client.workflowService.describeNamespace({ namespace: client.options.namespace }),
  );
}

/** Resolves when both workflow and activity pollers exist on the queue. @throws when either is missing */
export async function workersReady(client: Client, taskQueue = TASK_QUEUE): Promise<void> {
  const { namespace } = client.options;
  await Promise.all(
    [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY].map(async (taskQueueType) => {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType,
      });
      const recent = (pollers ?? []).some(
        ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < POLLED_WITHIN_MS,
      );
      if (!recent) throw Object.assign(new Error('No worker polls the task queue.'), { code: 'no_worker' });
    }),
  );
}
