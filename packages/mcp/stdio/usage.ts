/** Bounds the memory and the number of a child's processes. Reads `/proc`, and so does nothing but on Linux. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { MARK } from './watchdog.ts';

const EVERY_MS = 250;
/** A look at all processes may take this part of the time. */
const SHARE = 0.02;

interface Process {
  pid: number;
  parent: number;
  group: number;
  /** Value of the mark in its environment. */
  mark: string | undefined;
}

export interface UsageLimits {
  /** Resident memory of all processes together; pages that they share count for each. */
  maxMemoryBytes: number;
  maxProcesses: number;
}

interface Watched extends UsageLimits {
  /** Id of the child's process group. */
  group: number;
  mark: string;
  onExceeded(why: string, pids: readonly number[]): void;
}

const watched = new Set<Watched>();
let timer: NodeJS.Timeout | undefined;
/** Marks by process; the start time distinguishes processes that have the same id one after the other. */
let marks = new Map<string, string | undefined>();

/**
 * @param group id of the child's process group
 * @param mark of the child and what descends from it
 * @param onExceeded called once, with the reason and the processes to end
 * @returns ends the watch
 */
export function watchUsage(
  { group, mark }: { group: number; mark: string },
  limits: UsageLimits,
  onExceeded: (why: string, pids: readonly number[]) => void,
): () => void {
  if (!existsSync('/proc/self/stat')) return () => undefined;
  const one: Watched = { ...limits, group, mark, onExceeded };
  watched.add(one);
  schedule(EVERY_MS);
  return () => void watched.delete(one);
}

function schedule(ms: number): void {
  if (timer !== undefined || watched.size === 0) return;
  timer = setTimeout(() => {
    timer = undefined;
    const since = performance.now();
    const processes = allProcesses();
    for (const one of watched) check(one, processes);
    schedule(Math.max(EVERY_MS, (performance.now() - since) / SHARE));
  }, ms).unref();
}

function check(one: Watched, processes: readonly Process[]): void {
  const members = membersOf(one, processes);
  const why = excess(one, members);
  if (why === undefined) return;
  watched.delete(one);
  one.onExceeded(why, members);
}

function excess({ maxMemoryBytes, maxProcesses }: UsageLimits, members: readonly number[]): string | undefined {
  if (members.length > maxProcesses) return `it started more than ${maxProcesses} processes`;
  const bytes = members.reduce((sum, pid) => sum + residentBytes(pid), 0);
  if (bytes <= maxMemoryBytes) return undefined;
  return `it used more than ${Math.round(maxMemoryBytes / 1_048_576)} MiB of memory`;
}

/** Those of the group, those that bear the mark, and all that descend from them. */
function membersOf({ group, mark }: Watched, processes: readonly Process[]): number[] {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const found = new Set<number>();
  const pending = processes.filter((one) => one.group === group || one.mark === mark);
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    if (found.has(one.pid)) continue;
    found.add(one.pid);
    pending.push(...(children.get(one.pid) ?? []));
  }
  return [...found];
}

function allProcesses(): Process[] {
  const before = marks;
  marks = new Map();
  return readdirSync('/proc').flatMap((name) => (/^\d+$/u.test(name) ? (processOf(Number(name), before) ?? []) : []));
}

/** See proc_pid_stat(5). @returns undefined when it has ended */
function processOf(pid: number, before: ReadonlyMap<string, string | undefined>): Process | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name, in parentheses, may contain anything.
  const [, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[16];
  if (startTime === undefined) return undefined;
  const key = `${pid} ${startTime}`;
  const mark = before.has(key) ? before.get(key) : markOf(pid);
  marks.set(key, mark);
  return { pid, parent: Number(parent), group: Number(group), mark };
}

function markOf(pid: number): string | undefined {
  const entry = read(`/proc/${pid}/environ`)
    .split('\0')
    .find((one) => one.startsWith(`${MARK}=`));
  return entry?.slice(MARK.length + 1);
}

function residentBytes(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s*(\d+) kB$/mu.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kibibytes) * 1_024;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
