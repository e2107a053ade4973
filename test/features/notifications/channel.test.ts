import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  channelProblems,
  completeChannel,
  NotificationChannel,
  openChannel,
  presentChannel,
  sealChannel,
} from '../../../src/features/notifications/index.ts';
import { createOutbound } from '../../../src/platform/outbound/index.ts';
import { createSecretBox } from '../../../src/platform/secrets.ts';
import { box, SLACK, TEAM } from './delivery.ts';

const SLACK_URL = 'https://hooks.slack.com/services/T00000000/B00000000/secretOfTheWebhook';
const TOKEN = 'xoxb-000000000000-secret-of-the-bot';
const SECRET = 'whsec_c2VjcmV0LW9mLXRoZS1yZWNlaXZlcg==';

const channels: Record<string, NotificationChannel> = {
  '#ops in Slack': { type: 'slack', bot_token: TOKEN, channel: '#ops' },
  'Slack, by an incoming webhook': { type: 'slack_webhook', url: SLACK_URL },
  'webhook at hooks.example.com:8443': {
    type: 'webhook',
    url: 'https://hooks.example.com:8443/secret-path?key=secret-key',
    secret: SECRET,
  },
  'ops@example.com': { type: 'email', to: ['ops@example.com'] },
  'ops@example.com and 2 more': { type: 'email', to: ['ops@example.com', 'a@example.com', 'b@example.com'] },
};

describe('notifications: channels', () => {
  for (const [label, channel] of Object.entries(channels)) {
    it(`stores ${channel.type} sealed, and shows it as “${label}”`, () => {
      assert.deepEqual(NotificationChannel.parse(channel), channel);
      const stored = sealChannel(box, TEAM, completeChannel(channel).channel);
      assert.deepEqual(presentChannel(stored), { type: channel.type, label });
      assert.doesNotMatch(JSON.stringify(stored), /secret/i);
      assert.deepEqual(openChannel(box, TEAM, stored), channel);
    });
  }

  it('opens for the team only that it was sealed for, and with the same key', () => {
    const stored = sealChannel(box, TEAM, completeChannel(channels['#ops in Slack'] ?? assert.fail()).channel);
    assert.throws(() => openChannel(box, TEAM.replace(/1$/, '2'), stored), { name: 'SecretError' });
    assert.throws(() => openChannel(createSecretBox([randomBytes(32)]), TEAM, stored), { name: 'SecretError' });
    const other = { ...stored, sealed: box.seal(JSON.stringify(channels['#ops in Slack']), TEAM) };
    assert.throws(
      () => openChannel(box, TEAM, other),
      { name: 'SecretError' },
      'sealed for something else of the team',
    );
  });

  it('makes a secret where a webhook has none, and gives it out this once', () => {
    const { channel, generatedSecret } = completeChannel({ type: 'webhook', url: 'https://a.example/' });
    assert.ok(channel.type === 'webhook' && generatedSecret !== undefined);
    assert.equal(channel.secret, generatedSecret);
    assert.equal(Buffer.from(generatedSecret.replace(/^whsec_/, ''), 'base64').length, 32);
    assert.deepEqual(NotificationChannel.parse(channel), channel);
    const given = completeChannel({ type: 'webhook', url: 'https://a.example/', secret: SECRET });
    assert.equal(given.generatedSecret, undefined);
    const again = completeChannel({ type: 'webhook', url: 'https://a.example/' });
    assert.notEqual(again.generatedSecret, generatedSecret);
  });

  it('counts a recipient once', () => {
    const { channel } = completeChannel({ type: 'email', to: ['a@example.com', 'a@example.com', 'b@example.com'] });
    assert.deepEqual(channel, { type: 'email', to: ['a@example.com', 'b@example.com'] });
  });

  const bad: Record<string, unknown> = {
    'no type': {},
    'another type': { type: 'pager' },
    'a user’s token': { type: 'slack', bot_token: 'xoxp-000000000000-000000000000', channel: '#ops' },
    'a token with a line break': { type: 'slack', bot_token: `${TOKEN}\r\nX: y`, channel: '#ops' },
    'a channel that is none': { type: 'slack', bot_token: TOKEN, channel: '#a b' },
    'a URL that is none': { type: 'slack_webhook', url: 'hooks.slack.com' },
    'another protocol': { type: 'webhook', url: 'ftp://a.example/' },
    'a short secret': { type: 'webhook', url: 'https://a.example/', secret: 'short' },
    'a secret with a blank': { type: 'webhook', url: 'https://a.example/', secret: 'a secret with blanks' },
    'a secret that is no Base64': { type: 'webhook', url: 'https://a.example/', secret: 'whsec_!!!!!!!!!!!!!!!!!!!!' },
    'a secret of nothing': { type: 'webhook', url: 'https://a.example/', secret: 'whsec_AAAA' },
    nobody: { type: 'email', to: [] },
    'too many': { type: 'email', to: Array.from({ length: 21 }, (_, n) => `a${n}@example.com`) },
    'a header in an address': { type: 'email', to: ['a@example.com\r\nBcc: b@example.com'] },
    'two addresses in one': { type: 'email', to: ['a@example.com, b@example.com'] },
    'a name with an address': { type: 'email', to: ['A <a@example.com>'] },
    'more than is asked for': { type: 'email', to: ['a@example.com'], cc: ['b@example.com'] },
  };
  for (const [name, value] of Object.entries(bad)) {
    it(`refuses ${name}`, () => assert.equal(NotificationChannel.safeParse(value).success, false));
  }

  it('is in the OpenAPI document, with write-only secrets', () => {
    const schema = JSON.stringify(z.toJSONSchema(NotificationChannel, { io: 'input' }));
    assert.equal(schema.match(/"writeOnly":true/g)?.length, 3);
  });
});

describe('notifications: what a channel may be in this installation', () => {
  const capabilities = { outbound: createOutbound({ allow: ['10.0.0.0/8', 'hooks.internal'] }), slack: SLACK };
  const problems = (channel: NotificationChannel) =>
    channelProblems(channel, capabilities).map(({ path, message }) => [path, message]);

  it('takes what can be delivered', () => {
    const mail = { smtpUrl: 'smtp://mail', from: 'a@example.com' };
    for (const channel of Object.values(channels)) {
      assert.deepEqual(channelProblems(channel, { ...capabilities, mail }), []);
    }
    for (const url of ['http://10.0.0.1/x', 'http://hooks.internal/x', 'https://8.8.8.8/']) {
      assert.deepEqual(problems({ type: 'webhook', url }), []);
    }
  });

  it('refuses mail where there is no mail server', () => {
    const [[path, message] = []] = problems({ type: 'email', to: ['a@example.com'] });
    assert.deepEqual(path, ['type']);
    assert.match(String(message), /Email is not configured. Set CASEBOOK_SMTP_URL/);
  });

  for (const url of [
    'https://example.com/services/T/B/x',
    'http://hooks.slack.com/services/T/B/x',
    'https://hooks.slack.com.evil.example/services/T/B/x',
    'https://hooks.slack.com@evil.example/services/T/B/x',
    'https://user:password@hooks.slack.com/services/T/B/x',
    'https://hooks.slack.com:8443/services/T/B/x',
    'https://hooks.slack.com/triggers/T/B/x',
  ]) {
    it(`refuses as an incoming webhook of Slack: ${url}`, () => {
      const [[path, message] = []] = problems({ type: 'slack_webhook', url });
      assert.deepEqual(path, ['url']);
      assert.match(String(message), /begins with https:\/\/hooks\.slack\.com\/services\/$/);
    });
  }

  it('takes the incoming webhooks of another Slack where the configuration names it', () => {
    const slack = { ...SLACK, hooksUrl: 'https://hooks.slack-gov.com/' };
    const url = 'https://hooks.slack-gov.com/services/T/B/x';
    assert.deepEqual(channelProblems({ type: 'slack_webhook', url }, { ...capabilities, slack }), []);
  });

  for (const url of [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://0x7f000001/',
    'https://[::1]/',
    'https://u:p@example.com/',
  ]) {
    it(`refuses a webhook at ${url}`, () => {
      const [[path] = []] = problems({ type: 'webhook', url });
      assert.deepEqual(path, ['url']);
    });
  }
});
