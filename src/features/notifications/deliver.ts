/** The outbox: a notification is an effect, so a row before it is sent, and the row says how sending it goes. */
import type { EntityManager, Orm } from '../../db/orm.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/message-of.ts';
import { claimEffect, Effect, endEffect, makeOnce, stored } from '../effects/index.ts';
import type { StoredChannel } from './channel.ts';
import { DeliveryError, type Delivered, type Delivery, type NotificationMessage, type ThreadRef } from './port.ts';

export const NOTIFICATION = 'notification';

/** A channel that is away for a day: whoever reads it has noticed otherwise. */
const GIVE_UP_AFTER_MS = 24 * 3_600_000;
/** Longer than any sender takes, so that the sender says what went wrong. */
const ATTEMPT_MS = 20_000;

/** Sends through a stored channel. @throws {DeliveryError} */
export type Deliver = (stored: StoredChannel, teamId: string, delivery: Delivery) => Promise<Delivered>;

export interface NotificationDeps {
  orm: Orm;
  clock: Clock;
  deliver: Deliver;
  /** A notification that could not be delivered for so long has failed; a day unless given. */
  giveUpAfterMs?: number;
}

export interface NewNotification {
  teamId: string;
  /** Names the notification for ever: the idempotency key at the receiver. */
  key: string;
  /** With which it is deleted. */
  ownerId: string;
  /** What it is about; what is about the same thing goes into one thread. */
  subjectId?: string;
  message: NotificationMessage;
  channel: StoredChannel | null;
}

/**
 * Enters a notification, unless it is there. Without a channel it is skipped, for good.
 * @param em bound to the team; in a transaction it is committed with that
 */
export async function enterNotification(em: EntityManager, given: NewNotification): Promise<Effect> {
  const { message: payload, channel, ...wanted } = given;
  const effect = await claimEffect(em, { ...wanted, kind: NOTIFICATION, payload });
  if (channel || effect.status !== 'pending') return effect;
  return (await endEffect(em, effect.id, { status: 'skipped' })) ?? effect;
}

/**
 * Delivers a notification that was entered: once, if the receiver heeds its key or can be asked for it. Each attempt
 * takes the channel of that moment, so that one that is put right is used.
 * @returns the receiver's receipt
 * @throws {DeliveryError} when the channel did not take it; not retryable when it is given up, which the row then says
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
      timeoutMs: ATTEMPT_MS,
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
      isFinal: (error) => error instanceof DeliveryError && !error.retryable,
    },
    stopped,
  );
}

/** A notification as people see it. */
export interface Notification extends Pick<Effect, 'id' | 'key' | 'attempts' | 'lastError' | 'createdAt'> {
  message: NotificationMessage;
  /** Where the newest attempt went; null: there was none. */
  channel: Pick<StoredChannel, 'type' | 'label'> | null;
  /** `skipped`: there was no channel. */
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
 * What ties a notification to the first one about the same thing that went to the same place.
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
  const { retryable, retryAfterMs } =
    error instanceof DeliveryError ? error : { retryable: true, retryAfterMs: undefined };
  return new DeliveryError(message, { retryable: retryable && !isTooLate, retryAfterMs, cause: error });
}
