import { setTimeout as sleep } from 'node:timers/promises';
import { processorSeconds, residentBytes } from './process-cost.ts';
import type { Stack } from './stack.ts';
import { median } from './statistics.ts';

/** Resources that processes used over some seconds. */
export interface Metered {
  /** Processor time of each in processors: 1 is one of them all the time. */
  cores: Record<string, number>;
  /** Resident memory of each in bytes, the median of the samples. */
  bytes: Record<string, number>;
}

/** Watches processes of a stack for so many seconds. */
export async function meter(
  stack: Pick<Stack, 'pid'>,
  { names, seconds, signal }: { names: readonly string[]; seconds: number; signal: AbortSignal },
): Promise<Metered> {
  const pids = names.map((name) => [name, stack.pid(name)] as const);
  const before = pids.map(([, pid]) => processorSeconds(pid));
  const began = performance.now();
  const samples = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let second = 1; second <= seconds; second++) {
    await sleep(Math.max(0, began + second * 1_000 - performance.now()), undefined, { signal });
    for (const [name, pid] of pids) samples.get(name)!.push(residentBytes(pid));
  }
  const took = (performance.now() - began) / 1_000;
  const cores = pids.map(([name, pid], index) => [name, (processorSeconds(pid) - before[index]!) / took] as const);
  return {
    cores: Object.fromEntries(cores),
    bytes: Object.fromEntries([...samples].map(([name, values]) => [name, median(values)])),
  };
}
