/**
 * A running installation for tests that kill its processes: PostgreSQL, Temporal, worker and API as `npm start` runs
 * them, under a supervisor that is a process too. Model and Prometheus are played by this process, which nobody kills.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readPidFile, isAlive } from '../../../src/embedded/process-table.ts';
import { endWithTests } from '../end-with-tests.ts';
import { waitUntil } from '../wait-until.ts';
import { COMPILE_CACHE, workflowBundle } from '../own-programs.ts';
import { startHeldPrometheus, type HeldPrometheus } from '../held-prometheus.ts';
import { startScriptedModel, type Script, type ScriptedModel } from '../scripted-model/index.ts';

export const processNames = ['postgres', 'temporal', 'worker', 'api'] as const;
export type ProcessName = (typeof processNames)[number];

export interface Installation {
  home: string;
  apiUrl: string;
  temporalAddress: string;
  /** Headers of a client that may do everything. */
  headers: Record<string, string>;
  model: ScriptedModel;
  prometheus: HeldPrometheus;
  pid(name: ProcessName): number | undefined;
  /** `kill -9`, all in the same moment; resolves when they are gone. */
  kill(...names: ProcessName[]): Promise<void>;
  /** Stops the supervisor from noticing that anything died: what is killed stays away until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Waits until everything is up again and the API is ready. */
  untilReady(): Promise<void>;
  investigate(query: string, headers?: Record<string, string>): Promise<string>;
  /** Calls the API until it answers, as a patient client does. */
  get<T>(path: string): Promise<T>;
  /** Everything the supervisor and its children had to say. */
  errors(): string;
  stop(): Promise<void>;
}

/** @param env variables beyond those that point to the played servers */
export async function startInstallation(options: {
  script: Script;
  env?: Record<string, string>;
}): Promise<Installation> {
  const home = mkdtempSync(join(tmpdir(), 'casebook-chaos-'));
  const model = await startScriptedModel(options.script);
  const prometheus = await startHeldPrometheus();
  // The supervisor's companion stops its children.
  const supervisor = endWithTests(
    spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        CASEBOOK_WORKFLOW_BUNDLE: await workflowBundle('kills'),
        CASEBOOK_SWEEP_SECONDS: '1',
        HOME: process.env['HOME'],
        CASEBOOK_HOME: home,
        PORT: '0',
        HOST: '127.0.0.1',
        CASEBOOK_RATE_LIMIT: 'off',
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'test',
        CASEBOOK_MODEL: 'claude-sonnet-4-5',
        PROMETHEUS_URL: prometheus.url,
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let errors = '';
  supervisor.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-100_000)));

  const close = async (): Promise<void> => {
    await Promise.all([model.stop(), prometheus.stop()]);
    rmSync(home, { recursive: true, force: true });
  };
  const line = once(createInterface(supervisor.stdout), 'line');
  const ended = once(supervisor, 'exit').then(() => Promise.reject(new Error(`It did not start:\n${errors}`)));
  ended.catch(() => undefined);
  let facts: { apiUrl: string; apiKey: string; temporalAddress: string };
  try {
    facts = JSON.parse(String((await Promise.race([line, ended]))[0]));
  } catch (error) {
    await close();
    throw error;
  }

  const headers = { 'x-api-key': facts.apiKey, 'content-type': 'application/json' };
  const pid = (name: ProcessName): number | undefined => readPidFile(home, name);
  return {
    home,
    apiUrl: facts.apiUrl,
    temporalAddress: facts.temporalAddress,
    headers,
    model,
    prometheus,
    pid,
    async kill(...names) {
      const pids = names.map((name) => {
        const found = pid(name);
        if (found === undefined) throw new Error(`${name} does not run`);
        return found;
      });
      for (const one of pids) process.kill(one, 'SIGKILL');
      await Promise.all(pids.map(untilGone));
    },
    freeze: () => void supervisor.kill('SIGSTOP'),
    thaw: () => void supervisor.kill('SIGCONT'),
    async untilReady() {
      const up = async () => {
        if (!processNames.every((name) => isAlive(pid(name) ?? 0))) return undefined;
        return (await fetch(`${facts.apiUrl}/readyz`)).ok ? true : undefined;
      };
      await waitUntil(up, { what: 'the installation' });
    },
    async investigate(query, more = {}) {
      const response = await fetch(`${facts.apiUrl}/api/v1/investigate`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ query }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`The API answered ${response.status}: ${text}`);
      const body: { investigation_id: string } = JSON.parse(text);
      return body.investigation_id;
    },
    get: <T>(path: string) =>
      waitUntil(
        async () => {
          const response = await fetch(facts.apiUrl + path, { headers });
          const text = await response.text();
          if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
          const body: T = JSON.parse(text);
          return body;
        },
        { what: path },
      ),
    errors: () => errors,
    async stop() {
      await endSupervisor(supervisor);
      await close();
    },
  };
}

async function untilGone(pid: number): Promise<void> {
  await waitUntil(() => (isAlive(pid) ? undefined : true), {
    what: `the end of ${pid}`,
    intervalMs: 5,
  });
}

async function endSupervisor(supervisor: ChildProcess): Promise<void> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
  const exited = once(supervisor, 'exit');
  supervisor.kill('SIGCONT');
  supervisor.kill('SIGTERM');
  await exited;
}
