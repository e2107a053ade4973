/**
 * Any number of API processes and workers on one database and one Temporal server, without a supervisor: what is killed
 * stays away. The model is played by this process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import getPort from 'get-port';
import { waitUntil } from '../../src/embedded/wait-until.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startScriptedModel, type Script, type ScriptedModel } from './scripted-model/index.ts';
import { temporalAddress } from './temporal.ts';

const READY_WITHIN_MS = 90_000;

export interface ClusterProcess {
  pid: number;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
  /** The end of what it had to say. */
  output(): string;
  /** Frees all memory that nothing holds any more. */
  collectGarbage(): Promise<void>;
}

export interface ChatCluster {
  apis: (ClusterProcess & { url: string })[];
  workers: ClusterProcess[];
  apiKey: string;
  model: ScriptedModel;
  database: TestDatabase;
  stop(): Promise<void>;
}

/** @param options.env variables beyond those that say where everything is */
export async function startChatCluster(options: {
  script: Script;
  apis: number;
  workers: number;
  env?: Record<string, string>;
}): Promise<ChatCluster> {
  const [database, address, model] = await Promise.all([
    createTestDatabase(),
    temporalAddress(),
    startScriptedModel(options.script),
  ]);
  const home = mkdtempSync(join(tmpdir(), 'casebook-cluster-'));
  const apiKey = `cb_test_${randomBytes(12).toString('hex')}`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    CASEBOOK_HOME: home,
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: await ownNamespace(address),
    CASEBOOK_BOOTSTRAP_API_KEY: apiKey,
    CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
    CASEBOOK_RATE_LIMIT: 'off',
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'test',
    ...options.env,
  };
  const started: ChildProcess[] = [];
  const onExit = (): void => started.forEach((child) => child.kill('SIGKILL'));
  process.once('exit', onExit);
  const start = (program: string, more: Record<string, string> = {}): ClusterProcess => {
    const path = join(import.meta.dirname, '..', '..', 'src', 'bin', program);
    const args = ['--inspect=127.0.0.1:0', path];
    const child = spawn(process.execPath, args, { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(child);
    let output = '';
    let inspector: string | undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        inspector ??= /Debugger listening on (ws:\S+)/.exec(text)?.[1];
        output = (output + text).slice(-50_000);
      });
    }
    return {
      pid: child.pid!,
      kill: () => end(child, 'SIGKILL'),
      output: () => output,
      collectGarbage: () => collectGarbage(inspector!),
    };
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((child) => end(child, 'SIGTERM')));
    process.off('exit', onExit);
    await model.stop();
    await database.drop();
    rmSync(home, { recursive: true, force: true });
  };
  const workers = Array.from({ length: options.workers }, () => start('worker.ts'));
  const ports = await Promise.all(Array.from({ length: options.apis }, () => getPort()));
  const apis = ports.map((port) => ({
    ...start('api.ts', { PORT: String(port) }),
    url: `http://127.0.0.1:${port}`,
  }));
  try {
    const working = ({ output }: ClusterProcess): boolean => output().includes('"msg":"working"');
    await waitUntil(() => workers.every(working) || undefined, { what: 'the workers', timeoutMs: READY_WITHIN_MS });
    for (const { url } of apis) {
      const ready = async (): Promise<true | undefined> => (await fetch(`${url}/readyz`)).ok || undefined;
      await waitUntil(ready, { what: `the API at ${url}`, timeoutMs: READY_WITHIN_MS });
    }
  } catch (error) {
    const said = [...workers, ...apis].map(({ output }) => output()).join('\n');
    await stop();
    throw new Error(`The cluster did not start:\n${said}`, { cause: error });
  }
  return { apis, workers, apiKey, model, database, stop };
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

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function collectGarbage(inspector: string): Promise<void> {
  const socket = new WebSocket(inspector);
  await once(socket, 'open');
  const answered = once(socket, 'message');
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await answered;
  socket.close();
}
