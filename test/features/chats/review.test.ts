/** Who may go on with a turn, with which request, and what a client sees that connects again. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Conversation } from '../../../src/features/transcripts/index.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, type Lines } from './support.ts';

const fetchData = { name: 'query_metric', input: { source: 'shop', service: 'db', metric: 'latency_seconds' } };
const lines: Record<string, Lines> = {
  plain: [{ text: 'Yes.' }],
  other: [{ text: 'No.' }],
  drawn: [
    { toolUses: [fetchData] },
    { toolUses: [{ name: 'draw_chart', input: { evidence: 1, title: 'Latency of db' } }] },
    { text: 'It rises [2].' },
  ],
  // The id is in the question.
  named: ({ step, request }) => {
    const id = /tool_id ([0-9a-f-]{36})/.exec(JSON.stringify(request.messages))?.[1];
    return step === 0 ? { toolUses: [{ name: 'draw_chart', input: { tool_id: id } }] } : { text: 'Here it is.' };
  },
  held: [{ text: 'Yes, it is.', hold: { gate: 'held', at: 'middle' } }],
};
const said = (name: string) => ({ messages: [{ role: 'user', content: ask(name) }] });

describe('a turn that somebody goes on with', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  const chatIdOf = ({ chunks: [start] }: Awaited<ReturnType<Chats['stream']>>): string => {
    assert.ok(start?.type === 'start');
    return start.chatId;
  };
  const answered = async (what: ReturnType<Chats['call']>): Promise<[number, string | undefined]> => {
    const { status, body } = await what;
    return [status, body['code']];
  };

  it('is read only by who may read chats', async () => {
    const { events } = await chats.stream(ask('plain'));
    const headers = { 'last-event-id': events[2]!.id };
    for (const path of ['/api/v1/chat', '/api/v1/chat?stream=true']) {
      const key = await chats.key('chats:write');
      assert.deepEqual(await answered(chats.call('POST', path, said('plain'), { headers, key })), [
        403,
        'insufficient_scope',
      ]);
    }
    const key = await chats.key('chats:write', 'chats:read');
    assert.equal((await chats.post(said('plain'), { headers, key })).status, 200);
  });

  it('is not given to another request', async () => {
    const { events } = await chats.stream(ask('plain'));
    const headers = { 'last-event-id': events[2]!.id };
    const before = await chats.countTurns();
    for (const [path, body] of [
      ['/api/v1/chat', said('other')],
      ['/api/v1/chat?stream=true', { ...said('plain'), model: 'another' }],
      ['/api/chat-editor', said('plain')],
      ['/api/chat-viz', { prompt: ask('plain') }],
    ] as const) {
      assert.deepEqual(await answered(chats.call('POST', path, body, { headers })), [409, 'other_request'], path);
    }
    assert.equal(await chats.countTurns(), before);
  });

  it('is followed by the next one, for a client that connects again after its end', async () => {
    const first = await chats.stream(ask('plain'));
    const chatId = chatIdOf(first);
    const end = first.events.at(-1)!.id;
    assert.deepEqual((await chats.follow(chatId, end)).events, []);
    const second = await chats.stream(ask('other'), { chat_id: chatId });
    assert.deepEqual((await chats.follow(chatId, end)).events, second.events);
    assert.deepEqual((await chats.follow(chatId, first.events.at(-2)!.id)).events, first.events.slice(-1));
  });

  it('is said to run whatever page of the chat is read', async () => {
    const { chat_id: chatId } = await chats.say(ask('plain'));
    const { whole, turnId } = await chats.begin(ask('held'), { chat_id: chatId });
    for (const query of ['', '?before=2', '?before=1']) {
      const { running, run } = await chats.detail(chatId, query);
      assert.deepEqual([running, run?.turn_id], [true, turnId], query);
    }
    chats.harness.model.release('held');
    await whole;
    assert.equal((await chats.detail(chatId, '?before=2')).running, false);
  });

  describe('with what was found elsewhere', () => {
    it('needs the scope to read the investigation', async () => {
      const key = await chats.key('chats:write', 'chats:read');
      const body = { ...said('plain'), investigation_id: randomUUID() };
      assert.deepEqual(await answered(chats.post(body, { key })), [403, 'insufficient_scope']);
      assert.equal((await chats.post(body)).status, 422);
    });

    it('and the scope to read a result or a chart, by its conversation', async () => {
      const { body } = await chats.call('POST', '/api/chat-viz', { prompt: ask('drawn') });
      const { chat_id: chatId, tool_id: toolId } = body as { chat_id: string; tool_id: string };
      const [reader, writer, investigator] = [
        await chats.key('chats:write', 'chats:read'),
        await chats.key('chats:write'),
        await chats.key('chats:write', 'investigations:read'),
      ];
      const statuses = (key: string): Promise<number[]> =>
        Promise.all([
          chats.call('GET', `/api/tool-results/${toolId}`, undefined, { key }).then(({ status }) => status),
          chats.call('GET', `/api/charts/${toolId}`, undefined, { key }).then(({ status }) => status),
          chats
            .call('POST', '/api/chat-viz', { prompt: ask('plain'), tool_id: toolId }, { key })
            .then(({ status }) => status),
        ]);
      const allowed = [200, 200, 200];
      const refused = [403, 403, 403];
      assert.deepEqual(await statuses(reader), allowed);
      assert.deepEqual(await statuses(writer), refused);
      assert.deepEqual(await statuses(investigator), refused);
      const em = chats.harness.database.orm.em.fork();
      await em.nativeUpdate(Conversation, { id: chatId }, { kind: 'investigation' }, anyTeam);
      assert.deepEqual(await statuses(reader), refused);
      assert.deepEqual(await statuses(investigator), allowed);
    });
  });

  it('draws for its caller only what they may read', async () => {
    const { chat_id: chatId } = await chats.say(ask('drawn'));
    const [measured] = (await chats.detail(chatId)).messages.at(-1)!.turn!.tool_calls;
    const key = await chats.key('chats:write', 'chats:read');
    const draw = async (): Promise<boolean> => {
      const prompt = ask('named', `tool_id ${measured!.id}`);
      const { status, body } = await chats.call('POST', '/api/chat-viz', { prompt }, { key });
      assert.equal(status, 200, JSON.stringify(body));
      return body['chart'] !== null;
    };
    assert.equal(await draw(), true);
    const em = chats.harness.database.orm.em.fork();
    await em.nativeUpdate(Conversation, { id: chatId }, { kind: 'investigation' }, anyTeam);
    assert.equal(await draw(), false);
  });

  it('is not begun by a request that contradicts itself', async () => {
    const { chat_id: chatId } = await chats.say(ask('plain'));
    const refused = async (body: Record<string, unknown>): Promise<unknown[]> => {
      const { status, body: answer } = await chats.post(body);
      assert.equal(status, 422);
      return (answer as { detail: { loc: unknown }[] }).detail.map(({ loc }) => loc);
    };
    const both = { ...said('plain'), chat_id: chatId, investigation_id: randomUUID() };
    assert.deepEqual(await refused(both), [['body', 'investigation_id']]);
    assert.deepEqual(await refused({ messages: [] }), [['body', 'messages']]);
  });

  it('counts by `count` where the old name is given too', async () => {
    for (const [query, count] of [
      ['?count=3&limit=7', 3],
      ['?limit=7', 7],
      ['', 20],
    ] as const) {
      assert.equal(((await chats.call('GET', `/api/chat${query}`)).body as { count: number }).count, count);
    }
    const { body } = await chats.call('GET', '/openapi.json');
    const { parameters } = (
      body as { paths: Record<string, { get: { parameters: { name: string; schema: unknown }[] } }> }
    ).paths['/api/chat']!.get;
    const { schema } = parameters.find(({ name }) => name === 'count')!;
    assert.equal((schema as { default?: number }).default, 20);
  });
});
