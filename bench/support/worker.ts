/**
 * The worker of the benchmarks: set up as the product's own, plus the bare workflows with what they need, and a tool that
 * returns as much as it is asked for. It sweeps nothing up, since nothing crashes here. `BENCH_CACHED_WORKFLOWS`
 * sets another size of the cache than the product's.
 */
import { join } from 'node:path';
import { activitiesOf, composeRooms, openCore, productRooms } from '../../src/compose.ts';
import { loadConfig } from '../../src/rooms.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createModelClient } from '../../src/platform/anthropic/index.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { stopOnSignal } from '../../src/platform/lifecycle.ts';
import { installRuntime } from '../../temporal/runtime.ts';
import { createWorker } from '../../temporal/worker.ts';
import type { TickActivities } from '../workflows/timers.ts';
import { payloadTool } from './payload-tool.ts';

const config = loadConfig();
const { databaseUrl, temporal, model } = config;
if (databaseUrl === undefined || temporal.address === undefined) throw new Error('This is started by a benchmark.');
const { BENCH_CACHED_WORKFLOWS: cached } = process.env;
const log = createLogger({ name: 'worker', level: config.logLevel });
installRuntime(log, config.workerMetricsPort);
const core = await openCore(config, log);
await migrate(databaseUrl);
const rooms = [...productRooms, { name: 'bench', tools: [payloadTool] }];
const house = composeRooms(
  { ...core, model: createModelClient({ apiKey: model.apiKey, baseUrl: model.baseUrl }) },
  rooms,
);
const ticks: TickActivities = {
  benchTick: async () => Date.now(),
  benchCheck: async ({ sessionId }) => resultOf(sessionId),
};
const activities = { ...activitiesOf(house, rooms), ...ticks };
const { worker, run } = await createWorker({
  address: temporal.address,
  namespace: temporal.namespace,
  activities,
  taskQueue: temporal.taskQueue,
  worker: {
    workflowsPath: join(import.meta.dirname, '..', 'workflows', 'index.ts'),
    ...(cached ? { maxCachedWorkflows: Number(cached) } : {}),
  },
});
const running = run();
stopOnSignal(log, async () => {
  if (worker.getState() === 'RUNNING') worker.shutdown();
  await running;
});
await running;
await core.closing.disposeAsync();

/** As large as what a check of the product answers to its workflow. */
function resultOf(sessionId: string): object {
  const at = Date.now();
  const result = { checkId: 'check-0', sessionId, status: 'ok', digest: '1 series, none is a finding', finishedAt: at };
  return { result: { ...result, durationMs: 5 }, next: { dueAt: at, silentAt: at, missed: 0 } };
}
