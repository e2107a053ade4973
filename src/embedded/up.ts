import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { childEnvironment } from '../config.ts';
import type { Config } from '../config.ts';
import { followProblems } from './child-log.ts';
import { freePort } from './free-port.ts';
import { claimInstance } from './instance.ts';
import { secretFromFile } from './secret-file.ts';
import type { Log } from './log.ts';
import { postgresChild, postgresIdentity } from './postgres.ts';
import { createSupervisor, stopLeftover } from './supervisor.ts';
import type { ChildIdentity, ChildSpec } from './supervisor.ts';
import { findTemporalBinary } from './temporal-binary.ts';
import { temporalChild, temporalIdentity } from './temporal-server.ts';
import { waitUntil } from './wait-until.ts';

/** How long the API may take to be ready once the databases are up. */
const readyTimeoutMs = 90_000;

export interface StartOptions {
  config: Config;
  log: Log;
  /** Aborting it during start-up stops everything again. */
  signal?: AbortSignal;
  /** Preferred ports of the embedded servers; their usual ones by default. */
  ports?: { postgres?: number; temporal?: number; temporalUi?: number };
  /** Variables of the API and the worker beyond this process's own. */
  env?: Record<string, string>;
  /** Programs of the API and the worker; `src/bin/api.ts` and `src/bin/worker.ts` by default. */
  programs?: { api: string; worker: string };
}

/** A running Casebook: every address that a person or program needs. */
export interface Running {
  /** Base URL of the API, without a trailing slash. */
  apiUrl: string;
  /** Where people open the web app. */
  appUrl: string;
  /** Undefined if `TEMPORAL_ADDRESS` was set without `TEMPORAL_UI_URL`. */
  temporalUiUrl?: string;
  temporalAddress: string;
  databaseUrl: string;
  /** As a role that may create databases: the superuser of an embedded PostgreSQL, otherwise as configured. */
  adminDatabaseUrl: string;
  /** The first team's admin key that the API was started with; it may have been revoked since. */
  apiKey: string;
  /** Pid of `postgres`, `temporal`, `worker` or `api`; undefined while it is down or if it is not ours. */
  pid(name: string): number | undefined;
  /** Stops API, worker, Temporal and PostgreSQL, in this order, each gracefully within its time limit. */
  stop(): Promise<void>;
  /** Stops everything at once and by force. */
  stopNow(): Promise<void>;
}

function programIdentity(name: 'api' | 'worker', program: string, home: string): ChildIdentity {
  // Another clone or home folder may run the same program: the home folder in its environment distinguishes them.
  const marks = [program, `CASEBOOK_HOME=${home}\n`];
  return { name, marks, stopSignal: 'SIGTERM', stopTimeoutMs: name === 'worker' ? 30_000 : 10_000 };
}

async function untilReady(apiUrl: string, signal: AbortSignal): Promise<void> {
  await waitUntil(
    async () => {
      const response = await fetch(`${apiUrl}/readyz`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
      });
      const body = await response.text();
      if (response.status === 200) return true;
      throw new Error(`/readyz says ${response.status}: ${body.slice(0, 500)}`);
    },
    { what: `the API at ${apiUrl}`, timeoutMs: readyTimeoutMs, signal },
  );
}

/** PostgreSQL: the configured one, or an embedded one. */
async function database({ config, ports }: StartOptions): Promise<{ url: string; adminUrl: string; spec?: ChildSpec }> {
  const { databaseUrl: url } = config;
  if (url !== undefined) return { url, adminUrl: url };
  return postgresChild({ home: config.home, port: ports?.postgres });
}

/** Temporal: the configured one, or an embedded one. */
async function temporal(options: StartOptions): Promise<{ address: string; uiUrl?: string; spec?: ChildSpec }> {
  const { config, ports, log } = options;
  const { address, uiUrl, namespace } = config.temporal;
  if (address !== undefined) return { address, uiUrl };
  const binary = await findTemporalBinary({ home: config.home, log });
  return temporalChild({
    binary,
    home: config.home,
    namespace,
    ports: { grpc: ports?.temporal, ui: ports?.temporalUi },
  });
}

/**
 * Starts every part of Casebook that is not configured to run elsewhere, each as a supervised process, and returns when
 * the API is ready. PostgreSQL and Temporal start together, then worker and API together.
 * @throws AlreadyRunningError when another instance holds the home folder; Error with the reason when a part does not
 *   start
 */
export async function startEverything(options: StartOptions): Promise<Running> {
  const { config, log, signal } = options;
  const { home } = config;
  const bin = join(import.meta.dirname, '..', 'bin');
  const { api, worker } = options.programs ?? { api: join(bin, 'api.ts'), worker: join(bin, 'worker.ts') };
  const instance = claimInstance(home);
  const supervisor = createSupervisor({ home, log, stopOrder: ['api', 'worker', 'temporal', 'postgres'] });

  let unfollow = (): void => undefined;
  const endWith = (end: () => Promise<void>) => async (): Promise<void> => {
    unfollow();
    await end().finally(() => instance.release());
  };
  const stop = endWith(() => supervisor.stop());
  const stopNow = endWith(() => supervisor.stopNow());

  const begin = async (): Promise<Running> => {
    const apiIdentity = programIdentity('api', api, home);
    const workerIdentity = programIdentity('worker', worker, home);
    // Leftovers of a killed earlier run are stopped in the usual order, before anything new starts.
    for (const left of [apiIdentity, workerIdentity, temporalIdentity(home), postgresIdentity(home)]) {
      const pid = await stopLeftover(home, left);
      if (pid !== undefined) log.info(`Stopped ${left.name} (pid ${pid}), left over from an earlier run.`);
    }

    const startStore = async <T extends { spec?: ChildSpec }>(store: Promise<T>): Promise<T> => {
      const { spec } = await store;
      signal?.throwIfAborted();
      if (spec) await supervisor.start(spec);
      return store;
    };
    const [db, flows] = await Promise.all([startStore(database(options)), startStore(temporal(options))]);
    signal?.throwIfAborted();

    const port = await freePort(config.port);
    const apiUrl = `http://127.0.0.1:${port}`;
    const apiKey =
      config.bootstrapApiKey ??
      secretFromFile(join(home, 'bootstrap-api-key'), () => `cb_${randomBytes(24).toString('base64url')}`);
    const appUrl = config.appUrl ?? apiUrl;
    const env = childEnvironment({
      ...options.env,
      CASEBOOK_HOME: home,
      // Reports link to it, and the worker that writes them does not know the API's port.
      CASEBOOK_APP_URL: appUrl,
      CASEBOOK_SECRET_KEY:
        config.secretKey ?? secretFromFile(join(home, 'secret-key'), () => randomBytes(32).toString('hex')),
      DATABASE_URL: db.url,
      TEMPORAL_ADDRESS: flows.address,
      TEMPORAL_NAMESPACE: config.temporal.namespace,
      TEMPORAL_UI_URL: flows.uiUrl,
    });
    const child = (identity: ChildIdentity, program: string, extra: Record<string, string | undefined>): ChildSpec => ({
      ...identity,
      command: process.execPath,
      args: ['--enable-source-maps', program],
      env: { ...env, ...extra },
      ready: async () => undefined,
    });
    unfollow = followProblems(home, ['api', 'worker'], log);
    await Promise.all([
      // The API's /readyz covers the worker's readiness.
      supervisor.start(child(workerIdentity, worker, { CASEBOOK_BOOTSTRAP_API_KEY: undefined })),
      supervisor.start({
        ...child(apiIdentity, api, { PORT: String(port), CASEBOOK_BOOTSTRAP_API_KEY: apiKey }),
        ready: (aborted) => untilReady(apiUrl, aborted),
      }),
    ]);

    const facts = { apiUrl, temporalAddress: flows.address, temporalUiUrl: flows.uiUrl, databaseUrl: db.url };
    instance.publish(facts);
    return {
      ...facts,
      adminDatabaseUrl: db.adminUrl,
      appUrl,
      apiKey,
      pid: (name) => supervisor.pid(name),
      stop,
      stopNow,
    };
  };

  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('stopped while starting')), { once: true });
  });
  try {
    signal?.throwIfAborted();
    return await Promise.race([begin(), aborted]);
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The summary printed when everything is up.
 * @param said.link signs a browser in, see `signInLink`
 * @param said.sources see `describeSources`
 */
export function describeRunning(
  running: Running,
  home: string,
  { link, sources }: { link?: string; sources?: string } = {},
): string {
  const rows: [string, string | undefined][] = [
    ['API', running.apiUrl],
    ['Web', running.appUrl],
    ['Sign in', link && `${link}  (one-time, valid for 1 hour)`],
    ['Docs', `${running.apiUrl}/docs`],
    ['Temporal UI', running.temporalUiUrl],
    ['API key', running.apiKey],
    ['Sources', sources],
    ['State and logs', home],
  ];
  const lines = rows.flatMap(([label, value]) => (value === undefined ? [] : [`  ${label.padEnd(16)}${value}`]));
  return ['', '  Casebook is ready', '', ...lines, ''].join('\n');
}
