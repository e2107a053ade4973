/** The API process: answers HTTP, starts workflows, streams events. Holds no state of its own. */
import { ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { createTemporalClient } from '../../temporal/connection.ts';
import { temporalReady, workersReady } from '../../temporal/readiness.ts';
import { createApp, type AppDeps } from '../app.ts';
import { loadConfig, type Config } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { openOrm, type Orm } from '../db/orm.ts';
import { entities } from '../rooms.ts';
import { createChatTurnLauncher } from '../features/chats/index.ts';
import { createExcerptChooser, createExcerptMatcher } from '../features/citations/index.ts';
import { createInvestigationLauncher, createStatusReader } from '../features/investigations/index.ts';
import { createProgressReader, type RunBudget } from '../features/runs/index.ts';
import {
  createAdmission,
  createGraphStore,
  createSatelliteCalls,
  createSatelliteGateway,
  registerSatelliteMetrics,
  tokenPepperFrom,
} from '../features/satellites/index.ts';
import { currentDeployment, sharedChecks } from '../features/service/index.ts';
import {
  bootstrapFirstTeam,
  createAuthenticator,
  createIdentityProvider,
  pepperFrom,
  type ApiKeyAuthenticator,
} from '../features/identity/index.ts';
import { createGitWorkspaces, createWorkspaceDrafts } from '../features/workspace/index.ts';
import type { ReadinessCheck } from '../http/deps.ts';
import { addressOf } from '../http/rate-limit/address.ts';
import { createRateLimiters } from '../http/rate-limit/index.ts';
import { createHttpServer } from '../http/server.ts';
import { systemClock } from '../platform/clock.ts';
import { createEventLog } from '../platform/event-log/index.ts';
import { assertDiskSpace } from '../platform/disk.ts';
import { assertLogWritten, createLogger, type Logger } from '../platform/logger.ts';
import { createSecretBox, loadSecretKey } from '../platform/secrets/index.ts';
import { stopOnSignal } from '../platform/shutdown.ts';
import { untilUp } from '../platform/until-up.ts';
import { composeMonitoring } from './compose-monitoring.ts';
import type { Patience } from './patience.ts';
import { teamSources } from './team-sources.ts';

export interface RunningApi {
  port: number;
  deps: AppDeps;
  /** Resolves when the schema is up to date and the first team is there. */
  prepared: Promise<void>;
  stop(): Promise<void>;
}

export interface ApiOptions {
  /** Another queue than the product's own, for tests and benches. */
  taskQueue?: string;
  /** Overrides of the configured bounds of every run, likewise. */
  budget?: Partial<RunBudget>;
  /** Another length of the histories of monitoring agents, likewise. */
  eventsPerHistory?: number;
  /** More time for what the process needs, likewise. */
  patience?: Patience;
}

/** Listens at once, so that /readyz can say what is missing; the schema and the first team follow as soon as they can. */
export async function startApi(config: Config, log: Logger, options: ApiOptions = {}): Promise<RunningApi> {
  if (config.databaseUrl === undefined) {
    throw new Error('DATABASE_URL is not set. "npm start" sets it for the embedded servers.');
  }
  const startedAt = systemClock.now();
  const { databaseUrl } = config;
  const stopping = new AbortController();
  const { connectTimeoutMs, controlDeadlineMs, gitTimeoutMs, redisTimeoutMs } = options.patience ?? {};
  const orm = await openOrm({ databaseUrl, entities, poolSize: 20, connectTimeoutMs, log });
  const events = createEventLog({ databaseUrl, redisUrl: config.redisUrl, connectTimeoutMs, redisTimeoutMs, log });
  const redis =
    config.redisUrl === undefined
      ? undefined
      : new Redis(config.redisUrl, { lazyConnect: true, maxRetriesPerRequest: 1 });
  redis?.on('error', (error: Error) => log.debug({ err: error }, 'redis'));
  const target = { address: config.temporal.address ?? 'localhost:7233', namespace: config.temporal.namespace };
  const client = createTemporalClient(target);
  const secretKey = await loadSecretKey(config);
  const pepper = pepperFrom(secretKey);
  const tokenPepper = tokenPepperFrom(secretKey);
  const authenticator = createAuthenticator({ orm, pepper, clock: systemClock, log });
  const budget = { ...config.budget, toolTimeoutSeconds: config.toolTimeoutSeconds, ...options.budget };
  const launcher = createInvestigationLauncher(client, budget, options.taskQueue, controlDeadlineMs);
  const turnLauncher = createChatTurnLauncher(client, budget, options.taskQueue, controlDeadlineMs);
  const workspaces = createGitWorkspaces({ directory: config.workspacesDir, gitTimeoutMs });
  const drafts = createWorkspaceDrafts({ orm, workspaces });
  const matcher = createExcerptMatcher();
  const appUrl = config.appUrl ?? `http://localhost:${config.port}`;

  const secrets = createSecretBox([secretKey]);
  const monitoring = composeMonitoring({ config, orm, client, log, secrets, ...options });

  const graphs = createGraphStore({ orm, clock: systemClock, log });
  const rateLimiters = createRateLimiters({ config, clock: systemClock, log, redis });

  let prepared = false;
  const readiness: ReadinessCheck[] = [
    { name: 'postgres', check: async () => void (await orm.em.fork().execute('select 1')) },
    { name: 'schema', check: async () => assertPrepared(prepared) },
    { name: 'temporal', check: (signal) => temporalReady(client, signal) },
    { name: 'worker', check: () => workersReady(client, options.taskQueue) },
    { name: 'event log', check: () => events.check() },
    { name: 'log', check: async () => assertLogWritten() },
    { name: 'disk', check: () => assertDiskSpace([config.home, config.workspacesDir]) },
  ];
  const deps: AppDeps = {
    config,
    log,
    clock: systemClock,
    orm,
    authenticator,
    ...rateLimiters,
    readiness,
    metrics: new Registry(),
    deployment: currentDeployment({ environment: config.nodeEnv, startedAt }),
    modelProvider: config.model.apiKey || config.model.baseUrl ? 'anthropic' : 'offline',
    sourceKinds: sourceKinds(config),
    reachability: sharedChecks(readiness, () => Date.now()),
    investigations: { orm, events, clock: systemClock, log, appUrl, launcher },
    investigationStatus: createStatusReader({
      progress: createProgressReader({ query: (id) => launcher.progress(id) }),
    }),
    chats: {
      orm,
      events,
      clock: systemClock,
      log,
      launcher: turnLauncher,
      drafts,
      matcher,
      titled: monitoring.titled,
    },
    chatProgress: createProgressReader({ query: (id) => turnLauncher.progress(id) }),
    citations: {
      matcher,
      chooser:
        config.model.apiKey || config.model.baseUrl
          ? createExcerptChooser(client, options.taskQueue, controlDeadlineMs)
          : undefined,
    },
    monitoring: monitoring.agents,
    agentStates: createProgressReader({ query: (id) => monitoring.agents.launcher.query(id) }),
    channels: monitoring.channels,
    notifier: monitoring.notifier,
    secrets,
    satellites: { calls: createSatelliteCalls({ orm, events, clock: systemClock }), graphs, tokenPepper },
    sources: teamSources({ config, orm, events, log }),
    events,
    signIn: {
      appUrl,
      provider: config.oidc && createIdentityProvider({ oidc: config.oidc, appUrl, clock: systemClock }),
      secrets,
    },
    links: { appUrl, temporalUiUrl: config.temporal.uiUrl, temporalNamespace: config.temporal.namespace },
  };
  const app = createApp(deps);
  const gateway = createSatelliteGateway({
    orm,
    events,
    clock: systemClock,
    log,
    graphs,
    admission: createAdmission({
      orm,
      pepper: tokenPepper,
      clock: systemClock,
      failedAuthLimiter: rateLimiters.failedAuthLimiter,
      addressOf: (request) => addressOf(app.createContext(request, new ServerResponse(request))),
    }),
  });
  registerSatelliteMetrics(deps.metrics, gateway);
  const server = await createHttpServer(app, { host: config.host, port: config.port, upgrades: gateway });
  log.info({ port: server.port }, 'listening');

  const preparing = untilUp('PostgreSQL', () => prepare(orm, config, databaseUrl, authenticator, log), {
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
      // It listens no more before satellites are sent away: they are back at once, and not to come back to this node.
      const stopped = server.stop();
      // What they were asked is asked again on another node.
      await gateway.stop();
      await stopped;
      await authenticator.idle();
      await matcher.close();
      await client.connection.close();
      await events.close();
      redis?.disconnect();
      await orm.close(true);
    },
  };
}

async function prepare(
  orm: Orm,
  config: Config,
  databaseUrl: string,
  authenticator: ApiKeyAuthenticator,
  log: Logger,
): Promise<void> {
  await migrate(databaseUrl, (message) => log.info(message));
  const { generatedApiKey } = await bootstrapFirstTeam(orm.em, {
    apiKey: config.bootstrapApiKey,
    hash: (apiKey) => authenticator.hash(apiKey),
  });
  if (generatedApiKey === undefined) return;
  log.info('The first team was made.');
  // Shown this once and stored nowhere: on standard output, but not as a log record that would be kept.
  console.log(`API key of the first team (shown once): ${generatedApiKey}`);
}

function assertPrepared(prepared: boolean): void {
  if (!prepared) throw Object.assign(new Error('The schema is not up to date yet.'), { code: 'not_migrated' });
}

function sourceKinds({ sources }: Config): string[] {
  return ['recorded-incident', ...(sources.prometheusUrl ? ['prometheus'] : []), ...(sources.lokiUrl ? ['loki'] : [])];
}

if (import.meta.main) {
  const config = loadConfig();
  const log = createLogger({ name: 'api', level: config.logLevel });
  const api = await startApi(config, log);
  stopOnSignal(log, () => api.stop());
  await api.prepared;
}
