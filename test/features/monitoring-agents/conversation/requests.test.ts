import assert from 'node:assert/strict';
import { anyTeam } from '../../../../src/db/team-filter.ts';
import { Chat } from '../../../../src/features/chats/index.ts';
import { MonitoringAgent } from '../../../../src/features/monitoring-agents/entities.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';
import { ask, Chats, readEvents, typesOf, type Lines } from '../../chats/support.ts';
import { check, placesOf, tell, update, use, type MonitoringAnswer } from './support.ts';

const plan = { summary: 'The shop.', checks: [check('health')] };
const lines: Record<string, Lines> = {
  plain: [{ text: 'Yes.' }],
  draft: [update({ plan }), { text: 'I watch the shop.' }],
  renamed: [update({ patch: { summary: 'All of the shop.' } }), { text: 'All of it, then.' }],
  streamed: [use('read_monitoring_plan', {}, 'I look.'), update({ plan }), { text: 'I watch it.' }],
};

describe('POST /api/monitoring-chat', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  const post = (body: object, options?: Parameters<Chats['call']>[3]) =>
    chats.call('POST', '/api/monitoring-chat', body, options);
  const asked = () => chats.harness.model.requests.length;

  it('begins with a plan that is given, and asks no model', async () => {
    const before = asked();
    const answer = await tell(chats, {
      message: 'Watch the shop.',
      plan,
      notification_channel: WEBHOOK,
      active: false,
    });
    assert.equal(asked(), before);
    assert.deepEqual([answer.response, answer.plan_version, answer.status], [null, 1, 'paused']);
    assert.equal(answer.plan.checks[0]?.severity, 'warning');
    assert.deepEqual(answer.notification_channel, { type: 'webhook', label: 'webhook at hooks.example.com' });
    assert.match(answer.webhook_secret ?? '', /^whsec_/);
    assert.deepEqual([answer.usage.api_calls_count, answer.usage.model], [0, null]);
    // What was said is the beginning of the chat that goes on.
    const { messages } = await chats.detail(answer.chat_id);
    assert.deepEqual(
      messages.map(({ role, parts }) => [role, parts.map(({ text }) => text)]),
      [
        ['user', ['Watch the shop.']],
        ['assistant', []],
      ],
    );
    const { response } = await tell(chats, { message: ask('plain', 'Do you?'), chat_id: answer.chat_id });
    assert.equal(response, 'Yes.');
    assert.match(JSON.stringify(chats.requests('plain').at(-1)?.body.messages), /Watch the shop\./);
  });

  it('makes one agent for a request that is repeated with its key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = await Promise.all(
      [1, 2].map(() => tell(chats, { message: ask('draft'), title: 'Once' }, { headers })),
    );
    assert.equal(first?.chat_id, second?.chat_id);
    assert.equal((await post({ message: ask('draft'), title: 'Twice' }, { headers })).status, 409);
    const em = chats.harness.database.orm.em.fork();
    assert.equal(await em.count(MonitoringAgent, { title: 'Once' }, anyTeam), 1);
  });

  it('says everything that is wrong with a request', async () => {
    assert.deepEqual(placesOf(await post({})), ['body.message']);
    assert.deepEqual(placesOf(await post({ message: 'a', description: 'b' })), ['body.message']);
    const wrong = {
      ...plan,
      checks: [check('a'), { ...check('a'), schedule: { every_seconds: 60, cron: '* * * * *' } }],
    };
    const places = placesOf(await post({ message: ' ', plan: wrong, surprise: 1, eviction_hours: 0 }));
    for (const place of ['message', 'plan.checks.1.id', 'surprise', 'eviction_hours']) {
      assert.ok(places.includes(`body.${place}`), `${place} is not in ${places.join()}`);
    }
    assert.ok(places.some((place) => place.startsWith('body.plan.checks.1.schedule')));
    const { chat_id } = await tell(chats, { message: 'Watch.', plan });
    assert.deepEqual(placesOf(await post({ message: 'b', chat_id, plan, title: 'x', active: true })).toSorted(), [
      'body.active',
      'body.plan',
      'body.title',
    ]);
    const streamed = await chats.call('POST', '/api/monitoring-chat?stream=true', {
      message: 'a',
      notification_channel: WEBHOOK,
    });
    assert.deepEqual(placesOf(streamed), ['body.notification_channel.secret']);
  });

  it('knows agents of the team only', async () => {
    const ordinary = await chats.say(ask('plain'));
    assert.equal((await post({ message: 'Watch.', chat_id: ordinary.chat_id })).status, 404);
    const { chat_id } = await tell(chats, { message: 'Watch.', plan });
    const key = await chats.otherTeam();
    assert.equal((await post({ message: 'Watch.', chat_id }, { key })).status, 404);
    assert.equal((await post({ message: 'Watch.', chat_id: 'nonsense' })).status, 404);
  });

  it('needs the scope to change what agents watch, also at the endpoint for chats', async () => {
    const { chat_id } = await tell(chats, { message: 'Watch.', plan });
    const [chatting, watching, both] = await Promise.all([
      chats.key('chats:write', 'chats:read'),
      chats.key('monitoring:write'),
      chats.key('chats:write', 'monitoring:write'),
    ]);
    const messages = [{ role: 'user', content: ask('renamed', 'All of it.') }];
    assert.equal((await post({ message: 'Watch.' }, { key: chatting })).status, 403);
    assert.equal((await chats.post({ messages, chat_id }, { key: chatting })).status, 403);
    assert.equal((await chats.post({ messages }, { key: watching })).status, 403);
    assert.equal((await tell(chats, { message: ask('plain'), chat_id }, { key: watching })).response, 'Yes.');
    const title = { title: 'Mine' };
    assert.equal((await chats.call('PATCH', `/api/chat/${chat_id}/title`, title, { key: chatting })).status, 403);
    assert.equal((await chats.call('PATCH', `/api/chat/${chat_id}/title`, title, { key: both })).status, 200);
    const answer = await chats.post({ messages, chat_id }, { key: both });
    assert.equal((answer.body as { response: string }).response, 'All of it, then.');
    const { body } = await chats.call('GET', `/api/monitoring-chat/${chat_id}/plan`);
    assert.equal((body as MonitoringAnswer).plan.summary, 'All of the shop.');
    const acting = await chats.post({ messages, chat_id, allow_side_effects: true });
    assert.deepEqual(placesOf(acting), ['body.allow_side_effects']);
  });

  it('streams like a chat, and resumes where the client was', async () => {
    const path = '/api/monitoring-chat?stream=true&include=tools';
    const body = { message: ask('streamed', 'Watch the shop.') };
    const streamed = await readEvents(await chats.fetch('POST', path, body));
    assert.equal(streamed.text, 'I look.\n\nI watch it.');
    const types = typesOf(streamed);
    assert.deepEqual([types[0], types.at(-1)], ['start', 'finish']);
    assert.ok(types.some((type) => type.startsWith('tool-')));
    const { id } = streamed.events[3]!;
    const key = await chats.key('monitoring:write', 'monitoring:read');
    const again = await readEvents(await chats.fetch('POST', path, body, { key, headers: { 'last-event-id': id } }));
    assert.deepEqual(again.events, streamed.events.slice(4));
  });

  it('streams the end at once where the plan was given', async () => {
    const streamed = await readEvents(
      await chats.fetch('POST', '/api/monitoring-chat?stream=true', { message: 'Watch.', plan }),
    );
    assert.deepEqual(typesOf(streamed), ['start', 'finish']);
  });

  it('makes a chat that is listed as such, and goes with its agent only', async () => {
    const { chat_id } = await tell(chats, { message: 'Watch this one.', plan });
    const ordinary = await chats.say(ask('plain'));
    const { chats: listed } = (await chats.call('GET', '/api/chat?count=100')).body as {
      chats: { id: string; monitoring: boolean }[];
    };
    const isMonitoring = (id: string): boolean | undefined => listed.find((entry) => entry.id === id)?.monitoring;
    assert.deepEqual([isMonitoring(chat_id), isMonitoring(ordinary.chat_id)], [true, false]);
    const { body } = await chats.call('GET', `/api/chat/${chat_id}`);
    assert.equal((body as { monitoring: boolean }).monitoring, true);
    const refused = await chats.call('DELETE', `/api/chat/${chat_id}`);
    assert.deepEqual([refused.status, (refused.body as { code: string }).code], [409, 'monitoring_agent']);
    assert.equal((await chats.call('DELETE', `/api/monitoring-chat/${chat_id}`)).status, 200);
    assert.equal((await chats.call('GET', `/api/chat/${chat_id}`)).status, 404);
    const em = chats.harness.database.orm.em.fork();
    assert.equal(await em.count(Chat, { id: ordinary.chat_id }, anyTeam), 1);
  });
});

const WEBHOOK = { type: 'webhook', url: 'https://hooks.example.com/monitoring' };
