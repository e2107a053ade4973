import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is awaited, for the error message. */
  what: string;
  timeoutMs: number;
  /** Pause between two attempts; 100 ms unless given. */
  intervalMs?: number;
  signal?: AbortSignal;
}

/**
 * Repeats `attempt` until it returns something other than `undefined`, and returns that.
 * An attempt that throws counts as "not yet"; its error becomes the cause when time runs out.
 * @throws Error `what` was not there after `timeoutMs`, or the signal's reason when it was aborted
 */
export async function waitUntil<T>(
  attempt: () => Promise<T | undefined> | T | undefined,
  options: WaitOptions,
): Promise<T> {
  const { what, timeoutMs, intervalMs = 100, signal } = options;
  const end = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const result = await attempt();
      if (result !== undefined) return result;
    } catch (error) {
      last = error;
    }
    if (performance.now() >= end) {
      const reason = last instanceof Error ? ` (${last.message})` : '';
      throw new Error(`${what}: not there after ${Math.round(timeoutMs / 1000)} s${reason}`, { cause: last });
    }
    await delay(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}
