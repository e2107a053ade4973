import { DependencyDown } from '../../../http/errors.ts';
import { createFairSlots, type FairSlots } from '../../../platform/fair-slots.ts';

/** Concurrent transactions of one process, which has twenty connections in total. */
const MAX_AT_ONCE = 4;
/** Waiting requests per owner: a storm at one owner must leave room for the others. */
const MAX_WAITING_PER_OWNER = 64;
/** Waiting requests of all owners; each holds its body, up to a megabyte. */
const MAX_WAITING = 128;

/**
 * Serialises requests with alerts by the owner of their findings (the agent's or the team's id), one limiter per
 * process. The database lock of the owner would serialise them as well, but waiters hold a connection each: a storm of
 * alerts would exhaust the pool. Excess requests get 503, which most senders retry, unlike 429.
 */
export const createAlertLimiter = (limits: { maxWaitingPerOwner?: number; maxWaiting?: number } = {}): FairSlots =>
  createFairSlots({
    slots: MAX_AT_ONCE,
    slotsPerKey: 1,
    maxWaitingPerKey: limits.maxWaitingPerOwner ?? MAX_WAITING_PER_OWNER,
    maxWaiting: limits.maxWaiting ?? MAX_WAITING,
    busy: () => new DependencyDown('Too many alerts at once. Send them again shortly.', 'busy'),
  });
