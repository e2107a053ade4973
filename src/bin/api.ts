/** The API process: answers HTTP, starts workflows, streams events. Stateless. */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { temporalReady, workersReady } from '../../temporal/connection.ts';
import { createApp, type AppDeps } from '../app.ts';
import { composeRooms, openCore, type House } from '../compose.ts';
import { loadConfig, type FullConfig } from '../rooms.ts';
import { migrate } from '../db/migrate.ts';
import { bootstrapFirstTeam } from '../features/identity/index.ts';
import { registerMirrorMetrics } from '../features/code-hosts/index.ts';
import { createAdmission, createSatelliteGateway, registerSatelliteMetrics } from '../features/satellites/index.ts';
import { createLiveGateway, registerWorkspaceMetrics } from '../features/workspace/index.ts';
import { sharedChecks } from '../features/service/index.ts';
import type { ReadinessCheck } from '../http/deps.ts';
import { addressOf } from '../http/rate-limit/limit.ts';
import { createRateLimiters } from '../http/rate-limit/index.ts';
import { createHttpServer } from '../http/server.ts';
import { upgradesTo } from '../http/upgrades.ts';
import { assertDiskSpace } from '../platform/disk.ts';
import { assertLogWritten, createLogger, type Logger } from '../platform/logger.ts';
import { stopOnSignal, untilUp } from '../platform/lifecycle.ts';

export interface RunningApi {
  port: number;
  deps: AppDeps & House;
  /** Resolves when the schema is up to date and the first team exists. */
  prepared: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Listens at once, so that /readyz can say what is missing; the schema and the first team follow as soon as possible.
 */
export async function startApi(config: FullConfig, log: Logger): Promise<RunningApi> {
  const core = await openCore(config, log);
  const house = composeRooms(core);
  const { orm, events, client, clock, closing, satellites, workspacesDir } = house;
  const stopping = new AbortController();
  const redis =
    config.redisUrl === undefined
      ? undefined
      : new Redis(config.redisUrl, { lazyConnect: true, maxRetriesPerRequest: 1 });
  redis?.on('error', (error: Error) => log.debug({ err: error }, 'redis'));
  closing.defer(() => redis?.disconnect());
  const rateLimiters = createRateLimiters({ config, clock, log, redis });

  let prepared = false;
  const readiness: ReadinessCheck[] = [
    { name: 'postgres', check: async () => void (await orm.em.fork().execute('select 1')) },
    { name: 'schema', check: async () => assertPrepared(prepared) },
    { name: 'temporal', check: (signal) => temporalReady(client, signal) },
    { name: 'worker', check: () => workersReady(client, config.temporal.taskQueue) },
    { name: 'event log', check: () => events.check() },
    { name: 'log', check: async () => assertLogWritten() },
    { name: 'disk', check: () => assertDiskSpace([config.home, workspacesDir]) },
  ];
  const deps: AppDeps & House = {
    ...house,
    ...rateLimiters,
    readiness,
    metrics: new Registry(),
    reachability: sharedChecks(readiness, () => Date.now()),
  };
  const app = createApp(deps);
  const contextOf = (request: IncomingMessage): Context => app.createContext(request, new ServerResponse(request));
  const gateway = createSatelliteGateway({
    orm,
    events,
    clock,
    log,
    secrets: house.secrets,
    graphs: satellites.graphs,
    admission: createAdmission({
      orm,
      pepper: satellites.tokenPepper,
      clock,
      failedAuthLimiter: rateLimiters.failedAuthLimiter,
      addressOf: (request) => addressOf(contextOf(request)),
    }),
  });
  registerSatelliteMetrics(deps.metrics, gateway);
  registerMirrorMetrics(deps.metrics, orm);
  const live = createLiveGateway(deps, contextOf);
  registerWorkspaceMetrics(deps.metrics, { gateway: live, workspaces: house.workspaces });
  const upgrades = upgradesTo(gateway, live);
  const server = await createHttpServer(app, { host: config.host, port: config.port, upgrades });
  log.info({ port: server.port }, 'listening');

  const preparing = untilUp('PostgreSQL', () => prepare(house), {
    log,
    signal: stopping.signal,
  }).then(() => {
    prepared = true;
  });
  return {
    port: server.port,
    deps,
    prepared: preparing,
    async stop() {
      stopping.abort(new Error('The API is stopping.'));
      await preparing.catch(() => undefined);
      // Stop listening before anybody is disconnected: they reconnect at once, and must not reach this node again.
      const stopped = server.stop();
      // The open requests of satellites are sent again by another node.
      await Promise.all([gateway.stop(), live.stop()]);
      await stopped;
      await closing.disposeAsync();
    },
  };
}

async function prepare({ config, orm, authenticator, log }: House): Promise<void> {
  await migrate(config.databaseUrl ?? '', (message) => log.info(message));
  const { generatedApiKey } = await bootstrapFirstTeam(orm.em, {
    apiKey: config.bootstrapApiKey,
    hash: (apiKey) => authenticator.hash(apiKey),
  });
  if (generatedApiKey === undefined) return;
  log.info('Created the first team.');
  // Shown once and never stored: printed to standard output, but not as a log record that would be kept.
  console.log(`API key of the first team (shown once): ${generatedApiKey}`);
}

function assertPrepared(prepared: boolean): void {
  if (!prepared) throw Object.assign(new Error('The schema is not up to date yet.'), { code: 'not_migrated' });
}

if (import.meta.main) {
  const config = loadConfig();
  const log = createLogger({ name: 'api', level: config.logLevel });
  const api = await startApi(config, log);
  stopOnSignal(log, () => api.stop());
  await api.prepared;
}
