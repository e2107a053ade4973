/** The tools of vendors' programs, as these list them: kept for all teams, and looked at again from time to time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Nobody waits longer for a program that is slow to start, and nobody waits twice: its tools are there when it has. */
const WAIT_MS = 10_000;
/** After so long it is looked again what tools a program has. */
const KEPT_MS = 60 * 60_000;
/** And after so long, whether it is installed and starts. */
const RETRY_MS = 5 * 60_000;

interface Listing<Listed> {
  /** The newest one; undefined before the first. */
  found?: Listed | null;
  going?: Promise<void>;
  /** When it is made again, in ms. */
  until: number;
}

/**
 * @param list makes a listing; null if there is nothing to list. It never throws, and may take long
 * @param options.wait for the first listing
 * @returns the newest listing of a key; null also while there is none yet
 */
export function createListings<Key, Listed>(
  list: (key: Key) => Promise<Listed | null>,
  {
    now = () => performance.now(),
    wait = atMost,
  }: { now?: () => number; wait?: (work: Promise<void>) => Promise<void> } = {},
): (key: Key) => Promise<Listed | null> {
  const listings = new Map<Key, Listing<Listed>>();
  return async (key) => {
    const listing = listings.get(key) ?? { until: now() };
    listings.set(key, listing);
    if (!listing.going && now() >= listing.until) {
      listing.going = list(key).then((found) => {
        listing.found = found;
        listing.until = now() + (found === null ? RETRY_MS : KEPT_MS);
        delete listing.going;
      });
    }
    if (listing.found === undefined && listing.going) await wait(listing.going);
    return (listing.found ??= null);
  };
}

async function atMost(work: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([work, sleep(WAIT_MS, undefined, { signal: waiting.signal }).catch(() => undefined)]);
  waiting.abort();
}
