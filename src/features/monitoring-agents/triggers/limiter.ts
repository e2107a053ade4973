import { DependencyDown } from '../../../http/errors.ts';
import { createFairSlots, type FairSlots } from '../../../platform/fair-slots.ts';

/** Transactions at once, of a process that has twenty connections for everything. */
const MAX_AT_ONCE = 4;
/** Requests of one owner that wait: a storm of one must leave room for the others. */
const MAX_WAITING_PER_OWNER = 64;
/** And of all owners together; each holds what it was sent, a megabyte at most. */
const MAX_WAITING = 128;

/**
 * Where requests with alerts wait for each other, once for each process; the key is the owner of the findings, that is
 * the agent's id or the team's. The lock of the findings' owner has them take turns anyway, but those that wait for it
 * hold a connection: a storm of alerts would hold them all. Too many are refused with 503, because most senders repeat
 * that, and not a 429.
 */
export const createAlertLimiter = (limits: { maxWaitingPerOwner?: number; maxWaiting?: number } = {}): FairSlots =>
  createFairSlots({
    slots: MAX_AT_ONCE,
    slotsPerKey: 1,
    maxWaitingPerKey: limits.maxWaitingPerOwner ?? MAX_WAITING_PER_OWNER,
    maxWaiting: limits.maxWaiting ?? MAX_WAITING,
    busy: () => new DependencyDown('Too many alerts come at once. Send them again shortly.', 'busy'),
  });
