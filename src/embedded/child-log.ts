import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from './log.ts';

const rotateAtBytes = 20 * 1024 * 1024;
const readAtMostBytes = 256 * 1024;
const pinoError = 50;
const pinoLine = z.object({
  level: z.number(),
  msg: z.string().optional(),
  err: z.object({ message: z.string().optional() }).optional(),
});

/** The log file of the child called `name`. */
export function childLogPath(home: string, name: string): string {
  return join(home, 'log', `${name}.log`);
}

/** Opens a child's log for appending and returns the descriptor; moves a large one aside to `.1` first. */
export function openChildLog(home: string, name: string): number {
  const path = childLogPath(home, name);
  mkdirSync(join(home, 'log'), { recursive: true, mode: 0o700 });
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > rotateAtBytes) renameSync(path, `${path}.1`);
  return openSync(path, 'a');
}

/** Up to `bytes` of a file from offset `from`, as text. */
function readPart(path: string, from: number, bytes: number): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, fstatSync(descriptor).size - from)));
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, from));
  } finally {
    closeSync(descriptor);
  }
}

/** The last `lines` lines of a child's log. */
export function tailOfChildLog(home: string, name: string, lines = 15): string {
  const path = childLogPath(home, name);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const from = Math.max(0, size - 16_384);
  return readPart(path, from, 16_384).trimEnd().split('\n').slice(-lines).join('\n');
}

/** The message of a pino line at level error or above; undefined for any other line. */
export function problemOf(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = pinoLine.parse(JSON.parse(line));
    if (entry.level < pinoError) return undefined;
    return [entry.msg, entry.err?.message].filter(Boolean).join(': ') || line;
  } catch {
    return undefined;
  }
}

/**
 * Passes the error lines that children write from now on to `log`, each message at most once a minute. Returns a
 * function that stops it.
 */
export function followProblems(home: string, names: readonly string[], log: Log): () => void {
  const position = new Map(
    names.map((name) => [name, statSync(childLogPath(home, name), { throwIfNoEntry: false })?.size ?? 0]),
  );
  const lastSaid = new Map<string, number>();
  const look = (): void => {
    for (const name of names) {
      const path = childLogPath(home, name);
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      const from = position.get(name) ?? 0;
      // A busy child may write faster than is worth reading here; the file has everything.
      const start = size < from ? 0 : Math.max(from, size - readAtMostBytes);
      if (size === from) continue;
      const text = readPart(path, start, size - start);
      const complete = text.lastIndexOf('\n') + 1;
      position.set(name, start + Buffer.byteLength(text.slice(0, complete)));
      for (const line of text.slice(0, complete).split('\n')) {
        const problem = problemOf(line);
        if (problem === undefined) continue;
        const said = `${name}: ${problem}`;
        if (performance.now() - (lastSaid.get(said) ?? -Infinity) < 60_000) continue;
        lastSaid.set(said, performance.now());
        log.warn(said);
      }
    }
    if (lastSaid.size > 1_000) lastSaid.clear();
  };
  const timer = setInterval(look, 500).unref();
  return () => clearInterval(timer);
}
