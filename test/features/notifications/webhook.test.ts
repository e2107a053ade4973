import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createOutbound } from '../../../src/platform/outbound/index.ts';
import { storableText } from '../../../src/platform/storable.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { failing, HOSTILE, message, notifying } from './delivery.ts';

const SECRET = `whsec_${Buffer.from('a key of twenty-four bytes').toString('base64')}`;

describe('notifications: webhooks', () => {
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await startWebhookReceiver(SECRET);
  });
  afterEach(() => receiver.stop());

  const webhook = (path = '/hook?token=in-the-query') =>
    notifying({ type: 'webhook', url: `${receiver.url}${path}`, secret: SECRET });

  it('posts what happened as JSON', async () => {
    const at = Date.now();
    const { thread, receipt } = await webhook()({ message: message({ at, markdown: '# Cause' }) });
    assert.deepEqual(receiver.events, [
      {
        id: 'finding/1/opened',
        event: 'opened',
        occurred_at: new Date(at).toISOString(),
        finding: { id: '0198a000-0000-7000-8000-00000000000f' },
        severity: 'critical',
        title: 'p95 latency of checkout is 1.9 s',
        text: message().text,
        markdown: '# Cause',
        links: message().links,
        thread_id: 'finding/1/opened',
      },
    ]);
    const [request] = receiver.requests;
    assert.equal(request?.method, 'POST');
    assert.equal(request?.path, '/hook?token=in-the-query');
    assert.equal(request?.headers['content-type'], 'application/json');
    assert.equal(request?.headers['idempotency-key'], 'finding/1/opened');
    assert.deepEqual(thread, { id: 'finding/1/opened' });
    assert.equal(receipt, `status 200 from the webhook at ${new URL(receiver.url).host} for finding/1/opened`);
    await webhook()({ thread, idempotencyKey: 'finding/1/resolved' });
    assert.equal(receiver.events[1]?.['thread_id'], 'finding/1/opened');
  });

  it('signs as the specification says: HMAC-SHA256 over id, time and body', async () => {
    await webhook()();
    const { headers, body } = receiver.requests[0] ?? assert.fail();
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const expected = createHmac('sha256', 'a key of twenty-four bytes').update(signed).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${expected}`);
  });

  it('signs with the bytes of a secret that is not Base64', async () => {
    const secret = 'any-text-of-people!';
    const other = await startWebhookReceiver(secret);
    try {
      await notifying({ type: 'webhook', url: other.url, secret })();
      assert.equal(other.events.length, 1);
    } finally {
      await other.stop();
    }
  });

  it('is not believed with another secret', async () => {
    const send = notifying({ type: 'webhook', url: receiver.url, secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAA' });
    await assert.rejects(send(), failing({ retryable: false, message: /status 401/ }));
  });

  it('says the same key in every attempt, so that a lost answer doubles nothing', async () => {
    receiver.next('lost');
    await assert.rejects(webhook()(), failing({ retryable: true, message: /could not be reached/ }));
    await webhook()({ attempt: 2 });
    assert.equal(receiver.requests.length, 2);
    assert.equal(receiver.events.length, 1);
  });

  it('makes an id of a key that headers cannot carry', async () => {
    await webhook()({ idempotencyKey: 'a.b\r\nX-Evil: 1 ü' });
    const { headers } = receiver.requests[0] ?? assert.fail();
    assert.match(headers['webhook-id'] ?? '', /^[0-9a-f]{64}$/);
    assert.equal(headers['x-evil'], undefined);
    assert.equal(receiver.events.length, 1);
  });

  it('carries any text', async () => {
    await webhook()({ message: message({ title: HOSTILE, text: HOSTILE, markdown: 'x'.repeat(300_000) }) });
    const [event] = receiver.events;
    assert.equal(event?.['text'], storableText(HOSTILE));
    assert.equal(String(event?.['markdown']).length, 100_000);
  });

  for (const status of [408, 409, 425, 429, 500, 502, 503, 504]) {
    it(`lets it be tried again after ${status}`, async () => {
      receiver.next((response) => response.writeHead(status).end());
      await assert.rejects(webhook()(), failing({ retryable: true, message: new RegExp(`status ${status}`) }));
      assert.equal(receiver.requests.length, 1);
    });
  }
  for (const status of [400, 401, 403, 404, 410, 413, 422, 304]) {
    it(`does not try again after ${status}`, async () => {
      receiver.next((response) => response.writeHead(status).end());
      await assert.rejects(webhook()(), failing({ retryable: false, message: new RegExp(`status ${status}`) }));
    });
  }

  it('does not follow a redirect', async () => {
    receiver.next((response) => response.writeHead(307, { location: `${receiver.url}/other` }).end());
    await assert.rejects(webhook()(), failing({ retryable: false, message: /redirect/ }));
    assert.equal(receiver.requests.length, 1);
  });

  it('hands on how long the receiver asks to wait, in seconds or as a date, an hour at most', async () => {
    for (const [value, retryAfterMs] of [
      ['120', 120_000],
      ['99999', 3_600_000],
      ['soon', undefined],
      [new Date(Date.now() + 86_400_000).toUTCString(), 3_600_000],
      [new Date(Date.now() - 60_000).toUTCString(), undefined],
    ] as const) {
      receiver.next((response) => response.writeHead(503, { 'retry-after': value }).end());
      await assert.rejects(webhook()(), failing({ retryable: true, retryAfterMs, message: /503/ }));
    }
  });

  it('is content with the status: an endless answer delivers as well', async () => {
    receiver.next((response) => void response.writeHead(200).write('x'));
    await webhook()();
  });

  it('does not wait for a receiver that keeps it waiting', async () => {
    receiver.next(() => undefined);
    const outbound = createOutbound({ allow: ['127.0.0.1'], timeoutMs: 200 });
    const send = notifying({ type: 'webhook', url: receiver.url, secret: SECRET }, { outbound });
    await assert.rejects(send(), failing({ retryable: true, timedOut: true, message: /did not answer in time/ }));
  });

  it('goes where the guard lets it only', async () => {
    const closed = { outbound: createOutbound({ allow: [] }) };
    const to = (url: string) => notifying({ type: 'webhook', url, secret: SECRET }, closed)();
    await assert.rejects(to(receiver.url), failing({ retryable: false, message: /must begin with https/ }));
    await assert.rejects(to('https://localhost/x'), failing({ retryable: false, message: /not public/ }));
    await assert.rejects(
      to('https://169.254.169.254/x'),
      failing({ retryable: false, message: /not a public address/ }),
    );
    assert.equal(receiver.requests.length, 0);
  });
});
