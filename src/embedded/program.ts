/** Third-party programs: checks whether one works here, and gets a missing one. */
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Folder of downloaded or built programs, shared by all clones of one user. */
export const programCache = join(homedir(), '.cache', 'casebook', 'bin');

/** Whether a program runs on this machine and its version output contains a text. */
export async function saysVersion(path: string, argument: string, text: string): Promise<boolean> {
  try {
    const { stdout, stderr } = await run(path, [argument], { timeout: 20_000 });
    return `${stdout}${stderr}`.includes(text);
  } catch {
    return false;
  }
}

/** The first writable folder, created if missing. @throws when none is writable */
export function writableFolder(...folders: string[]): string {
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.W_OK);
      return folder;
    } catch {
      continue;
    }
  }
  throw new Error(`None of these folders is writable: ${folders.join(', ')}`);
}

/** Runs a command to its end; returns the last line of its error output if it fails. */
export function finishes(
  command: string,
  args: readonly string[],
  options: { timeout: number; cwd?: string },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) =>
      resolve(code === 0 ? undefined : errors.trim().split('\n').at(-1) || `${command} exited with ${code}`),
    );
  });
}

/**
 * A temporary folder beside the programs, removed afterwards. Its contents are moved into place when complete, so that
 * a concurrent start never runs half a program.
 */
export async function makingIn<T>(folder: string, make: (making: string) => Promise<T>): Promise<T> {
  const making = mkdtempSync(join(folder, 'making-'));
  try {
    return await make(making);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
