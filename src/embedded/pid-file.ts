import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
