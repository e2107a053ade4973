import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import type { EventLog } from '../platform/event-log/port.ts';
import type { Logger } from '../platform/logger.ts';

const EVENT_RETENTION_MS = 30 * 24 * 3_600_000;
const EXPIRE_EVERY_MS = 3_600_000;

/**
 * Sweeps periodically until stopped, and deletes old events. Several workers may sweep at once: every repair is
 * idempotent. Each sweep has its own pace: a slow or failing one does not delay the others.
 */
export function startSweeping(
  deps: { clock: Clock; events: EventLog; log: Logger },
  sweeps: ((signal: AbortSignal) => Promise<unknown>)[],
  everyMs: number,
): { stop(): Promise<void> } {
  const { clock, events, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeat = async (work: (signal: AbortSignal) => Promise<unknown>, pauseMs: number): Promise<void> => {
    while (!signal.aborted) {
      await work(signal).catch((error: unknown) => log.warn({ err: error }, 'a sweep failed; the next one will retry'));
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const expire = async (): Promise<void> => {
    const streams = await events.expire(new Date(clock.now().getTime() - EVENT_RETENTION_MS));
    if (streams > 0) log.info({ streams }, 'old event streams deleted');
  };
  const loops = [...sweeps.map((sweep) => repeat(sweep, everyMs)), repeat(expire, EXPIRE_EVERY_MS)];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
