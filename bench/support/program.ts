import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Parameters of a load program, from its command line: one JSON argument. */
export function programInput(): unknown {
  const [argument] = process.argv.slice(2);
  if (argument === undefined) throw new Error('This program is started by a benchmark, with its input as JSON.');
  return JSON.parse(argument);
}

/** A running program. Callers must await its result, or its failure goes unnoticed. */
export interface RunningProgram<T> {
  /** Resolves when it has said that it is ready, see {@link sayReady}. */
  ready: Promise<void>;
  result: Promise<T>;
}

const READY = 'ready';

/** For a load program: what it was asked to prepare is prepared. */
export const sayReady = (): void => void process.stdout.write(`${READY}\n`);

/**
 * Starts a program of `bench/support` as a process of its own, so that making load and serving it do not share a thread.
 * @param program file name in this folder
 * @param signal ends it
 * @returns its result is the last line that it printed, parsed as JSON; it rejects with its error output when it fails
 */
export function startProgram<T>(program: string, input: unknown, signal: AbortSignal): RunningProgram<T> {
  const path = new URL(program, import.meta.url).pathname;
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(process.execPath, [path, JSON.stringify(input)], { signal, stdio: [...stdio] });
  const ready = Promise.withResolvers<void>();
  let last = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  createInterface(child.stdout).on('line', (line) => {
    if (line === READY) ready.resolve();
    else last = line;
  });
  const result = new Promise<T>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(last) as T);
      else reject(new Error(`${program} ended with ${code}: ${errors}`));
    });
  });
  result.catch((error: unknown) => ready.reject(error));
  ready.promise.catch(() => undefined);
  return { ready: ready.promise, result };
}

/** Runs a program to its end, see {@link startProgram}. */
export const runProgram = <T>(program: string, input: unknown, signal: AbortSignal): Promise<T> =>
  startProgram<T>(program, input, signal).result;
