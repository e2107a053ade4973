/**
 * The worker of the benchmarks: set up as the product's own, plus the bare workflows with what they need, and a tool that
 * returns as much as it is asked for. It sweeps nothing up, since nothing crashes here. `BENCH_TASK_QUEUE` and
 * `BENCH_CACHED_WORKFLOWS` set another queue and another size of the cache than the product's.
 */
import { join } from 'node:path';
import { createActivities } from '../../activities/index.ts';
import { composeRuns } from '../../src/bin/compose-runs.ts';
import { loadConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openOrm } from '../../src/db/orm.ts';
import { entities } from '../../src/rooms.ts';
import { createExcerptMatcher } from '../../src/features/citations/index.ts';
import { createSourceCatalog } from '../../src/features/sources/index.ts';
import { createModelClient } from '../../src/platform/anthropic/index.ts';
import { createEventLog } from '../../src/platform/event-log/index.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createSecretBox, loadSecretKey } from '../../src/platform/secrets/index.ts';
import { stopOnSignal } from '../../src/platform/shutdown.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { installRuntime } from '../../temporal/runtime.ts';
import { createWorker } from '../../temporal/worker.ts';
import type { TickActivities } from '../workflows/timers.ts';
import { payloadTool } from './payload-tool.ts';

const config = loadConfig();
const { databaseUrl, temporal, model } = config;
if (databaseUrl === undefined || temporal.address === undefined) throw new Error('This is started by a benchmark.');
const { BENCH_TASK_QUEUE: taskQueue, BENCH_CACHED_WORKFLOWS: cached } = process.env;
const log = createLogger({ name: 'worker', level: config.logLevel });
installRuntime(log, config.workerMetricsPort);
const orm = await openOrm({ databaseUrl, entities, poolSize: 20, log });
await migrate(databaseUrl);
const events = createEventLog({ databaseUrl, log });
const client = createTemporalClient({ address: temporal.address, namespace: temporal.namespace });
const matcher = createExcerptMatcher();
const { deps } = composeRuns({
  config,
  orm,
  events,
  client,
  model: createModelClient({ apiKey: model.apiKey, baseUrl: model.baseUrl }),
  sources: createSourceCatalog({ ...config.sources, logger: log }),
  log,
  matcher,
  secrets: createSecretBox([await loadSecretKey(config)]),
  tools: [payloadTool],
  taskQueue,
});
const ticks: TickActivities = {
  benchTick: async () => Date.now(),
  benchCheck: async ({ sessionId }) => resultOf(sessionId),
};
const activities = { ...createActivities(deps), ...ticks };
const { worker, run } = await createWorker({
  address: temporal.address,
  namespace: temporal.namespace,
  activities,
  taskQueue,
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
await matcher.close();
await client.connection.close();
await events.close();
await orm.close(true);

/** As large as what a check of the product answers to its workflow. */
function resultOf(sessionId: string): object {
  const at = Date.now();
  const result = { checkId: 'check-0', sessionId, status: 'ok', digest: '1 series, none is a finding', finishedAt: at };
  return { result: { ...result, durationMs: 5 }, next: { dueAt: at, silentAt: at, missed: 0 } };
}
