import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import { postgresChild } from '../../src/embedded/postgres.ts';
import { createSupervisor } from '../../src/embedded/supervisor.ts';
import { ensureTemporalBinary, temporalChild } from '../../src/embedded/temporal-server.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';

const root = join(import.meta.dirname, '..', '..');

export interface StackOptions {
  say(line: string): void;
  signal: AbortSignal;
  /** Environment of API and worker beyond addresses and secrets. */
  env?: Record<string, string>;
  /** The worker's program and its arguments; the product's own unless given. */
  worker?: { program: string; args: string[] };
  /** Settings of PostgreSQL beyond the product's own. */
  postgres?: Record<string, string>;
}

export interface ProgramOptions {
  name: string;
  /** Path within the repository. */
  program: string;
  args?: string[];
  env?: Record<string, string>;
  ready: () => Promise<boolean>;
}

/** Casebook as it runs in earnest, for one benchmark: embedded servers, API and worker, each a process of its own. */
export interface Stack {
  apiUrl: string;
  apiKey: string;
  databaseUrl: string;
  /** The same database as its superuser, for extensions and statistics. */
  adminUrl: string;
  temporal: { address: string; namespace: string; metricsUrl: string };
  /** Calls the API. @throws when it does not answer 200 */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Starts one more process with the same environment; it ends with the stack. */
  start(options: ProgramOptions): Promise<void>;
  /** The cost of a process: api, worker, postgres, temporal, or one that was started. */
  pid(name: string): number;
  /** Ends every process and removes the folder with their state. */
  stop(): Promise<void>;
}

/**
 * Starts everything in a temporary home folder, on free ports. Limits of rate are off; settings of the servers are the
 * product's own. Nothing of the caller's configuration (keys, Redis, telemetry sources) takes part.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { say, signal } = options;
  const binary = await ensureTemporalBinary({ info: say, warn: say });
  const home = await mkdtemp(join(tmpdir(), 'casebook-bench-'));
  // The database server may run as another user, who must be able to pass through.
  await chmod(home, 0o711);
  const supervisor = createSupervisor({
    home,
    log: { info: () => undefined, warn: say },
    stopOrder: ['api', 'worker', 'temporal', 'postgres'],
  });
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    await rm(home, { recursive: true, force: true });
  };

  const begin = async (): Promise<Stack> => {
    const postgres = await postgresChild({ home, port: 0, settings: options.postgres });
    const flows = await temporalChild({ binary, home, ports: { grpc: 0, ui: 0 } });
    const metricsPort = await freePort();
    const temporalArgs = [...flows.spec.args, '--metrics-port', String(metricsPort)];
    await Promise.all([supervisor.start(postgres.spec), supervisor.start({ ...flows.spec, args: temporalArgs })]);

    const apiKey = `cb_bench_${randomBytes(24).toString('base64url')}`;
    const port = await freePort();
    const apiUrl = `http://127.0.0.1:${port}`;
    const env: Record<string, string | undefined> = {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      CASEBOOK_HOME: home,
      CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
      CASEBOOK_BOOTSTRAP_API_KEY: apiKey,
      CASEBOOK_RATE_LIMIT: 'off',
      CASEBOOK_APP_URL: '',
      CASEBOOK_MODEL: '',
      CASEBOOK_INCIDENTS_DIR: join(root, 'demo', 'incidents'),
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: flows.address,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_UI_URL: flows.uiUrl,
      REDIS_URL: '',
      PROMETHEUS_URL: '',
      LOKI_URL: '',
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_BASE_URL: '',
      HOST: '127.0.0.1',
      PORT: String(port),
      ...options.env,
    };
    const start = async (wanted: ProgramOptions): Promise<void> => {
      const { name, program, args = [], ready } = wanted;
      signal.throwIfAborted();
      await supervisor.start({
        name,
        marks: [program, `CASEBOOK_HOME=${home}\n`],
        command: process.execPath,
        args: [join(root, program), ...args],
        env: { ...env, ...wanted.env },
        stopSignal: 'SIGTERM',
        stopTimeoutMs: name === 'worker' ? 30_000 : 10_000,
        ready: async (aborted) => {
          const untilReady = { what: name, timeoutMs: 90_000, signal: AbortSignal.any([aborted, signal]) };
          await waitUntil(async () => (await ready()) || undefined, untilReady);
        },
      });
    };
    const { program = 'src/bin/worker.ts', args } = options.worker ?? {};
    await Promise.all([
      // That a worker polls shows in the API's readiness.
      start({ name: 'worker', program, args, ready: async () => true }),
      start({
        name: 'api',
        program: 'src/bin/api.ts',
        ready: async () => (await fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(5_000) })).ok,
      }),
    ]);
    const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const response = await fetch(apiUrl + path, {
        method,
        headers: { 'x-api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
      });
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    };
    const temporal = {
      address: flows.address,
      namespace: 'default',
      metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    };
    const pid = (name: string): number => {
      const found = supervisor.pid(name);
      if (found === undefined) throw new Error(`${name} does not run`);
      return found;
    };
    const { url: databaseUrl, adminUrl } = postgres;
    return { apiUrl, apiKey, databaseUrl, adminUrl, temporal, call, start, pid, stop };
  };

  try {
    signal.throwIfAborted();
    return await begin();
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs `work` on a fresh stack, which is gone afterwards whatever happens. */
export async function withStack<T>(options: StackOptions, work: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = await startStack(options);
  try {
    return await work(stack);
  } finally {
    await stack.stop();
  }
}
