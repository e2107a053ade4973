/** The satellite as it is run: its own process, a YAML file, environment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

export interface SatelliteProcess {
  /** Where it runs. */
  folder: string;
  child: ChildProcess;
  /** Everything on standard error so far. */
  log(): string;
  output(): string;
  /** Resolves when the log has a text. */
  logged(text: string): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Ends it at once if it still runs, and removes its folder. */
  remove(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../../satellite/main.ts');

/** @param config the YAML file, as a text or as what it holds; undefined: none is written */
export async function runSatellite(
  config: string | object | undefined,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Promise<SatelliteProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'satellite-'));
  const file = join(folder, 'satellite.yaml');
  if (config !== undefined) await writeFile(file, typeof config === 'string' ? config : stringify(config));
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return {
    folder,
    child,
    log: () => log,
    output: () => output,
    async logged(text) {
      const signal = AbortSignal.timeout(240_000);
      while (!log.includes(text)) await once(child.stderr, 'data', { signal });
    },
    ended,
    async remove() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
