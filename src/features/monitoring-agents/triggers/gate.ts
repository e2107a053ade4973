import { DependencyDown } from '../../../http/errors.ts';
import { createAtMost } from '../../../platform/at-most.ts';
import { createTurns } from '../../../platform/turns.ts';

/** Transactions at once, of a process that has twenty connections for everything. */
const MOST_AT_ONCE = 4;
/** Requests of one owner that are taken or wait: a storm of one must leave room for the others. */
const MOST_OF_OWNER = 64;
/** And of all owners together; each holds what it was sent, a megabyte at most. */
const MOST_IN_ALL = 128;

/**
 * Lets a request take its alerts when it is its turn.
 * @param owner of the findings: the agent's id, or the team's
 * @param signal ends the waiting
 * @throws {DependencyDown} when too many wait already: 503, because most senders repeat that, and not a 429
 */
export type AlertGate = <T>(owner: string, take: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Where requests with alerts wait for each other, once for each process. The lock of the findings' owner has them take
 * turns anyway, but those that wait for it hold a connection: a storm of alerts would hold them all.
 */
export function createAlertGate(limits: { ofOwner?: number; inAll?: number } = {}): AlertGate {
  const { ofOwner = MOST_OF_OWNER, inAll = MOST_IN_ALL } = limits;
  const inTurn = createTurns();
  const atMost = createAtMost(MOST_AT_ONCE);
  const asking = new Map<string, number>();
  let all = 0;
  const count = (owner: string, by: 1 | -1): void => {
    all += by;
    const now = (asking.get(owner) ?? 0) + by;
    if (now > 0) asking.set(owner, now);
    else asking.delete(owner);
  };
  return async (owner, take, signal) => {
    if (all >= inAll || (asking.get(owner) ?? 0) >= ofOwner)
      throw new DependencyDown('Too many alerts come at once. Send them again shortly.', 'busy');
    const unlessGone = () => {
      signal?.throwIfAborted();
      return take();
    };
    count(owner, 1);
    try {
      return await inTurn(owner, () => atMost(unlessGone), signal);
    } finally {
      count(owner, -1);
    }
  };
}
