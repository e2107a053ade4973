/** The worker process: runs workflows and activities, and sweeps up what crashes leave behind. */
import { Connection } from '@temporalio/client';
import { startOfflineModel } from '@casebook/offline-model';
import { registerSearchAttributes } from '../../temporal/connection.ts';
import { installRuntime } from '../../temporal/runtime.ts';
import { createWorker } from '../../temporal/worker.ts';
import { activitiesOf, composeRooms, openCore, sweepsOf, temporalTarget } from '../compose.ts';
import { loadConfig, type FullConfig } from '../rooms.ts';
import { migrate } from '../db/migrate.ts';
import { createModelClient, type ModelClient } from '../platform/anthropic/index.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { stopOnSignal, untilUp } from '../platform/lifecycle.ts';
import { startSweeping } from './sweeping.ts';

/** Starts polling and returns; `stop` drains running work. */
export async function startWorker(
  config: FullConfig,
  log: Logger,
): Promise<{ stop(): Promise<void>; ended: Promise<void> }> {
  const stopping = new AbortController();
  const wait = { log, signal: stopping.signal };
  const target = temporalTarget(config);
  const core = await openCore(config, log);
  const { databaseUrl = '', workflowBundle, temporal, cachedWorkflows, sweepSeconds } = config;
  await untilUp('PostgreSQL', () => migrate(databaseUrl, (message) => log.info(message)), wait);
  await untilUp('Temporal', () => prepareTemporal(target), wait);
  const { model, stop: stopModel } = await openModel(config);
  core.closing.defer(stopModel);
  log.info({ provider: model.provider, model: model.model }, 'model chosen');

  const house = composeRooms({ ...core, model });
  const activities = activitiesOf(house);
  const { worker, run } = await untilUp(
    'Temporal',
    () =>
      createWorker({
        ...target,
        activities,
        workflowBundle,
        taskQueue: temporal.taskQueue,
        worker: { maxCachedWorkflows: cachedWorkflows },
      }),
    wait,
  );
  const sweeping = startSweeping(house, sweepsOf(house), sweepSeconds * 1_000);
  log.info('working');

  const close = async (): Promise<void> => {
    await sweeping.stop();
    await core.closing.disposeAsync();
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
      await sweeping.stop();
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

/** Without a key and a base URL, this process serves the offline model on loopback. */
async function openModel({ model }: FullConfig): Promise<{ model: ModelClient; stop: () => Promise<void> }> {
  const options = { apiKey: model.apiKey, baseUrl: model.baseUrl, model: model.name };
  if (model.apiKey || model.baseUrl) return { model: createModelClient(options), stop: async () => {} };
  const offline = await startOfflineModel();
  return { model: createModelClient({ ...options, offlineBaseUrl: offline.url }), stop: () => offline.stop() };
}

if (import.meta.main) {
  const config = loadConfig();
  const log = createLogger({ name: 'worker', level: config.logLevel });
  installRuntime(log, config.workerMetricsPort);
  const worker = await startWorker(config, log);
  stopOnSignal(log, () => worker.stop());
  await worker.ended;
}
