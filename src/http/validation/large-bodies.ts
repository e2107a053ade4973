import { Piscina } from 'piscina';
import { createFairSlots } from '../../platform/fair-slots.ts';
import { DependencyDown } from '../errors.ts';
import { parseBody, type ParsedBody, type ParseOptions } from './parse-body.ts';
import type { ParseTask } from './parse-body-thread.ts';

/** A larger body counts as large: it is read when its team's turn comes, and parsed off the event loop. */
export const LARGE_BYTES = 131_072;

/** Large bodies held at once: at most four times the largest byte limit. */
const MAX_LARGE = 4;
/** Requests of one team waiting to send a large body; each holds {@link LARGE_BYTES} and a socket. */
const MAX_WAITING_PER_TEAM = 32;
const MAX_WAITING = 256;
const HEAP_MB = 512;

/**
 * One large body at a time per team (or address, without a credential), so that no team takes memory or threads from
 * the others.
 */
export const createLargeBodySlots = () =>
  createFairSlots({
    slots: MAX_LARGE,
    slotsPerKey: 1,
    maxWaitingPerKey: MAX_WAITING_PER_TEAM,
    maxWaiting: MAX_WAITING,
    busy: () => new DependencyDown('Too many large requests at once. Try again in a moment.', 'busy'),
  });

let pool: Piscina<ParseTask, ParsedBody> | undefined;

/** Parses a body, a large one in a thread, which ends after a minute of idling. */
export async function parseAnywhere(bytes: Buffer, options: ParseOptions): Promise<ParsedBody> {
  if (bytes.length <= LARGE_BYTES) return parseBody(bytes, options);
  pool ??= new Piscina<ParseTask, ParsedBody>({
    filename: new URL('./parse-body-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 2,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return pool.run({ bytes, options });
}
