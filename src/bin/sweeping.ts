import { setTimeout as sleep } from 'node:timers/promises';
import { sweep, type InvestigationServiceDeps } from '../features/investigations/index.ts';

const EVERY_MS = 5_000;
const EVENTS_KEPT_MS = 30 * 24 * 3_600_000;
const EXPIRE_EVERY_MS = 3_600_000;

/** Sweeps now and then until stopped. Several workers may sweep at once: every repair is idempotent. */
export function startSweeping(deps: InvestigationServiceDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let expiredAt = 0;
  const round = async (): Promise<void> => {
    await sweep(deps);
    const now = deps.clock.now().getTime();
    if (now - expiredAt < EXPIRE_EVERY_MS) return;
    expiredAt = now;
    const streams = await deps.events.expire(new Date(now - EVENTS_KEPT_MS));
    if (streams > 0) deps.log.info({ streams }, 'old event streams deleted');
  };
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await round().catch((error: unknown) => deps.log.warn({ err: error }, 'a sweep failed; the next one follows'));
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
