import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a load program was given on its command line: one argument of JSON. */
export function programInput(): unknown {
  const [argument] = process.argv.slice(2);
  if (argument === undefined) throw new Error('This program is started by a benchmark, with its input as JSON.');
  return JSON.parse(argument);
}

/**
 * Runs a program of `bench/support` as a process of its own, so that making load and serving it do not share a thread.
 * @param program file name in this folder
 * @returns what it printed, parsed as JSON
 * @throws when it fails, with its error output
 */
export async function runProgram<T>(program: string, input: unknown, signal: AbortSignal): Promise<T> {
  const path = new URL(program, import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [path, JSON.stringify(input)], { signal });
  return JSON.parse(stdout) as T;
}
