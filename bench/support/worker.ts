/**
 * The worker of the benchmarks: set up as the product's own, plus the bare workflow and a tool that returns as much as
 * it is asked for. It sweeps nothing up, since nothing crashes here.
 */
import { join } from 'node:path';
import { createActivities } from '../../activities/index.ts';
import { composeRuns } from '../../src/bin/compose-runs.ts';
import { loadConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openOrm } from '../../src/db/orm.ts';
import { createExcerptMatcher } from '../../src/features/citations/index.ts';
import { createSourceCatalog } from '../../src/features/sources/index.ts';
import { createModelClient } from '../../src/platform/anthropic/index.ts';
import { createEventLog } from '../../src/platform/event-log/index.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createSecretBox, loadSecretKey } from '../../src/platform/secrets/index.ts';
import { stopOnSignal } from '../../src/platform/shutdown.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createWorker } from '../../temporal/worker.ts';
import { payloadTool } from './payload-tool.ts';

const config = loadConfig();
const { databaseUrl, temporal, model } = config;
if (databaseUrl === undefined || temporal.address === undefined) throw new Error('This is started by a benchmark.');
const log = createLogger({ name: 'worker', level: config.logLevel });
const orm = await openOrm({ databaseUrl, poolSize: 20, log });
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
});
const activities = createActivities(deps);
const { worker, run } = await createWorker({
  address: temporal.address,
  namespace: temporal.namespace,
  activities,
  worker: { workflowsPath: join(import.meta.dirname, '..', 'workflows', 'index.ts') },
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
