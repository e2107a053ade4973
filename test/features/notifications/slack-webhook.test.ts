import assert from 'node:assert/strict';
import { startSlackServer, type SlackServer } from '../../support/slack-server.ts';
import { failing, HOSTILE, message, notifying } from './delivery.ts';

describe('notifications: Slack, by an incoming webhook', () => {
  let slack: SlackServer;
  beforeEach(async () => {
    slack = await startSlackServer();
  });
  afterEach(() => slack.stop());

  const webhook = (url = slack.webhookUrl) => notifying({ type: 'slack_webhook', url }, { slack });

  it('posts, and says in what follows what it is about', async () => {
    const { thread, receipt } = await webhook()();
    assert.doesNotMatch(receipt, /secretOfTheWebhook/);
    await webhook()({ thread, message: message({ event: 'resolved', title: 'It is over' }) });
    const [first, second] = slack.messages;
    assert.equal(first?.text, '🔴 p95 latency of checkout is 1.9 s');
    assert.doesNotMatch(JSON.stringify(first?.blocks), /About/);
    assert.match(JSON.stringify(second?.blocks), /About: p95 latency of checkout is 1\.9 s/);
    assert.deepEqual([first?.args['unfurl_links'], first?.args['thread_ts']], [false, undefined]);
  });

  it('is taken whatever telemetry says', async () => {
    await webhook()({ message: message({ title: HOSTILE, text: HOSTILE, markdown: HOSTILE.repeat(50) }) });
    assert.equal(slack.messages.length, 1);
  });

  it('does not try again where the webhook is gone or the message is refused', async () => {
    await assert.rejects(
      webhook(`${slack.hooksUrl}services/T00000000/B00000000/goneWebhook`)(),
      failing({ retryable: false, message: /status 404: no_service/ }),
    );
    slack.next('hook', (response) => response.writeHead(400).end('invalid_payload'));
    await assert.rejects(webhook()(), failing({ retryable: false, message: /status 400: invalid_payload/ }));
    slack.next('hook', (response) => response.writeHead(403).end(`<html>${slack.webhookUrl}</html>`));
    await assert.rejects(webhook()(), failing({ retryable: false, message: /status 403\.$/ }));
  });

  it('lets it be tried again after a limit, when Slack says so, and after a fault', async () => {
    slack.next('hook', (response) => response.writeHead(429, { 'retry-after': '30' }).end('rate_limited'));
    await assert.rejects(webhook()(), failing({ retryable: true, retryAfterMs: 30_000, message: /rate_limited/ }));
    slack.next('hook', (response) => response.writeHead(503).end());
    await assert.rejects(webhook()(), failing({ retryable: true, message: /status 503/ }));
    slack.next('hook', 'lost');
    await assert.rejects(webhook()(), failing({ retryable: true, message: /could not be reached/ }));
  });

  it('goes nowhere but to Slack, whatever was stored', async () => {
    for (const url of [
      'https://example.com/services/T/B/x',
      `${slack.apiUrl}services/T/B/x`,
      slack.webhookUrl.replace('http://', 'http://user:password@'),
      slack.webhookUrl.replace(/:\d+/, ':1'),
    ]) {
      await assert.rejects(webhook(url)(), failing({ retryable: false, message: /is not a Slack URL/ }));
    }
    assert.equal(slack.requests.length, 0);
  });
});
