/** What a service carries from one step to the next: leaks, replicas that restart, work that waits. */
import type { Effect, ServiceSpec } from './model.ts';

/** Steps until a killed replica serves again. */
export const RESTART_STEPS = 3;

export interface Memory {
  leakedMb: number[];
  downFor: number[];
  restarts: number;
  drift: number;
  queueSeconds: number;
}

/** The state of a service that has just started. */
export function createMemory({ replicas }: ServiceSpec): Memory {
  const none = (): number[] => Array.from({ length: replicas }, () => 0);
  return { leakedMb: none(), downFor: none(), restarts: 0, drift: 0, queueSeconds: 0 };
}

/** Lets memory leak and kills replicas that reach their limit. @returns how many were killed */
export function ageMemory(
  spec: ServiceSpec,
  effect: Effect,
  memory: Memory,
  rate: number,
  stepSeconds: number,
): number {
  let killed = 0;
  const available = Math.max(1, memory.downFor.filter((steps) => steps === 0).length);
  for (let replica = 0; replica < spec.replicas; replica++) {
    if (memory.downFor[replica]! > 0) {
      memory.downFor[replica]!--;
      continue;
    }
    // Replicas do not get quite the same share of requests.
    const share = (1 + 0.12 * (replica - (spec.replicas - 1) / 2)) / available;
    memory.leakedMb[replica]! += (effect.leakMb ?? 0) * rate * share * stepSeconds;
    if (spec.memoryMb + memory.leakedMb[replica]! < spec.memoryLimitMb) continue;
    memory.leakedMb[replica] = 0;
    memory.downFor[replica] = RESTART_STEPS;
    memory.restarts++;
    killed++;
  }
  return killed;
}
