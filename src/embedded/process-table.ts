import { execFileSync } from 'node:child_process';
import { readFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { waitUntil } from './wait-until.ts';
import { join } from 'node:path';

const onLinux = process.platform === 'linux';

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

function ps(pid: number, ...columns: string[]): string | undefined {
  try {
    return execFileSync('ps', [...columns, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

/** The fields of /proc/PID/stat after the command name, which may itself contain spaces and parentheses. */
function statFields(pid: number): string[] | undefined {
  const stat = procFile(pid, 'stat');
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Whether a process with this pid runs. A zombie (dead, not yet reaped by its parent) does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  return !onLinux || statFields(pid)?.[0] !== 'Z';
}

/**
 * The command line and environment of a process as one text; empty if it is gone or belongs to someone else. Used to
 * recognise our process behind a pid read from a file, which may since have been reused.
 */
export function describeProcess(pid: number): string {
  if (!onLinux) return ps(pid, '-E', '-ww', '-o', 'command=') ?? '';
  const commandLine = procFile(pid, 'cmdline') ?? '';
  return `${commandLine}\0${procFile(pid, 'environ') ?? ''}`.replaceAll('\0', '\n');
}

/** When a process started, as an opaque text that no later process with the same pid shares. */
export function birthOf(pid: number): string | undefined {
  return onLinux ? statFields(pid)?.[19] : ps(pid, '-o', 'lstart=')?.trim();
}

/** Sends a signal; a process that is already gone is fine. Returns whether it was delivered. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

export interface StopOptions {
  signal: NodeJS.Signals;
  /** Time to comply before `forceSignal`, then the same again, at most 5 s, before SIGKILL. */
  timeoutMs: number;
  /** Sent when it does not comply; SIGKILL by default. */
  forceSignal?: NodeJS.Signals;
}

/** Stops a process by pid and waits until it is gone: politely, then by force. Returns how it was stopped. */
export async function stopProcess(pid: number, options: StopOptions): Promise<'gone' | 'stopped' | 'forced'> {
  const gone = async (timeoutMs: number): Promise<boolean> =>
    waitUntil(() => (isAlive(pid) ? undefined : true), { what: `end of ${pid}`, timeoutMs, intervalMs: 20 }).catch(
      () => false,
    );
  if (!isAlive(pid)) return 'gone';
  sendSignal(pid, options.signal);
  if (await gone(options.timeoutMs)) return 'stopped';
  sendSignal(pid, options.forceSignal ?? 'SIGKILL');
  if (await gone(Math.min(options.timeoutMs, 5_000))) return 'forced';
  sendSignal(pid, 'SIGKILL');
  await gone(5_000);
  return 'forced';
}

/** The pid file of the process called `name`: `HOME/run/NAME.pid`, containing the bare number. */
export function pidFilePath(home: string, name: string): string {
  return join(home, 'run', `${name}.pid`);
}

/** Records a pid atomically. */
export function writePidFile(home: string, name: string, pid: number): void {
  const path = pidFilePath(home, name);
  mkdirSync(join(home, 'run'), { recursive: true });
  writeFileSync(`${path}.new`, `${pid}\n`);
  renameSync(`${path}.new`, path);
}

/** The recorded pid; undefined if the file is missing or invalid. */
export function readPidFile(home: string, name: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidFilePath(home, name), 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the record if it still names `pid`. */
export function removePidFile(home: string, name: string, pid: number): void {
  if (readPidFile(home, name) === pid) rmSync(pidFilePath(home, name), { force: true });
}

/** The code of a system error (`ENOENT`, `ESRCH`, ...), if any. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
