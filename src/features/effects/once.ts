import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, Orm } from '../../db/orm.ts';
import { messageOf } from '../../platform/message-of.ts';
import { reaching } from '../../db/reach.ts';
import { Effect } from './entities.ts';
import { boundedError, endEffect, stored } from './ledger.ts';

/** A call that was cut off may still arrive: no other attempt starts for this long after its timeout. */
const STRAGGLER_MS = 5_000;
const POLL_MS = 250;

/** Already given up, or deleted: no further attempt. */
export class EffectFailed extends Error {
  override name = 'EffectFailed';
}

/** One attempt at an effect. */
export interface EffectAttempt {
  /** For the receiver, if it accepts idempotency keys. */
  key: string;
  /** From 1. */
  attempt: number;
  /** Fires when the caller is stopped, or the time is up. */
  signal: AbortSignal;
}

export interface EffectWork<Receipt> {
  /**
   * Finds at the receiver what an earlier attempt made but did not record, by the key or something derived from it (a
   * branch name, a marker in a text). Called before every attempt but the first. Without it, `create` must be safe to
   * repeat under the same key.
   */
  lookUp?: (attempt: EffectAttempt) => Promise<Receipt | undefined>;
  create: (attempt: EffectAttempt) => Promise<Receipt>;
  /** Whether an error is final, so that nobody retries. By default never. */
  isFinal?: (error: unknown, effect: Effect) => boolean;
  /** Whether an error means that no answer came in time: the call may still arrive, so the lease stays. */
  isCutOff?: (error: unknown) => boolean;
  /** This attempt's target, if it can change between attempts. */
  target?: unknown;
  /** For one attempt, look-up and call together. */
  timeoutMs: number;
}

/**
 * Makes a claimed effect, once: of several concurrent attempts one proceeds, and the others get its receipt.
 * - An attempt holds a lease in the row. The receipt or the error releases it, but not a timeout; otherwise it expires,
 *   so that a killed attempt is detected.
 * - Killed before the call: the next attempt looks up, finds nothing, and makes the call.
 * - Killed between the call and the receipt: the next attempt finds the effect, and records it.
 * - The database down after the call: the receipt waits for it, as long as `signal` allows.
 * @returns the receipt: of this attempt, or of an earlier one
 * @throws {EffectFailed} when it was given up before; otherwise what `create` threw: the caller may retry
 */
export async function makeOnce<Receipt>(
  { orm }: { orm: Orm },
  { id, teamId, key }: Pick<Effect, 'id' | 'teamId' | 'key'>,
  work: EffectWork<Receipt>,
  signal: AbortSignal,
): Promise<Receipt> {
  const reach = reaching({ orm }, { teamId }, { signal });
  const find = () => reach((em) => em.findOne(Effect, { id }));

  let attempt: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    attempt = await reach((em) => lease(em, id, teamId, work));
    if (attempt !== undefined) break;
    const row = await find();
    if (row?.status !== 'pending') return stored<Receipt>(ended(row).receipt);
    await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }

  const limit = AbortSignal.timeout(work.timeoutMs);
  const during: EffectAttempt = { key, attempt, signal: AbortSignal.any([signal, limit]) };
  let receipt: Receipt;
  try {
    const made = attempt > 1 ? await work.lookUp?.(during) : undefined;
    receipt = made ?? (await work.create(during));
  } catch (error) {
    // Cut off in the middle: the lease stays, because the call may still arrive.
    if (during.signal.aborted && signal.aborted) throw error;
    const row = await find();
    if (row && work.isFinal?.(error, row))
      await reach((em) => endEffect(em, id, { status: 'failed', error: messageOf(error) }));
    else await reach((em) => giveBack(em, id, messageOf(error), limit.aborted || work.isCutOff?.(error) === true));
    throw error;
  }
  const row = await reach((em) => endEffect(em, id, { status: 'done', receipt }));
  return row ? stored<Receipt>(ended(row).receipt) : receipt;
}

/** @returns the number of the attempt; undefined when another one is in progress, or the effect has ended */
async function lease(
  em: EntityManager,
  id: string,
  teamId: string,
  { timeoutMs, target }: Pick<EffectWork<unknown>, 'timeoutMs' | 'target'>,
): Promise<number | undefined> {
  const [row] = await em.execute<{ attempts: number }[]>(
    `update effects set attempts = attempts + 1, target = coalesce(?::jsonb, target), updated_at = now(),
            leased_until = now() + ? * interval '1 millisecond'
      where id = ? and team_id = ? and status = 'pending' and (leased_until is null or leased_until <= now())
      returning attempts`,
    [target === undefined ? null : JSON.stringify(target), timeoutMs + STRAGGLER_MS, id, teamId],
  );
  return row?.attempts;
}

async function giveBack(em: EntityManager, id: string, error: string, isCutOff: boolean): Promise<void> {
  await em.nativeUpdate(
    Effect,
    { id, status: 'pending' },
    { lastError: boundedError(error), updatedAt: new Date(), ...(!isCutOff && { leasedUntil: null }) },
  );
}

/** @throws {EffectFailed} unless it is done */
function ended(row: Effect | null): Effect {
  if (row?.status === 'done') return row;
  throw new EffectFailed(row?.lastError ?? 'The effect was deleted meanwhile.');
}
