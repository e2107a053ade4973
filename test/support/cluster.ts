/**
 * Any number of API processes and workers on one database and one Temporal server, without a supervisor: what is killed
 * stays away. The model is played by this process, or is the offline model of the workers.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { freePort } from '../../src/embedded/free-port.ts';
import { waitUntil } from './wait-until.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startProgram, type Program } from './program.ts';
import { DEMO_INCIDENTS } from '../../demo/arguments.ts';
import { startScriptedModel, type Script, type ScriptedModel } from './scripted-model/index.ts';
import { workflowBundle } from './own-programs.ts';
import { temporalAddress } from './temporal.ts';

export interface ClusterProcess extends Program {
  /** Resolves when it works, after a start. */
  untilReady(): Promise<void>;
  /** Bytes that it holds on to: on JavaScript's heap, and in buffers outside of it. */
  heldBytes(): Promise<number>;
}

export interface Cluster {
  apis: (ClusterProcess & { url: string })[];
  workers: ClusterProcess[];
  apiKey: string;
  /** @throws {Error} when asked for in a cluster that has the offline model */
  readonly model: ScriptedModel;
  database: TestDatabase;
  /** Where its workflows are. */
  temporal: { address: string; namespace: string };
  stop(): Promise<void>;
}

/**
 * @param options.script what the model says; without it, the workers ask the offline model, as without an API key
 * @param options.env variables beyond those that say where everything is
 * @param options.database dropped at the end; a new one of the test run's server unless given
 */
export async function startCluster(options: {
  script?: Script;
  apis: number;
  workers: number;
  env?: Record<string, string>;
  database?: TestDatabase;
}): Promise<Cluster> {
  const [database, address, model] = await Promise.all([
    options.database ?? createTestDatabase(),
    temporalAddress(),
    options.script && startScriptedModel(options.script),
  ]);
  const home = mkdtempSync(join(tmpdir(), 'casebook-cluster-'));
  const namespace = await ownNamespace(address);
  const apiKey = `cb_test_${randomBytes(12).toString('hex')}`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    CASEBOOK_WORKFLOW_BUNDLE: await workflowBundle('kills'),
    CASEBOOK_SWEEP_SECONDS: '1',
    CASEBOOK_HOME: home,
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    CASEBOOK_BOOTSTRAP_API_KEY: apiKey,
    CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
    CASEBOOK_RATE_LIMIT: 'off',
    CASEBOOK_INCIDENTS_DIR: DEMO_INCIDENTS,
    ...(model && { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'test' }),
    ...options.env,
  };
  const started: Program[] = [];
  const start = (
    file: string,
    more: Record<string, string>,
    isReady: (output: string) => Promise<boolean> | boolean,
  ): ClusterProcess => {
    const path = join(import.meta.dirname, '..', '..', 'src', 'bin', file);
    const program = startProgram({ args: ['--inspect=127.0.0.1:0', path], env: { ...env, ...more } });
    started.push(program);
    return Object.assign(program, {
      async untilReady() {
        const ready = async (): Promise<true | undefined> => (await isReady(program.output())) || undefined;
        await waitUntil(ready, { what: file });
      },
      heldBytes: () => heldBytes(/Debugger listening on (ws:\S+)/.exec(program.output())![1]!),
    });
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((program) => program.terminate()));
    await model?.stop();
    await database.drop();
    rmSync(home, { recursive: true, force: true });
  };
  const isWorking = (output: string): boolean => output.includes('"msg":"working"');
  const workers = Array.from({ length: options.workers }, () => start('worker.ts', {}, isWorking));
  const ports = await Promise.all(Array.from({ length: options.apis }, () => freePort()));
  const apis = ports.map((port) => {
    const url = `http://127.0.0.1:${port}`;
    // Without a worker an API is never ready for runs.
    const isReady = async (): Promise<boolean> =>
      (await fetch(`${url}${options.workers > 0 ? '/readyz' : '/api/team'}`, { headers: { 'x-api-key': apiKey } })).ok;
    return Object.assign(start('api.ts', { PORT: String(port) }, isReady), { url });
  });
  try {
    for (const one of [...workers, ...apis]) await one.untilReady();
  } catch (error) {
    const said = [...workers, ...apis].map(({ output }) => output()).join('\n');
    await stop();
    throw new Error(`The cluster did not start:\n${said}`, { cause: error });
  }
  return {
    apis,
    workers,
    apiKey,
    get model() {
      if (model === undefined) throw new Error('This cluster has the offline model.');
      return model;
    },
    database,
    temporal: { address, namespace },
    stop,
  };
}

/** Every process has the product's own task queue: without a namespace of its own one cluster would work for another. */
async function ownNamespace(address: string): Promise<string> {
  const namespace = `cluster-${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address });
  const workflowExecutionRetentionPeriod = msToTs('1 day');
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  await connection.close();
  return namespace;
}

/**
 * Collects garbage and measures without anything in between: a process that works makes new garbage at once. (The
 * inspector's own `collectGarbage` does it only after what else it was asked.) The second time it also waits for buffers
 * that the first one found unused, which are freed on the side.
 */
const MEASURE = `(() => {
  process.getBuiltinModule('v8').setFlagsFromString('--expose-gc');
  const gc = (globalThis.collectGarbageNow ??= process.getBuiltinModule('vm').runInNewContext('gc'));
  gc();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
})()`;

/** @param inspector address of the process's debugger */
async function heldBytes(inspector: string): Promise<number> {
  const socket = new WebSocket(inspector);
  await once(socket, 'open');
  const measured = Promise.withResolvers<number>();
  socket.addEventListener('close', () => measured.reject(new Error('The process has ended.')));
  socket.addEventListener('message', ({ data }) => {
    measured.resolve(JSON.parse(String(data)).result.result.value);
  });
  const params = { expression: MEASURE, returnByValue: true };
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  const bytes = await measured.promise;
  socket.close();
  return bytes;
}
