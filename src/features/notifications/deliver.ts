/** The outbox: a notification is an effect, so it is a row before it is sent, and the row records its delivery. */
import type { EntityManager, Orm } from '../../db/orm.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/message-of.ts';
import { claimEffect, Effect, endEffect, makeOnce, stored } from '../effects/index.ts';
import type { StoredChannel } from './channel.ts';
import { timeoutOf } from './notifier.ts';
import { DeliveryError, type Delivered, type Delivery, type NotificationMessage, type ThreadRef } from './port.ts';

export const NOTIFICATION = 'notification';

/** After a day without the channel, its readers have noticed. */
const GIVE_UP_AFTER_MS = 24 * 3_600_000;
/** The ledger's limit is longer than the sender's, so that the sender reports the cause. */
const MARGIN_MS = 5_000;

/** Sends through a stored channel. @throws {DeliveryError} */
export type Deliver = (stored: StoredChannel, teamId: string, delivery: Delivery) => Promise<Delivered>;

export interface NotificationDeps {
  orm: Orm;
  clock: Clock;
  deliver: Deliver;
  /** How long an undelivered notification is retried before it has failed; a day by default. */
  giveUpAfterMs?: number;
}

export interface NewNotification {
  teamId: string;
  /** Identifies the notification for ever: the receiver's idempotency key. */
  key: string;
  /** The row with which it is deleted. */
  ownerId: string;
  /** Its subject; notifications with the same subject share a thread. */
  subjectId?: string;
  message: NotificationMessage;
  channel: StoredChannel | null;
}

/**
 * Records a notification, unless it exists. Without a channel it is skipped, for good.
 * @param em bound to the team; in a transaction the row is committed with it
 */
export async function enterNotification(em: EntityManager, given: NewNotification): Promise<Effect> {
  const { message: payload, channel, ...wanted } = given;
  const effect = await claimEffect(em, { ...wanted, kind: NOTIFICATION, payload });
  if (channel || effect.status !== 'pending') return effect;
  return (await endEffect(em, effect.id, { status: 'skipped' })) ?? effect;
}

/**
 * Delivers a recorded notification: once, if the receiver honours its key or can be queried for it. Each attempt reads
 * the channel anew, so that a corrected channel is used.
 * @returns the receiver's receipt
 * @throws {DeliveryError} when the channel did not accept it; not retryable once it is given up, which the row then
 *   records
 */
export async function deliverNotification(
  deps: NotificationDeps,
  effect: Effect,
  channel: StoredChannel,
  options: { thread?: ThreadRef; signal: AbortSignal },
): Promise<Delivered> {
  const { clock, giveUpAfterMs = GIVE_UP_AFTER_MS } = deps;
  const { thread, signal: stopped } = options;
  return makeOnce<Delivered>(
    deps,
    effect,
    {
      target: placeOf(channel),
      timeoutMs: timeoutOf(channel) + MARGIN_MS,
      async create({ key: idempotencyKey, attempt, signal }) {
        const { message } = notificationOf(effect);
        try {
          const delivery = { idempotencyKey, attempt, message, signal, ...(thread && { thread }) };
          return await deps.deliver(channel, effect.teamId, delivery);
        } catch (error) {
          signal.throwIfAborted();
          throw failureOf(error, clock.now().getTime() - effect.createdAt.getTime() >= giveUpAfterMs);
        }
      },
      isCutOff: (error) => error instanceof DeliveryError && error.timedOut,
      isFinal: (error) => error instanceof DeliveryError && !error.retryable,
    },
    stopped,
  );
}

/** A notification as people see it. */
export interface Notification extends Pick<Effect, 'id' | 'key' | 'attempts' | 'lastError' | 'createdAt'> {
  message: NotificationMessage;
  /** Where the newest attempt went; null: no attempt. */
  channel: Pick<StoredChannel, 'type' | 'label'> | null;
  /** `skipped`: no channel. */
  status: 'pending' | 'delivered' | 'failed' | 'skipped';
  delivered: Delivered | null;
  deliveredAt: Date | null;
}

export function notificationOf(effect: Effect): Notification {
  const { id, key, attempts, lastError, createdAt, status, finishedAt } = effect;
  const isDelivered = status === 'done';
  return {
    id,
    key,
    attempts,
    lastError,
    createdAt,
    message: stored(effect.payload),
    channel: stored(effect.target),
    status: isDelivered ? 'delivered' : status,
    delivered: isDelivered ? stored<Delivered>(effect.receipt) : null,
    deliveredAt: isDelivered ? finishedAt : null,
  };
}

/**
 * The thread of the first notification on the same subject that went to the same target.
 * @param em bound to the team
 */
export async function threadOf(
  em: EntityManager,
  subjectId: string,
  channel: StoredChannel,
): Promise<ThreadRef | undefined> {
  const { type, label } = channel;
  const delivered = await em.find(
    Effect,
    { subjectId, kind: NOTIFICATION, status: 'done' },
    { fields: ['target', 'receipt'], orderBy: { createdAt: 'asc', id: 'asc' } },
  );
  const first = delivered.find(({ target, receipt }) => {
    const place = stored<Notification['channel']>(target);
    return place?.type === type && place.label === label && stored<Delivered>(receipt).thread;
  });
  return first && stored<Delivered>(first.receipt).thread;
}

const placeOf = ({ type, label }: StoredChannel): Pick<StoredChannel, 'type' | 'label'> => ({ type, label });

function failureOf(error: unknown, isTooLate: boolean): DeliveryError {
  const message = messageOf(error);
  const { retryable, retryAfterMs, timedOut } =
    error instanceof DeliveryError ? error : { retryable: true, retryAfterMs: undefined, timedOut: false };
  return new DeliveryError(message, { retryable: retryable && !isTooLate, retryAfterMs, timedOut, cause: error });
}
