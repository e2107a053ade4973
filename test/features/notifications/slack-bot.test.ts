import assert from 'node:assert/strict';
import { startSlackServer, type SlackServer } from '../../support/slack-server.ts';
import { delivery, failing, message, notifying } from './delivery.ts';

describe('notifications: Slack, as a bot', () => {
  let slack: SlackServer;
  beforeEach(async () => {
    slack = await startSlackServer();
  });
  afterEach(() => slack.stop());

  const bot = (channel = '#ops', botToken = slack.botToken) =>
    notifying({ type: 'slack', bot_token: botToken, channel }, { slack });

  it('posts a finding with header, text, links and when it happened', async () => {
    const { thread, receipt } = await bot()({ message: message({ at: Date.UTC(2026, 10, 21, 12, 4) }) });
    const [posted] = slack.messages;
    assert.ok(posted);
    assert.deepEqual(thread, { to: '#ops', channel: 'C0000000OPS', ts: posted.ts });
    assert.equal(receipt, `Slack message ${posted.ts} in C0000000OPS`);
    assert.equal(posted.text, '🔴 p95 latency of checkout is 1.9 s');
    assert.deepEqual(
      posted.blocks.map(({ type }) => type),
      ['header', 'section', 'actions', 'context'],
    );
    assert.equal(posted.blocks[0]?.text?.text, '🔴 p95 latency of checkout is 1.9 s');
    assert.match(posted.blocks[1]?.text?.text ?? '', /usual are 0\.21 s\.\nSince 12:04\./);
    assert.equal(posted.blocks[2]?.elements?.[0]?.url, 'https://casebook.example.com/findings/1?a=1&b=2');
    const footer = posted.blocks[3]?.elements?.[0]?.text;
    assert.ok(typeof footer === 'string');
    assert.match(
      footer,
      /^Checkout watch · critical · <!date\^1795262640\^\{date_short_pretty\} \{time\}\|2026-11-21T12:04:00\.000Z>$/,
    );
    assert.deepEqual(posted.metadata, {
      event_type: 'casebook_notification',
      event_payload: { idempotency_key: 'finding/1/opened' },
    });
    const { parse, link_names, unfurl_links, unfurl_media } = posted.args;
    assert.deepEqual(
      { parse, link_names, unfurl_links, unfurl_media },
      {
        parse: 'none',
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
      },
    );
  });

  it('keeps what follows in the thread of the first, and shows the channel what is back', async () => {
    const send = bot();
    const { thread } = await send();
    const followed = await send({
      thread,
      idempotencyKey: '2',
      message: message({ event: 'report', markdown: '# Cause\n\nThe pool.' }),
    });
    await send({ thread, idempotencyKey: '3', message: message({ event: 'resolved', isOver: true }) });
    await send({ thread, idempotencyKey: '4', message: message({ event: 'reopened', isBroadcast: true }) });
    const [root, ...replies] = slack.messages;
    assert.equal(root?.thread_ts, undefined);
    assert.deepEqual(
      replies.map(({ thread_ts: ts }) => ts),
      [root?.ts, root?.ts, root?.ts],
    );
    assert.deepEqual(
      replies.map(({ reply_broadcast: broadcast }) => broadcast),
      [false, false, true],
    );
    assert.deepEqual(followed.thread, thread);
    assert.match(replies[1]?.text ?? '', /^🟢/);
  });

  it('leaves a thread alone that is in another channel than the one set now', async () => {
    const { thread } = await bot('#ops')();
    const { thread: other } = await bot('#dev')({ thread, idempotencyKey: '2' });
    assert.equal(slack.messages[1]?.thread_ts, undefined);
    assert.equal(other?.['channel'], 'C0000000DEV');
  });

  it('tells it outside of the thread when the thread is gone', async () => {
    const { thread } = await bot()();
    slack.messages.length = 0;
    await bot()({ thread, idempotencyKey: '2' });
    assert.equal(slack.messages.length, 1);
    assert.equal(slack.messages[0]?.thread_ts, undefined);
  });

  describe('when the answer to an attempt is lost', () => {
    for (const channel of ['#ops', 'ops', 'C0000000OPS']) {
      it(`finds the message that it posted to ${channel}, and posts none`, async () => {
        const send = bot(channel);
        slack.next('chat.postMessage', 'lost');
        await assert.rejects(send(), failing({ retryable: true, message: /127\.0\.0\.1:\d+ could not be reached/ }));
        const again = await send({ attempt: 2 });
        assert.equal(slack.messages.length, 1);
        assert.equal(again.thread?.['ts'], slack.messages[0]?.ts);
        assert.match(again.receipt, /by an earlier attempt$/);
      });
    }

    it('finds it in the thread, behind pages of others', async () => {
      const send = bot();
      const { thread } = await send();
      for (let n = 0; n < 450; n += 1) {
        slack.messages.push({
          channel: 'C0000000OPS',
          ts: `${Math.floor(Date.now() / 1_000)}.9${n}`,
          thread_ts: String(thread?.['ts']),
          text: '',
          blocks: [],
          args: {},
        });
      }
      slack.next('chat.postMessage', 'lost');
      const reply = { thread, idempotencyKey: 'finding/1/report' };
      await assert.rejects(send(reply));
      const count = slack.messages.length;
      const again = await send({ ...reply, attempt: 2 });
      assert.equal(slack.messages.length, count);
      assert.deepEqual(again.thread, thread);
      assert.equal(slack.calls('conversations.replies'), 3);
    });

    it('takes no other message for it: another key, another kind of metadata', async () => {
      const send = bot();
      await send({ idempotencyKey: 'finding/1/opened/2' });
      const [first] = slack.messages;
      assert.ok(first);
      slack.messages.push({
        ...first,
        ts: '9999999999.1',
        metadata: { event_type: 'other', event_payload: { idempotency_key: 'finding/1/opened' } },
      });
      await send({ attempt: 2 });
      assert.equal(slack.calls('chat.postMessage'), 2);
    });

    it('posts again where the token may not read: twice is better than never', async () => {
      slack.scopes.delete('channels:history');
      slack.next('chat.postMessage', 'lost');
      const send = bot('C0000000OPS');
      await assert.rejects(send());
      await send({ attempt: 2 });
      assert.equal(slack.messages.length, 2);
    });

    it('does not look on the first attempt', async () => {
      await bot()();
      assert.deepEqual(
        slack.requests.map(({ path }) => path),
        ['/api/chat.postMessage'],
      );
    });
  });

  for (const [error, message_] of Object.entries({
    channel_not_found: /does not exist, or the bot is not in it/,
    not_in_channel: /invite it/,
    is_archived: /is archived/,
    invalid_auth: /the bot token is not valid/,
    token_revoked: /was revoked/,
    msg_too_long: /msg_too_long/,
  })) {
    it(`does not try again after ${error}`, async () => {
      slack.next('chat.postMessage', { error });
      await assert.rejects(bot()(), failing({ retryable: false, message: message_ }));
      assert.equal(slack.calls('chat.postMessage'), 1);
    });
  }

  for (const error of ['internal_error', 'service_unavailable', 'fatal_error', 'request_timeout']) {
    it(`lets it be tried again after ${error}`, async () => {
      slack.next('chat.postMessage', { error });
      await assert.rejects(bot()(), failing({ retryable: true, message: new RegExp(error) }));
      assert.equal(slack.calls('chat.postMessage'), 1, 'it tries once: repeating is for who called');
    });
  }

  it('hands on how long Slack asks to wait', async () => {
    slack.next('chat.postMessage', (response) => response.writeHead(429, { 'retry-after': '7' }).end());
    await assert.rejects(bot()(), failing({ retryable: true, retryAfterMs: 7_000, message: /rate limit/ }));
    slack.next('chat.postMessage', (response) => response.writeHead(429).end());
    await assert.rejects(bot()(), failing({ retryable: true, message: /could not be sent/ }));
  });

  it('lets it be tried again after an answer of something before Slack', async () => {
    slack.next('chat.postMessage', (response) => response.writeHead(502).end('<html>'));
    await assert.rejects(bot()(), failing({ retryable: true, message: /status 502/ }));
    slack.next('chat.postMessage', (response) => response.writeHead(200).end(`<html>${slack.botToken}`));
    await assert.rejects(bot()(), failing({ retryable: true, message: /returned an invalid answer/ }));
    slack.next('chat.postMessage', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    await assert.rejects(bot()(), failing({ retryable: false, message: /redirect/ }));
  });

  it('refuses a token that is not the bot’s', async () => {
    await assert.rejects(
      bot('#ops', 'xoxb-000000000000-another-secret')(),
      failing({ retryable: false, message: /invalid_auth/ }),
    );
  });

  it('gives up after its time, and stops when its caller does', async () => {
    const silent = () => undefined;
    slack.next('chat.postMessage', silent);
    const channel = { type: 'slack', bot_token: slack.botToken, channel: '#ops' } as const;
    await assert.rejects(
      notifying(channel, { slack, timeoutMs: 2_000 })(),
      failing({ retryable: true, timedOut: true, message: /within 2 seconds/ }),
    );
    const stopping = new AbortController();
    slack.next('chat.postMessage', () => stopping.abort(new Error('the worker stops')));
    await assert.rejects(bot()({ ...delivery(), signal: stopping.signal }), /^Error: the worker stops$/);
  });
});
