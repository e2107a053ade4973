/** Resource use of processes on this machine, according to the kernel. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of the kernel's process table in a second; 100 on every Linux that Node runs on. */
const TICKS = 100;

/** Memory of a process that is not swapped out, in bytes. */
export function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1024;
}

/** Processor time that a process and its children have used, those that have ended among them, in seconds. */
export function processorSeconds(pid: number): number {
  let ticks = 0;
  for (const { pid: one, parent, fields } of processes()) {
    if (one === pid || parent === pid) ticks += Number(fields[11]) + Number(fields[12]);
    // A child that has ended, and was waited for, has left its time to its parent.
    if (one === pid) ticks += Number(fields[13]) + Number(fields[14]);
  }
  return ticks / TICKS;
}

/** Children of a process, and what descends from them. */
export function descendantsOf(pid: number): number[] {
  const found = new Set([pid]);
  // Parents may come after their children: ids start again at some point.
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { pid: one, parent } of processes()) if (found.has(parent)) found.add(one);
  }
  found.delete(pid);
  return [...found];
}

function* processes(): Generator<{ pid: number; parent: number; fields: string[] }> {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    } catch {
      // It has ended since.
      continue;
    }
    // The second field is the name in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    yield { pid: Number(name), parent: Number(fields[1]), fields };
  }
}
