import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import { endWithTests } from './end-with-tests.ts';

/** A real redis-server of this test run, on a free port, with its data in a temporary folder. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Changes with every start. */
  readonly pid: number;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts again after {@link kill}, on the same port with the same data. */
  start(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts redis-server. Everything acknowledged has been written, so that a kill loses nothing.
 * @param appendfsync `always` waits for the disk as well, which only the machine's end needs
 * @throws when redis-server is not installed, saying what to install
 */
export async function startRedis(appendfsync: 'always' | 'no' = 'no'): Promise<TestRedis> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'casebook-redis-'));
  let child = await launch(port, folder, appendfsync);

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid!;
    },
    kill: () => end('SIGKILL'),
    async start() {
      child = await launch(port, folder, appendfsync);
    },
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, folder: string, appendfsync: string): Promise<ChildProcess> {
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = endWithTests(spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  let output = '';
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ready to accept connections')) ready.resolve();
    });
  }
  child.once('error', (error: NodeJS.ErrnoException) => {
    const missing = 'redis-server is not installed: apt-get install -y --no-install-recommends redis-server';
    ready.reject(error.code === 'ENOENT' ? new Error(missing) : error);
  });
  child.once('exit', () => ready.reject(new Error(`redis-server ended before it was ready:\n${output}`)));
  await ready.promise;
  return child;
}
