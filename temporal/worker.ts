import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { TemporalTarget } from './connection.ts';
import { TASK_QUEUE } from './queues.ts';

/** The entry point for `bundleWorkflowCode`; Node's own resolution does not apply inside the bundle. */
export const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

export interface CasebookWorkerOptions extends TemporalTarget {
  activities: object;
  /** Path of the workflow bundle written by `bundle.ts`; by default it is bundled at every start. */
  workflowBundle?: string;
  taskQueue?: string;
  /** Overrides for tests and benches. */
  worker?: Partial<WorkerOptions>;
}

/** A worker and the connection it owns. */
interface CasebookWorker {
  worker: Worker;
  /** Polls until `worker.shutdown()`, then drains running tasks. */
  run(): Promise<void>;
}

/**
 * Connects, and bundles the workflow code if no bundle is given.
 * @throws when Temporal cannot be reached; the caller decides how long to retry
 */
export async function createWorker(options: CasebookWorkerOptions): Promise<CasebookWorker> {
  const connection = await NativeConnection.connect({ address: options.address });
  const worker = await Worker.create({
    connection,
    namespace: options.namespace,
    taskQueue: options.taskQueue ?? TASK_QUEUE,
    ...(options.workflowBundle === undefined
      ? { workflowsPath }
      : { workflowBundle: { codePath: options.workflowBundle } }),
    activities: options.activities,
    // A cached run costs up to a megabyte; a run that is not cached replays its history on every query.
    maxCachedWorkflows: 500,
    maxConcurrentActivityTaskExecutions: 100,
    // The default of 30 s would hide a killed worker, or a cancellation, for that long.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    shutdownGraceTime: '20s',
    shutdownForceTime: '30s',
    ...options.worker,
  });
  return {
    worker,
    async run() {
      try {
        await worker.run();
      } finally {
        await connection.close();
      }
    },
  };
}
