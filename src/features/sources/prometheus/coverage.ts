import { SourceError, type TimeWindow } from '../port.ts';
import type { PrometheusClient } from './client.ts';

/** How far back to look; more than any question without a time of its own requires. */
const LOOKBACK_SECONDS = 6 * 60 * 60;
const LOOKS = 180;

/**
 * The period that a server has data for, if it began to collect within the last hours; otherwise undefined. Periods to
 * examine and to compare with are then chosen within it. Determined from `up`, which is written with every scrape.
 * @param now unix seconds
 */
export async function readCoverage(
  client: PrometheusClient,
  now: number,
  signal: AbortSignal,
): Promise<TimeWindow | undefined> {
  const firstSince = async (window: TimeWindow): Promise<number | undefined> => {
    const step = (window.to - window.from) / LOOKS;
    const [found] = await client.queryRange('count(up)', window, step, signal);
    return found?.timestamps.find((_, i) => Number.isFinite(found.values[i]));
  };
  try {
    const from = now - LOOKBACK_SECONDS;
    const coarse = LOOKBACK_SECONDS / LOOKS;
    const about = await firstSince({ from, to: now });
    if (about === undefined || about < from + 2 * coarse) return undefined;
    const exactly = await firstSince({ from: about - coarse, to: about + 1 });
    return { from: exactly ?? about, to: now };
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}
