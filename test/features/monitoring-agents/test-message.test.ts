import assert from 'node:assert/strict';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import { notificationOf } from '../../../src/features/notifications/index.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { startAgent, type DrivenAgent } from './support.ts';

const SECRET = 'a secret of sixteen'.replaceAll(' ', '-');

describe('POST /api/monitoring-chat/{chat_id}/config/test', () => {
  let harness: Harness;
  let receiver: WebhookReceiver;
  let agent: DrivenAgent;
  before(async () => {
    harness = await startHarness({ script: [], env: { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' } });
    receiver = await startWebhookReceiver(SECRET);
    const channel = { type: 'webhook', url: receiver.url, secret: SECRET };
    agent = await startAgent(harness, [], { notification_channel: channel });
  });
  after(async () => {
    await receiver?.stop();
    await harness?.stop();
  });

  const test = () => harness.request('POST', agent.at('/config/test'));
  const stored = async () => {
    const em = harness.database.orm.em.fork();
    return (await em.find(Effect, { ownerId: agent.id }, { orderBy: { createdAt: 1 }, ...anyTeam })).map(
      notificationOf,
    );
  };

  it('sends a message, says so, and keeps what came of it', async () => {
    const { status, body } = await test();
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual({ ...(body as object), receipt: null }, { delivered: true, receipt: null, error: null });
    assert.deepEqual(
      receiver.events.map(({ event, finding }) => [event, finding]),
      [['test', null]],
    );
    assert.deepEqual(
      (await stored()).map(({ message, status: state, attempts }) => [message.event, state, attempts]),
      [['test', 'delivered', 1]],
    );
  });

  it('says why it was not taken, and tries once', async () => {
    receiver.next((response) => void response.writeHead(410).end());
    const { status, body } = await test();
    assert.equal(status, 200, JSON.stringify(body));
    const { delivered, error } = body as { delivered: boolean; error: string };
    assert.equal(delivered, false);
    assert.match(error, /answered with status 410/);
    assert.equal((await stored()).at(-1)?.status, 'failed');
    const list = (await harness.request('GET', '/api/monitoring-chat/list')).body as {
      chats: { notification_error: string | null }[];
    };
    assert.equal(list.chats[0]?.notification_error, null);
  });

  it('sends no flood', async () => {
    for (let n = (await stored()).length; n < 10; n += 1) assert.equal((await test()).status, 200);
    const { status, body } = await test();
    assert.deepEqual([status, (body as { code: string }).code], [429, 'too_many_test_messages']);
    assert.equal((await stored()).length, 10);
  });

  it('says that there is no channel', async () => {
    await harness.request('PATCH', agent.at('/config'), { notification_channel: null });
    const { body } = await test();
    assert.deepEqual(body, { delivered: false, receipt: null, error: 'The agent has no notification channel.' });
  });
});
