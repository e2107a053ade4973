/**
 * The product in one process for tests of whole runs: the real API over HTTP, a real worker, a real Temporal server
 * and PostgreSQL; only the model is scripted. Each harness has a task queue and a database of its own.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createWorker, type CasebookWorkerOptions } from '../../temporal/worker.ts';
import { startApi, type RunningApi } from '../../src/bin/api.ts';
import { activitiesOf, composeRooms, productRooms } from '../../src/compose.ts';
import { loadConfig, type FullConfig } from '../../src/rooms.ts';
import type { CodeHosts } from '../../src/features/code-hosts/index.ts';
import type { RunBudget } from '../../src/features/runs/index.ts';
import type { SatelliteAccess } from '../../src/features/satellites/agent/index.ts';
import type { TelemetrySource } from '../../src/features/sources/index.ts';
import type { Tool } from '../../src/features/tools/tool.ts';
import { createModelClient, DEFAULT_MODEL } from '../../src/platform/anthropic/index.ts';
import type { Logger } from 'pino';
import { createLogger } from '../../src/platform/logger.ts';
import { workflowBundle } from './own-programs.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { LONG_TIMEOUTS } from './timeouts.ts';
import { startScriptedModel, type Script, type ScriptedModel } from './scripted-model/index.ts';
import { catalogOf, memorySource } from './telemetry-source.ts';
import { temporalAddress } from './temporal.ts';
import { waitUntil } from './wait-until.ts';

export interface HarnessOptions {
  script: Script;
  /** One that is empty by default. */
  sources?: TelemetrySource[];
  /** Tools beyond those every run has. */
  tools?: Tool[];
  /** In place of the satellites that are registered. */
  satellites?: SatelliteAccess;
  /** In place of the repositories that are connected. */
  codeHosts?: CodeHosts;
  /** In place of a silent one. */
  log?: Logger;
  /** Environment variables, as for a process. */
  env?: Record<string, string>;
  worker?: CasebookWorkerOptions['worker'];
  /** Monitoring agents continue as new after so many events. */
  eventsPerHistory?: number;
  /** Changes to the budget of every run, beyond what the environment can say. */
  budget?: Partial<RunBudget>;
}

export interface Harness {
  api: RunningApi;
  temporal: Client;
  taskQueue: string;
  url: string;
  apiKey: string;
  model: ScriptedModel;
  database: TestDatabase;
  /** Calls the API as a program does. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: never }>;
  investigate(query: string): Promise<string>;
  /** Polls until the investigation has ended. */
  untilEnded(id: string): Promise<{ status: string; alert_summary: string; investigation_text: string }>;
  stop(): Promise<void>;
}

/** Starts everything; `stop` ends it in order. */
export async function startHarness(options: HarnessOptions): Promise<Harness> {
  const database = await createTestDatabase();
  const model = await startScriptedModel(options.script);
  const address = await temporalAddress();
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  const apiKey = `cb_test_${randomBytes(12).toString('hex')}`;
  const log = options.log ?? createLogger({ name: 'test', level: process.env['LOG_LEVEL'] ?? 'silent' });
  const home = await mkdtemp(join(tmpdir(), 'casebook-harness-'));
  const loaded = loadConfig({
    LOG_LEVEL: 'silent',
    CASEBOOK_HOME: home,
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TASK_QUEUE: taskQueue,
    CASEBOOK_BOOTSTRAP_API_KEY: apiKey,
    CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
    CASEBOOK_RATE_LIMIT: 'off',
    CASEBOOK_TOOL_TIMEOUT_SECONDS: '20',
    ...options.env,
  });
  const config: FullConfig = {
    ...loaded,
    budget: { ...loaded.budget, ...options.budget },
    temporal: { ...loaded.temporal, eventsPerHistory: options.eventsPerHistory },
    timeouts: LONG_TIMEOUTS,
  };
  const api = await startApi(config, log);
  await api.prepared;
  Object.assign(api.deps.codeHosts, options.codeHosts);

  const temporal = createTemporalClient({ address, namespace: 'default' });
  const rooms = [...productRooms, { name: 'test', tools: options.tools }];
  const { deps } = api;
  const house = composeRooms(
    {
      config,
      log,
      clock: deps.clock,
      orm: database.orm,
      events: deps.events,
      secretKeys: deps.secretKeys,
      secrets: deps.secrets,
      appUrl: deps.appUrl,
      closing: deps.closing,
      matcher: deps.matcher,
      client: temporal,
      model: createModelClient({ baseUrl: model.url, apiKey: 'test', model: DEFAULT_MODEL }),
      ownSources: catalogOf(...(options.sources ?? [memorySource({})])),
      satelliteAccess: options.satellites,
      ...(options.codeHosts && { codeHosts: options.codeHosts }),
    },
    rooms,
  );
  const { worker, run } = await createWorker({
    address,
    namespace: 'default',
    activities: activitiesOf(house, rooms),
    taskQueue,
    workflowBundle: await workflowBundle(),
    worker: options.worker,
  });
  const running = run();

  const url = `http://127.0.0.1:${api.port}`;
  const request: Harness['request'] = async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  return {
    api,
    temporal,
    taskQueue,
    url,
    apiKey,
    model,
    database,
    request,
    async investigate(query) {
      const { body } = await request('POST', '/api/v1/investigate', { query });
      return (body as { investigation_id: string }).investigation_id;
    },
    untilEnded: (id) =>
      waitUntil(
        async () => {
          const { body } = await request('GET', `/api/v1/investigations/${id}`);
          const polled = body as Awaited<ReturnType<Harness['untilEnded']>>;
          return polled.status === 'processing' ? undefined : polled;
        },
        { what: `the end of investigation ${id}` },
      ),
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await temporal.connection.close();
      await api.stop();
      await model.stop();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
