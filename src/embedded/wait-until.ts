import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 100;

export interface WaitOptions {
  /** What is awaited, for the error message. */
  what: string;
  /** Counts only time in which this process ran: while the machine is suspended, nothing awaited can happen either. */
  timeoutMs: number;
  /** Pause between two attempts; 100 ms by default. */
  intervalMs?: number;
  signal?: AbortSignal;
}

/**
 * Repeats `attempt` until it returns something other than `undefined`, and returns that.
 * An attempt that throws counts as "not yet"; its error becomes the cause when time runs out.
 * @throws Error when `what` times out after `timeoutMs`, or the signal's reason when it was aborted
 */
export async function waitUntil<T>(
  attempt: () => Promise<T | undefined> | T | undefined,
  options: WaitOptions,
): Promise<T> {
  const { what, timeoutMs, intervalMs = 100, signal } = options;
  let ticked = performance.now();
  let leftMs = timeoutMs;
  const tick = (): void => {
    const now = performance.now();
    leftMs -= Math.min(now - ticked, 2 * TICK_MS);
    ticked = now;
  };
  const clock = setInterval(tick, TICK_MS).unref();
  let last: unknown;
  try {
    for (;;) {
      signal?.throwIfAborted();
      try {
        const result = await attempt();
        if (result !== undefined) return result;
      } catch (error) {
        last = error;
      }
      tick();
      if (leftMs <= 0) {
        const reason = last instanceof Error ? ` (${last.message})` : '';
        throw new Error(`${what}: timed out after ${Math.round(timeoutMs / 1000)} s${reason}`, { cause: last });
      }
      await delay(intervalMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    clearInterval(clock);
  }
}
