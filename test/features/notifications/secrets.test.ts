import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import {
  completeChannel,
  createNotifier,
  sealChannel,
  type NotificationChannel,
} from '../../../src/features/notifications/index.ts';
import { DeliveryError } from '../../../src/features/notifications/port.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createOutbound } from '../../../src/platform/outbound/index.ts';
import { createSecretBox } from '../../../src/platform/secrets.ts';
import { startHttpReceiver, type HttpReceiver } from '../../support/http-receiver.ts';
import { smtpError, startMailServer, type MailServer } from '../../support/mail-server.ts';
import { box, delivery, failing, notifying, SLACK, TEAM } from './delivery.ts';

/** Stands in every secret of these tests. */
const MARK = 'hushhush';

describe('notifications: secrets', () => {
  let receiver: HttpReceiver;
  let status = 500;
  let mailServer: MailServer;
  const streams = [process.stdout, process.stderr];
  const originals = streams.map((stream) => stream.write.bind(stream));

  before(async () => {
    // Repeats what it was sent, as the worst of receivers would.
    receiver = await startHttpReceiver(({ path, headers, body }, response) => {
      const location = `${receiver.url}${path}`;
      const metadata = { response_metadata: { messages: [`[WARN] ${body}`], warnings: [body] } };
      response.writeHead(status, { 'x-echo': path, 'retry-after': '1', ...(status === 302 ? { location } : {}) });
      response.end(JSON.stringify({ path, headers, body, ...metadata }));
    });
    mailServer = await startMailServer({
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => done(smtpError(535, `${username} ${password}`)),
    });
  });
  after(async () => {
    await receiver.stop();
    await mailServer.stop();
  });

  /** What a delivery says when it fails, with everything that hangs on it. */
  async function failureOf(channel: NotificationChannel, attempt = 2): Promise<string> {
    const slack = { apiUrl: `${receiver.url}/api/`, hooksUrl: receiver.url };
    const mail = {
      smtpUrl: `smtp://${MARK}-user:${MARK}-password@127.0.0.1:${mailServer.port}`,
      from: 'a@example.com',
    };
    const written: string[] = [];
    streams.forEach((stream, index) => {
      stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
        written.push(String(chunk));
        return originals[index]?.(chunk, ...rest) ?? true;
      };
    });
    try {
      await notifying(channel, { slack, mail })({ attempt });
      return assert.fail('It was delivered.');
    } catch (error) {
      assert.ok(error instanceof DeliveryError, String(error));
      assert.deepEqual(written, [], 'The official clients have logs of their own, with URLs and bodies.');
      return `${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error)} ${error.stack}`;
    } finally {
      streams.forEach((stream, index) => {
        stream.write = originals[index] ?? stream.write;
      });
    }
  }

  for (const answer of [200, 302, 400, 404, 429, 500]) {
    it(`none is in an error, and nothing on standard output, when the receiver answers ${answer} and repeats them`, async () => {
      status = answer;
      const query = `key=${MARK}`;
      const failures = [
        await failureOf({ type: 'slack', bot_token: `xoxb-000000000000-${MARK}`, channel: '#ops' }),
        status === 200
          ? ''
          : await failureOf({ type: 'slack_webhook', url: `${receiver.url}/services/T/B/${MARK}?${query}` }),
        status === 200
          ? ''
          : await failureOf({
              type: 'webhook',
              url: `${receiver.url}/${MARK}?${query}`,
              secret: `${MARK}-secret-of-it`,
            }),
      ];
      for (const failure of failures) assert.doesNotMatch(failure, new RegExp(MARK));
    });
  }

  it('none is in an error of a receiver that is not there', async () => {
    const away = 'https://127.0.0.1:1';
    const closed = {
      outbound: createOutbound({ allow: ['127.0.0.1'] }),
      slack: { apiUrl: `${away}/api/`, hooksUrl: away },
    };
    for (const channel of [
      { type: 'slack', bot_token: `xoxb-000000000000-${MARK}`, channel: '#ops' },
      { type: 'slack_webhook', url: `${away}/services/T/B/${MARK}` },
      { type: 'webhook', url: `${away}/${MARK}?${MARK}`, secret: `${MARK}-secret-of-it` },
    ] as const) {
      await assert.rejects(notifying(channel, closed)(), (error: unknown) => {
        assert.ok(failing({ retryable: true, message: /127\.0\.0\.1:1 could not be reached \(ECONNREFUSED\)/ })(error));
        assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), new RegExp(MARK));
        return true;
      });
    }
  });

  it('none of the mail server is in an error', async () => {
    assert.doesNotMatch(await failureOf({ type: 'email', to: ['a@example.com'] }), new RegExp(MARK));
  });

  it('what cannot be opened is not tried again, and says what to look at', async () => {
    const { channel } = completeChannel({ type: 'email', to: ['a@example.com'] });
    const outbound = createOutbound({ allow: [] });
    const send = (teamId: string, stored: ReturnType<typeof sealChannel>) =>
      createNotifier({ outbound, box, slack: SLACK, clock: systemClock }).send(stored, teamId, delivery());
    const other = sealChannel(createSecretBox([randomBytes(32)]), TEAM, channel);
    await assert.rejects(
      send(TEAM, other),
      failing({ retryable: false, message: /sealed with a key that is not configured/ }),
    );
    const own = sealChannel(box, TEAM, channel);
    await assert.rejects(send('another team', own), failing({ retryable: false, message: /does not belong here/ }));
    await assert.rejects(
      send(TEAM, { ...own, sealed: 'v1' }),
      failing({ retryable: false, message: /not a sealed secret/ }),
    );
    const context = `notification channel of ${TEAM}`;
    for (const text of ['{}', 'not json', JSON.stringify({ type: 'slack', bot_token: MARK })]) {
      await assert.rejects(send(TEAM, { ...own, sealed: box.seal(text, context) }), (error: unknown) => {
        assert.ok(failing({ retryable: false, message: /cannot be decrypted/ })(error));
        assert.doesNotMatch(inspect(error), new RegExp(MARK));
        return true;
      });
    }
  });
});
