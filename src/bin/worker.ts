/** The worker process: runs workflows and activities, and sweeps up what crashes leave behind. */
import { Connection } from '@temporalio/client';
import { createActivities } from '../../activities/index.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { registerSearchAttributes } from '../../temporal/register-search-attributes.ts';
import { installRuntime } from '../../temporal/runtime.ts';
import { createWorker } from '../../temporal/worker.ts';
import { loadConfig, type Config } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { openOrm } from '../db/orm.ts';
import { entities } from '../rooms.ts';
import { createExcerptMatcher } from '../features/citations/index.ts';
import { createSourceCatalog } from '../features/sources/index.ts';
import { startOfflineModel } from '@casebook/offline-model';
import { createModelClient, type ModelClient } from '../platform/anthropic/index.ts';
import { systemClock } from '../platform/clock.ts';
import { createEventLog } from '../platform/event-log/index.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { createSecretBox, loadSecretKey } from '../platform/secrets/index.ts';
import { stopOnSignal } from '../platform/shutdown.ts';
import { untilUp } from '../platform/until-up.ts';
import { composeRuns } from './compose-runs.ts';
import { startSweeping } from './sweeping.ts';

/** Starts polling and returns; `stop` drains what runs. */
export async function startWorker(
  config: Config,
  log: Logger,
): Promise<{ stop(): Promise<void>; ended: Promise<void> }> {
  const stopping = new AbortController();
  const wait = { log, signal: stopping.signal };
  const target = { address: config.temporal.address ?? 'localhost:7233', namespace: config.temporal.namespace };
  const databaseUrl = required(config.databaseUrl, 'DATABASE_URL');

  const orm = await openOrm({ databaseUrl, entities, poolSize: 20, log });
  await untilUp('PostgreSQL', () => migrate(databaseUrl, (message) => log.info(message)), wait);
  await untilUp('Temporal', () => prepareTemporal(target), wait);
  const events = createEventLog({ databaseUrl, redisUrl: config.redisUrl, log });
  const { model, stop: stopModel } = await openModel(config);
  log.info({ provider: model.provider, model: model.model }, 'model chosen');

  const client = createTemporalClient(target);
  const sources = createSourceCatalog({ ...config.sources, logger: log });
  const matcher = createExcerptMatcher();
  const secrets = createSecretBox([await loadSecretKey(config)]);
  const { deps, sweeps } = composeRuns({ config, orm, events, client, model, sources, log, matcher, secrets });
  const activities = createActivities(deps);
  const { worker, run } = await untilUp(
    'Temporal',
    () =>
      createWorker({
        ...target,
        activities,
        workflowBundle: config.workflowBundle,
        worker: { maxCachedWorkflows: config.cachedWorkflows },
      }),
    wait,
  );
  const sweeping = startSweeping({ events, clock: systemClock, log }, sweeps);
  log.info('working');

  const close = async (): Promise<void> => {
    await sweeping.stop();
    await stopModel();
    await matcher.close();
    await client.connection.close();
    await events.close();
    await orm.close(true);
  };
  const ended = (async () => {
    try {
      await run();
    } finally {
      await close();
    }
  })();
  return {
    ended,
    async stop() {
      stopping.abort(new Error('The worker is stopping.'));
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}

async function prepareTemporal(target: { address: string; namespace: string }): Promise<void> {
  const connection = await Connection.connect({ address: target.address });
  try {
    await registerSearchAttributes(connection, target.namespace);
  } finally {
    await connection.close();
  }
}

/** Without a key and a base URL, the offline model is served on loopback by this process. */
async function openModel({ model }: Config): Promise<{ model: ModelClient; stop: () => Promise<void> }> {
  const options = { apiKey: model.apiKey, baseUrl: model.baseUrl, model: model.name };
  if (model.apiKey || model.baseUrl) return { model: createModelClient(options), stop: async () => {} };
  const offline = await startOfflineModel();
  return { model: createModelClient({ ...options, offlineBaseUrl: offline.url }), stop: () => offline.stop() };
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is not set. "npm start" sets it for the embedded servers.`);
  return value;
}

if (import.meta.main) {
  const config = loadConfig();
  const log = createLogger({ name: 'worker', level: config.logLevel });
  installRuntime(log, config.workerMetricsPort);
  const worker = await startWorker(config, log);
  stopOnSignal(log, () => worker.stop());
  await worker.ended;
}
