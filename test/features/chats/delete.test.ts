import assert from 'node:assert/strict';
import { waitUntil } from '../../support/wait-until.ts';
import { sweepChats } from '../../../src/features/chats/index.ts';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, type Lines } from './support.ts';

/** Something that is said in chats that are deleted, and nowhere else. */
const SECRET = 'xyzzy';
const look: ScriptedStep = {
  text: `I look for ${SECRET}.`,
  toolUses: [{ name: 'search_logs', input: { source: 'shop', text: SECRET } }],
};
const midway = (gate: string): Lines => [
  look,
  { text: `It is ${SECRET}, which takes a while to say.`, deltaCharacters: 5, hold: { gate, at: 'middle' } },
];

const lines: Record<string, Lines> = {
  plain: [{ text: 'Yes.' }],
  looked: [look, { text: `It is ${SECRET} [1].` }],
  streamed: midway('streamed'),
  waited: midway('waited'),
  unseen: midway('unseen'),
  away: midway('away'),
};
const tasks: Record<string, Lines> = {
  chat_title: ({ request }) => {
    const asked = JSON.stringify(request.messages);
    if (asked.includes('named late')) return { text: `About ${SECRET}`, hold: { gate: 'title', at: 'start' } };
    return { text: asked.includes(SECRET) ? `About ${SECRET}` : 'About it' };
  },
};

describe('a chat that is deleted', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, tasks, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  /** Tables that hold something of these. */
  const traces = async (...what: string[]): Promise<string[]> => {
    const em = chats.harness.database.orm.em.fork();
    const tables = await em.execute<{ name: string }[]>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    assert.ok(tables.length > 10);
    const found = await Promise.all(
      tables.map(async ({ name }) => {
        const rows = await em.execute<unknown[]>(`select 1 from "${name}" as r where r::text ~ ?`, [what.join('|')]);
        return rows.length > 0 ? [name] : [];
      }),
    );
    return found.flat().toSorted((a, b) => (a < b ? -1 : 1));
  };
  const remove = async (chatId: string): Promise<void> => {
    const { status, body } = await chats.call('DELETE', `/api/chat/${chatId}`);
    assert.deepEqual([status, body], [200, { deleted: true }]);
  };
  const isGone = async (chatId: string): Promise<void> => {
    for (const [method, path, body] of [
      ['GET', `/api/chat/${chatId}`, undefined],
      ['GET', `/api/chat/${chatId}/stream`, undefined],
      ['PATCH', `/api/chat/${chatId}/title`, { title: 'x' }],
      ['POST', `/api/chat/${chatId}/cancel`, undefined],
      ['DELETE', `/api/chat/${chatId}`, undefined],
      ['POST', '/api/v1/chat', { messages: [{ role: 'user', content: ask('plain') }], chat_id: chatId }],
    ] as const) {
      assert.equal((await chats.call(method, path, body)).status, 404, `${method} ${path}`);
    }
    const { chats: listed, total } = (await chats.call('GET', '/api/chat?count=100')).body as {
      chats: { id: string }[];
      total: number;
    };
    assert.ok(!listed.some(({ id }) => id === chatId));
    assert.equal(total, listed.length);
    const hits = (await chats.call('GET', `/api/chat/search?q=${SECRET}`)).body as { chats: { id: string }[] };
    assert.ok(!hits.chats.some(({ id }) => id === chatId));
  };
  const nothingIsLeft = (...ids: string[]): Promise<true> =>
    waitUntil(async () => (await traces(SECRET, ...ids)).length === 0 || undefined, {
      what: 'that nothing is left',
    });

  it('leaves nothing anywhere, and other chats as they are', async () => {
    const { chat_id: kept } = await chats.say(ask('plain'));
    const { events, chunks } = await chats.stream(ask('looked'), {}, { include: 'tools' });
    const [start] = chunks;
    assert.ok(start?.type === 'start');
    const { chatId, messageId: turnId } = start;
    await chats.settled(turnId);
    const result = (await chats.detail(chatId)).messages.at(-1)!.turn!.tool_calls[0]!.id;
    assert.deepEqual(await traces(SECRET, chatId, turnId), [
      'auxiliary_calls',
      'chat_turns',
      'chats',
      'conversations',
      'event_streams',
      'events',
      'messages',
      'model_turns',
      'runs',
      'tool_calls',
    ]);
    await remove(chatId);
    assert.deepEqual(await traces(SECRET, chatId, turnId, result), []);
    await isGone(chatId);
    assert.equal((await chats.call('GET', `/api/tool-results/${result}`)).status, 404);
    for (const path of ['/api/v1/chat', '/api/v1/chat?stream=true']) {
      const body = { messages: [{ role: 'user', content: ask('looked') }] };
      const headers = { 'last-event-id': events[2]!.id };
      assert.equal((await chats.call('POST', path, body, { headers })).status, 404);
    }
    assert.equal((await chats.detail(kept)).messages.length, 2);
  });

  it('while a turn runs is gone at once; the turn is stopped, and its followers are notified', async () => {
    const { chatId, turnId, seen, whole } = await chats.begin(ask('streamed'));
    await chats.harness.model.waitForHold('streamed');
    await remove(chatId);
    await isGone(chatId);
    const headers = { 'last-event-id': seen[1]!.id };
    const body = { messages: [{ role: 'user', content: ask('streamed') }] };
    assert.equal((await chats.call('POST', '/api/v1/chat', body, { headers })).status, 404);
    const { chunks, events } = await whole;
    assert.ok(chunks.some(({ type }) => type === 'abort'));
    assert.equal(events.at(-1)?.data, '[DONE]');
    assert.equal(chats.requests('streamed').at(-1)?.aborted, true);
    await nothingIsLeft(chatId, turnId);
    await chats.settled(turnId);
    assert.deepEqual(await traces(SECRET, chatId, turnId), []);
  });

  it('answers whoever waits for its turn', async () => {
    const { chat_id: id } = await chats.say(ask('plain'));
    const asking = chats.post({ messages: [{ role: 'user', content: ask('waited') }], chat_id: id });
    await chats.harness.model.waitForHold('waited');
    await remove(id);
    const { status } = await asking;
    assert.ok(status === 409 || status === 404, `${status}`);
    await nothingIsLeft(id);
  });

  it('answers callers waiting for its turn, even if the last event was deleted before it was read', async () => {
    const { chat_id: id } = await chats.say(ask('plain'));
    const { events } = chats.harness.api.deps;
    const usual = events.tail;
    // oxlint-disable-next-line require-yield -- it sees nothing of what is appended
    events.tail = async function* blind(_stream, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    };
    const asking = chats
      .post({ messages: [{ role: 'user', content: ask('unseen') }], chat_id: id })
      .finally(() => (events.tail = usual));
    await chats.harness.model.waitForHold('unseen');
    await remove(id);
    await nothingIsLeft(id);
    const { status, body } = await asking;
    assert.deepEqual([status, body['code']], [404, 'not_found']);
  });

  it('leaves nothing when it is being named', async () => {
    const { chatId, turnId, whole } = await chats.begin(ask('plain', 'named late'));
    await whole;
    await chats.harness.model.waitForHold('title');
    await remove(chatId);
    chats.harness.model.release('title');
    await chats.settled(turnId);
    assert.deepEqual(await traces(SECRET, chatId, turnId), []);
  });

  describe('when something is away', () => {
    const options = { graceMs: -1_000, silenceMs: 60_000, batch: 100 };

    it('is gone at once, and its turn is stopped when Temporal is back', async () => {
      const { chatId, turnId, whole } = await chats.begin(ask('away'));
      await chats.harness.model.waitForHold('away');
      const { chats: deps } = chats.harness.api.deps;
      const usual = deps.launcher;
      deps.launcher = { ...usual, cancel: () => Promise.reject(new Error('Temporal is away')) };
      await remove(chatId).finally(() => (deps.launcher = usual));
      await isGone(chatId);
      await sweepChats(deps, options);
      await whole;
      await nothingIsLeft(chatId, turnId);
    });

    it('is gone at once, and the rest goes when the event log is back', async () => {
      const { chat_id: id } = await chats.say(ask('looked'));
      const [turn] = await chats.turns(id);
      await chats.settled(turn!.id);
      const { chats: deps } = chats.harness.api.deps;
      const usual = deps.events.remove;
      deps.events.remove = () => Promise.reject(new Error('The event log is away.'));
      const { status } = await chats.call('DELETE', `/api/chat/${id}`).finally(() => (deps.events.remove = usual));
      assert.ok(status >= 200);
      await isGone(id);
      await sweepChats(deps, options);
      assert.deepEqual(await traces(SECRET, id, turn!.id), []);
    });
  });
});
