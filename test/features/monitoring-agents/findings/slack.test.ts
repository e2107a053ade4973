/** Buttons of findings in Slack: who may press them, and what that does. Slack is a fake that signs as Slack does. */
import assert from 'node:assert/strict';
import { notify } from '../../../../src/features/monitoring-agents/findings/index.ts';
import type { FindingDeps } from '../../../../src/features/monitoring-agents/findings/index.ts';
import { createNotifier, sealChannel, signSlackRequest } from '../../../../src/features/notifications/index.ts';
import { createOutbound } from '../../../../src/platform/outbound/index.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { createSecretBox } from '../../../../src/platform/secrets.ts';
import { recordedLog } from '../../../http/support/api.ts';
import { startApiOverRows, type ApiOverRows } from '../../../support/api-over-rows.ts';
import { startSlackServer, type SlackServer } from '../../../support/slack-server.ts';
import { callerOf, ok, type Call, type Json } from '../api.ts';
import { checkOf, findingsOf, observe, resultOf, seen, storeAgent } from './support.ts';

const SIGNING_SECRET = 'the-signing-secret-of-the-app';
const KEY = Buffer.alloc(32, 7);

describe('buttons of findings in Slack', () => {
  let slack: SlackServer;
  let api: ApiOverRows;
  let call: Call;
  let id: string;
  let root: { channel: string; ts: string };
  before(async () => {
    slack = await startSlackServer();
    const env = {
      CASEBOOK_SLACK_API_URL: slack.apiUrl,
      CASEBOOK_SLACK_HOOKS_URL: slack.hooksUrl,
      CASEBOOK_SLACK_SIGNING_SECRET: SIGNING_SECRET,
      CASEBOOK_SECRET_KEY: KEY.toString('hex'),
    };
    api = await startApiOverRows(env);
    call = callerOf(api.url, api.apiKey);
    await ok(call('POST', '/api/team/members', { email: 'anna@example.com', name: 'Anna', role: 'member' }));
    slack.people.set('U0ANNA', 'Anna@Example.com').set('U0EVE', 'eve@example.com');
  });
  after(async () => {
    await api?.stop();
    await slack?.stop();
  });
  beforeEach(async () => {
    const { orm } = api.database;
    const box = createSecretBox([KEY]);
    const { teamId } = api;
    const channel = sealChannel(box, teamId, { type: 'slack', bot_token: slack.botToken, channel: '#ops' });
    const agent = await storeAgent(orm, { teamId, channel });
    await observe(orm, agent, checkOf(), resultOf(seen('cart', true)));
    id = (await findingsOf(orm, agent))[0]!.id;
    const addresses = { apiUrl: slack.apiUrl, hooksUrl: slack.hooksUrl, signingSecret: SIGNING_SECRET };
    const { log } = recordedLog('silent');
    const notifier = createNotifier({
      outbound: createOutbound({ allow: [], log }),
      slack: addresses,
      box,
      clock: systemClock,
    });
    const deps = { orm, clock: systemClock, appUrl: 'https://app', deliver: notifier.send } as unknown as FindingDeps;
    const { signal } = new AbortController();
    await notify(deps, { findingId: id, teamId, event: 'opened', n: '1' }, { signal });
    root = slack.messages.at(-1)!;
  });

  const press = (action: string, { user = 'U0ANNA', value = id, ...more }: Json = {}): Promise<Response> => {
    const { secret = SIGNING_SECRET, secondsAgo = 0, channel = root.channel, ts = root.ts } = more;
    const payload = {
      type: 'block_actions',
      user: { id: user },
      container: { channel_id: channel, message_ts: ts },
      actions: [{ action_id: action, value }],
      response_url: `${slack.hooksUrl}actions/T0/1/secret`,
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const timestamp = String(Math.floor(Date.now() / 1_000) - secondsAgo);
    return fetch(`${api.url}/api/slack/interactions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signSlackRequest(secret, timestamp, body),
      },
      body,
    });
  };
  const read = (): Promise<Json> => ok(call('GET', `/api/findings/${id}`));
  const told = (): string | undefined =>
    slack.requests
      .filter(({ path }) => path.startsWith('/actions/'))
      .map(({ body }) => JSON.parse(body).text)
      .at(-1);

  it('are on the notification, and act as the member who pressed them', async () => {
    const buttons = slack.messages.at(-1)!.blocks.flatMap(({ elements = [] }) => elements.filter(({ value }) => value));
    assert.deepEqual(
      buttons.map(({ text, value }) => [typeof text === 'object' && text.text, value]),
      ['Acknowledge', 'Assign to me', 'Mute for 4 hours', 'Close'].map((label) => [label, id]),
    );
    for (const action of ['finding_acknowledge', 'finding_assign', 'finding_mute', 'finding_close'])
      assert.equal((await press(action)).status, 200, action);
    const shown = await read();
    assert.deepEqual([shown.acknowledged.by, shown.assignee.name, shown.closed_by], ['Anna', 'Anna', 'Anna']);
    assert.deepEqual(
      shown.timeline.slice(1).map(({ event, via, by }: Json) => `${event} ${via} ${by}`),
      ['acknowledged slack Anna', 'assigned slack Anna', 'muted slack Anna', 'closed slack Anna'],
    );
    await press('finding_acknowledge');
    assert.equal(told(), 'The finding is closed.');
  });

  it('do nothing for others, and say why', async () => {
    for (const [more, expected] of [
      [{ user: 'U0EVE' }, /No team member/],
      [{ user: 'U0NOBODY' }, /No team member/],
      [{ channel: 'C0000000DEV' }, /no longer exists/],
      [{ ts: '1.000001' }, /no longer exists/],
      [{ value: 'x' }, /no longer exists/],
      [{ value: '00000000-0000-4000-8000-000000000000' }, /no longer exists/],
    ] as [Json, RegExp][]) {
      assert.equal((await press('finding_close', more)).status, 200);
      assert.match(told() ?? '', expected, JSON.stringify(more));
    }
    slack.scopes.delete('users:read.email');
    await press('finding_close');
    assert.match(told() ?? '', /missing_scope/);
    slack.scopes.add('users:read.email');
    assert.equal((await press('link_0')).status, 200, 'a link');
    assert.equal((await read()).timeline.length, 1);
  });

  it('need the signature of Slack, of now', async () => {
    assert.equal((await press('finding_close', { secret: 'another-signing-secret' })).status, 401);
    assert.equal((await press('finding_close', { secondsAgo: 600 })).status, 401);
    assert.equal((await press('finding_close', { secondsAgo: -600 })).status, 401);
    const plain = await fetch(`${api.url}/api/slack/interactions`, { method: 'POST', body: 'payload={}' });
    assert.equal(plain.status, 401);
    assert.equal((await fetch(`${api.url}/api/slack/interactions`)).status, 405);
    assert.equal((await read()).status, 'open');
  });

  it('are signed as in the example of the vendor', () => {
    // https://docs.slack.dev/authentication/verifying-requests-from-slack
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    assert.equal(
      signSlackRequest('8f742231b10e8888abcd99yyyzzz85a5', '1531420618', body),
      'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    );
  });
});
