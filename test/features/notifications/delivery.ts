/** Notifications as tests send them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  completeChannel,
  createNotifier,
  sealChannel,
  type NotificationChannel,
  type NotifierDeps,
} from '../../../src/features/notifications/index.ts';
import {
  DeliveryError,
  type Delivered,
  type Delivery,
  type NotificationMessage,
} from '../../../src/features/notifications/port.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createOutbound } from '../../../src/platform/outbound/index.ts';
import { createSecretBox } from '../../../src/platform/secrets.ts';

export const box = createSecretBox([randomBytes(32)]);
export const TEAM = '0198a000-0000-7000-8000-000000000001';
export const SLACK = { apiUrl: 'https://slack.com/api/', hooksUrl: 'https://hooks.slack.com/' };

export const message = (changes: Partial<NotificationMessage> = {}): NotificationMessage => ({
  event: 'opened',
  sender: { id: '0198a000-0000-7000-8000-00000000000a', title: 'Checkout watch' },
  data: { finding: { id: '0198a000-0000-7000-8000-00000000000f' } },
  severity: 'critical',
  title: 'p95 latency of checkout is 1.9 s',
  text: 'p95 latency of checkout is 1.9 s, usual are 0.21 s.\nSince 12:04.',
  links: [{ label: 'Finding', url: 'https://casebook.example.com/findings/1?a=1&b=2' }],
  at: Date.now(),
  ...changes,
});

export const delivery = (changes: Partial<Delivery> = {}): Delivery => ({
  idempotencyKey: 'finding/1/opened',
  attempt: 1,
  message: message(),
  signal: new AbortController().signal,
  ...changes,
});

/** A notifier with one channel, sealed and opened as in the product. */
export function notifying(
  given: NotificationChannel,
  deps: Partial<NotifierDeps> = {},
): (changes?: Partial<Delivery>) => Promise<Delivered> {
  const { channel } = completeChannel(given);
  const stored = sealChannel(box, TEAM, channel);
  const outbound = createOutbound({ allow: ['127.0.0.1'] });
  const notifier = createNotifier({ outbound, box, slack: SLACK, clock: systemClock, ...deps });
  return (changes) => notifier.send(stored, TEAM, delivery(changes));
}

/** For `assert.rejects`: what a failed delivery says, and that it carries nothing of the clients' own errors. */
export const failing =
  (expected: { retryable: boolean; retryAfterMs?: number; timedOut?: boolean; message: RegExp }) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof DeliveryError, String(error));
    assert.match(error.message, expected.message);
    assert.equal(error.retryable, expected.retryable, error.message);
    assert.equal(error.retryAfterMs, expected.retryAfterMs);
    assert.equal(error.timedOut, expected.timedOut ?? false);
    assert.equal(error.cause, undefined);
    return true;
  };

/** Text as telemetry and its attackers write it. */
export const HOSTILE = [
  '<!channel> <!here> <!everyone> <@U0123456789> <#C0123456789> <!subteam^S0123|@all> @channel @here',
  '<https://evil.example|https://casebook.example.com> <!date^0^{date}^https://evil.example|today>',
  '<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a> &lt;!channel&gt; &#60;!here&#62;',
  '[your bank](https://evil.example/login) ![](https://evil.example/pixel.png) [x](javascript:alert(1)) <https://evil.example/auto>',
  '\r\nBcc: victim@example.com\r\n\r\nbody\u2028Cc: other@example.com\u0000\u202Etxt.exe \ud800',
  '``` \n# heading\n> quote *bold* _it_ ~s~ `code`',
].join('\n');
