/** A receiver of webhooks after the Standard Webhooks specification, by its own library. */
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from './http-receiver.ts';

export interface WebhookReceiver extends Omit<HttpReceiver, 'requests'> {
  /** Verified, in the order in which they came, repetitions left out. */
  events: Record<string, unknown>[];
  requests: ReceivedRequest[];
  /** What the next request is answered with, in place of 200; or `lost`: it is taken, and the answer never arrives. */
  next(...answers: (((response: ServerResponse) => void) | 'lost')[]): void;
}

/**
 * @param secret of the sender; `whsec_…`, or the raw bytes of any other text
 * @param port any free one unless given
 */
export async function startWebhookReceiver(secret: string, port?: number): Promise<WebhookReceiver> {
  const webhook = secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });
  const events: Record<string, unknown>[] = [];
  const seen = new Set<string>();
  const planned: (((response: ServerResponse) => void) | 'lost')[] = [];
  const receiver = await startHttpReceiver(({ body, headers }, response) => {
    const plan = planned.shift();
    if (typeof plan === 'function') return plan(response);
    try {
      webhook.verify(body, headers);
    } catch {
      return void response.writeHead(401).end();
    }
    const id = headers['idempotency-key'] ?? '';
    if (!seen.has(id)) events.push(JSON.parse(body));
    seen.add(id);
    if (plan === 'lost') response.destroy();
    else response.writeHead(200).end('ok');
  }, port);
  return { ...receiver, events, next: (...answers) => void planned.push(...answers) };
}
