import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithTests } from './end-with-tests.ts';
import { waitUntil } from './wait-until.ts';

export interface ServerProcess {
  folder: string;
  stop(): Promise<void>;
}

/**
 * Starts a server program with a temporary folder of its own and waits until `readyUrl` answers 200.
 * @throws when the program is missing, saying what to install; with its output when it ends early
 */
export async function startServerProcess(options: {
  command: string;
  name: string;
  /** Command that installs it where it is missing. */
  install?: string;
  /** Writes configuration into the folder and gives the arguments. */
  prepare: (folder: string) => Promise<string[]>;
  readyUrl: string;
  /** What ends it; SIGTERM unless given. */
  stopSignal?: NodeJS.Signals;
}): Promise<ServerProcess> {
  const { command, name } = options;
  const folder = await mkdtemp(join(tmpdir(), `casebook-${name}-`));
  const child = endWithTests(
    spawn(command, await options.prepare(folder), { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-8000)));
  }
  const ended = Promise.withResolvers<never>();
  child.once('error', (error: NodeJS.ErrnoException) => {
    const missing = `${name} is not installed${options.install ? `: ${options.install}` : ''}`;
    ended.reject(error.code === 'ENOENT' ? new Error(missing) : error);
  });
  child.once('exit', () => ended.reject(new Error(`${name} ended before it was ready:\n${output}`)));
  ended.promise.catch(() => {});
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(options.stopSignal ?? 'SIGTERM');
      await exited;
    }
    await rm(folder, { recursive: true, force: true });
  };
  const abandoned = new AbortController();
  const ready = waitUntil(async () => ((await fetch(options.readyUrl)).ok ? true : undefined), {
    what: `${name} at ${options.readyUrl}`,
    signal: abandoned.signal,
  });
  try {
    await Promise.race([ready, ended.promise]);
  } catch (error) {
    abandoned.abort();
    ready.catch(() => {});
    await stop();
    throw error;
  }
  return { folder, stop };
}
