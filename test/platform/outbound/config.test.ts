import assert from 'node:assert/strict';
import { ConfigError } from '../../../src/config.ts';
import { loadConfig } from '../../../src/rooms.ts';

const problems = (env: Record<string, string>): string => {
  try {
    loadConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return '';
};

describe('configuration: where requests and notifications go', () => {
  it('by default reaches Slack, allows nothing else, and sends no mail', () => {
    for (const env of [{}, { CASEBOOK_OUTBOUND_ALLOW: '', CASEBOOK_SMTP_URL: '', CASEBOOK_SLACK_API_URL: '' }]) {
      const { outboundAllow, slack, mail } = loadConfig(env);
      assert.deepEqual(outboundAllow, []);
      assert.deepEqual(slack, {
        apiUrl: 'https://slack.com/api/',
        hooksUrl: 'https://hooks.slack.com/',
        signingSecret: undefined,
      });
      assert.equal(mail, undefined);
    }
  });

  it('takes what an operator sets', () => {
    const config = loadConfig({
      CASEBOOK_OUTBOUND_ALLOW: ' 127.0.0.1, 10.0.0.0/8 ,hooks.internal,fd00::/8,',
      CASEBOOK_SLACK_API_URL: 'https://slack-gov.com/api',
      CASEBOOK_SLACK_SIGNING_SECRET: '8f742231b10e8888abcd99yyyzzz85a5',
      CASEBOOK_SMTP_URL: 'smtps://user:p%40ss@mail.example.com',
      CASEBOOK_MAIL_FROM: 'Casebook <casebook@example.com>',
    });
    assert.deepEqual(config.outboundAllow, ['127.0.0.1', '10.0.0.0/8', 'hooks.internal', 'fd00::/8']);
    assert.equal(config.slack.apiUrl, 'https://slack-gov.com/api/');
    assert.equal(config.slack.signingSecret, '8f742231b10e8888abcd99yyyzzz85a5');
    assert.deepEqual(config.mail, {
      smtpUrl: 'smtps://user:p%40ss@mail.example.com',
      from: 'Casebook <casebook@example.com>',
    });
  });

  it('names every entry that it cannot use', () => {
    const text = problems({ CASEBOOK_OUTBOUND_ALLOW: '127.1,hooks.internal,10.0.0.0/99,https://a.example' });
    for (const entry of ['127.1', '10.0.0.0/99', 'https://a.example']) assert.ok(text.includes(`"${entry}"`), text);
    assert.ok(!text.includes('"hooks.internal"'));
  });

  it('refuses invalid senders and servers, and a server without a sender', () => {
    const mail = { CASEBOOK_SMTP_URL: 'smtp://mail.example.com' };
    for (const from of ['casebook', 'a@b.c\r\nBcc: d@e.f', 'a@b.c, d@e.f', 'A <a@b.c> <d@e.f>', 'A <a@b.c>\n']) {
      assert.match(problems({ ...mail, CASEBOOK_MAIL_FROM: from }), /CASEBOOK_MAIL_FROM: must look like/, from);
    }
    assert.match(problems(mail), /CASEBOOK_MAIL_FROM: must be set/);
    assert.match(
      problems({ CASEBOOK_SMTP_URL: 'https://mail.example.com' }),
      /CASEBOOK_SMTP_URL: must be a URL like smtp/,
    );
    assert.match(problems({ CASEBOOK_SLACK_API_URL: 'file:///x' }), /CASEBOOK_SLACK_API_URL: must be an http/);
  });
});
