/** Posts signed JSON. https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../../platform/clock.ts';
import { OutboundError, type Outbound } from '../../platform/outbound/index.ts';
import { storableJson } from '../../platform/storable.ts';
import type { WebhookChannel } from './channel.ts';
import { fromOutbound, isRetryableStatus, retryAfterMs } from './port.ts';
import { DeliveryError, type Delivery, type SendNotification } from './port.ts';
import { clip, linksOf } from './text.ts';

const MAX_MARKDOWN = 100_000;

export function createWebhook(
  channel: WebhookChannel,
  options: { outbound: Outbound; clock: Clock },
): SendNotification {
  const { host } = new URL(channel.url);
  return async (delivery) => {
    const id = webhookId(delivery.idempotencyKey);
    const now = options.clock.now();
    const threadId = delivery.thread?.['id'] ?? id;
    const body = JSON.stringify(storableJson(payloadOf(delivery, id, threadId)));
    const response = await options.outbound
      .fetch(channel.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': id,
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
          'webhook-signature': signerOf(channel.secret).sign(id, now, body),
        },
        body,
        signal: delivery.signal,
        discardBody: true,
      })
      .catch((error: unknown) => {
        throw error instanceof OutboundError ? fromOutbound(error) : error;
      });
    if (!response.ok) {
      throw new DeliveryError(`The webhook at ${host} answered with status ${response.status}.`, {
        retryable: isRetryableStatus(response.status),
        retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now.getTime()),
      });
    }
    return { thread: { id: threadId }, receipt: `status ${response.status} from the webhook at ${host} for ${id}` };
  };
}

/** A secret is Base64 after `whsec_`; any other is used as its bytes. */
const signerOf = (secret: string): Webhook =>
  secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });

/** The specification requires an id without dots, headers a printable one. */
const webhookId = (key: string): string =>
  /^[\w:/-]{1,200}$/.test(key) ? key : createHash('sha256').update(key).digest('hex');

function payloadOf({ message }: Delivery, id: string, threadId: string) {
  return {
    id,
    event: message.event,
    occurred_at: new Date(message.at).toISOString(),
    ...message.data,
    severity: message.severity,
    title: message.title,
    text: message.text,
    markdown: message.markdown === undefined ? null : clip(message.markdown, MAX_MARKDOWN),
    links: linksOf(message),
    /** The same for all related notifications. */
    thread_id: threadId,
  };
}
