import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { waitUntil } from '../../support/wait-until.ts';
import type { UiChunk } from '../../../src/features/chats/stream/chunks.ts';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, readEvents, textOf, type Lines, type Streamed } from './support.ts';

const look: ScriptedStep = { thinking: 'Hm.', text: 'I look.', toolUses: [{ name: 'list_sources' }] };
const ANSWER = 'It is the pool of connections [1].';

const lines: Record<string, Lines> = {
  looked: [look, { text: ANSWER, deltaCharacters: 8 }],
  'live-plain': [look, { text: ANSWER, deltaCharacters: 8, hold: { gate: 'live-plain', at: 'middle' } }],
  'live-tools': [look, { text: ANSWER, deltaCharacters: 8, hold: { gate: 'live-tools', at: 'middle' } }],
  // Says something else when it is asked again: what was said is taken back.
  'taken-back': ({ step, attempt }) => {
    if (step === 0) return look;
    return attempt === 0
      ? { text: 'It is the cache, I believe.', deltaCharacters: 6, cut: 'middle' }
      : { text: ANSWER, deltaCharacters: 8 };
  },
  fails: [look, { error: { status: 400, type: 'invalid_request_error', message: 'No.' } }],
  plain: [{ text: 'Yes.' }],
};
const modes = [undefined, 'tools'] as const;

describe('a stream that is taken up again', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  const chatOf = ({ chunks: [start] }: Streamed): { chatId: string; turnId: string } => {
    assert.ok(start?.type === 'start');
    return { chatId: start.chatId, turnId: start.messageId };
  };

  for (const include of modes) {
    for (const name of ['looked', 'taken-back', 'fails']) {
      it(`goes on after every single event (${name}, ${include ?? 'plain'})`, async () => {
        const all = await chats.stream(ask(name), {}, { include });
        const { chatId } = chatOf(all);
        assert.ok(all.events.length >= 8);
        await Promise.all(
          all.events.map(async ({ id }, index) => {
            const rest = await chats.follow(chatId, id, { include });
            assert.deepEqual(rest.events, all.events.slice(index + 1), `after ${id}`);
          }),
        );
      });
    }

    it(`goes on while the turn runs, after every event so far (${include ?? 'plain'})`, async () => {
      const name = `live-${include ?? 'plain'}`;
      const { chatId, seen, whole } = await chats.begin(ask(name), {}, { include });
      const halfway = (): true | undefined => seen.some(({ data }) => data.includes('It is')) || undefined;
      await waitUntil(halfway, { what: 'half of the answer', intervalMs: 10 });
      const places = [...seen];
      const following = [undefined, ...places].map((event) => chats.follow(chatId, event?.id, { include }));
      chats.harness.model.release(name);
      const { events } = await whole;
      for (const [index, { events: rest }] of (await Promise.all(following)).entries()) {
        assert.deepEqual(rest, events.slice(index));
      }
      assert.ok(places.length < events.length);
    });

    it(`says everything when its events are gone, once (${include ?? 'plain'})`, async () => {
      const all = await chats.stream(ask('looked'), {}, { include });
      const { chatId, turnId } = chatOf(all);
      const em = chats.harness.database.orm.em.fork();
      const forget = async (): Promise<void> => {
        await em.execute('delete from events where stream = ?', [`run:${turnId}`]);
        await em.execute('delete from event_streams where stream = ?', [`run:${turnId}`]);
      };
      await forget();
      const whole = await chats.follow(chatId, undefined, { include });
      assert.equal(whole.text, all.text);
      assert.equal(whole.events.at(-1)?.data, '[DONE]');
      for (const [index, { id }] of all.events.slice(0, -1).entries()) {
        await forget();
        if (include && !id.includes('.start.')) {
          // A client that has several steps cannot take all of them back.
          const headers = { 'last-event-id': id };
          const path = `/api/chat/${chatId}/stream?include=${include}`;
          const { status, body } = await chats.call('GET', path, undefined, { headers });
          assert.deepEqual([status, body['code']], [409, 'position_lost']);
          continue;
        }
        const rest = await chats.follow(chatId, id, { include });
        assert.equal(rest.events.at(-1)?.data, '[DONE]');
        // What comes takes back everything.
        const kept = include ? [] : closed(all.chunks.slice(0, index + 1));
        assert.equal(textOf([...kept, ...rest.chunks]), all.text, `after ${id}`);
      }
    });
  }

  it('is taken up by a POST that repeats its request, with or without a stream', async () => {
    const all = await chats.stream(ask('looked'));
    const { chatId } = chatOf(all);
    const before = [await chats.countTurns(), chats.requests('looked').length];
    for (const [index, { id }] of all.events.entries()) {
      const again = await chats.stream(ask('looked'), {}, { headers: { 'last-event-id': id } });
      assert.deepEqual(again.events, all.events.slice(index + 1));
    }
    const headers = { 'last-event-id': all.events[3]!.id };
    const answer = await chats.say(ask('looked'), {}, { headers });
    assert.deepEqual([answer.chat_id, answer.response], [chatId, all.text]);
    assert.deepEqual([await chats.countTurns(), chats.requests('looked').length], before);
  });

  it('is taken up with a query parameter where a header cannot be sent', async () => {
    const all = await chats.stream(ask('looked'));
    const { chatId } = chatOf(all);
    const path = `/api/chat/${chatId}/stream?last_event_id=${all.events[4]!.id}`;
    assert.deepEqual((await readEvents(await chats.fetch('GET', path))).events, all.events.slice(5));
  });

  it('belongs to the turn of the event, even an earlier one', async () => {
    const first = await chats.stream(ask('looked'));
    const { chatId } = chatOf(first);
    const second = await chats.stream(ask('plain'), { chat_id: chatId });
    assert.deepEqual((await chats.follow(chatId, first.events[2]!.id)).events, first.events.slice(3));
    const other = await chats.stream(ask('plain'));
    assert.deepEqual((await chats.follow(chatId, other.events[2]!.id)).events, second.events);
  });

  it('is refused for what is no event of ours', async () => {
    const { chatId, turnId } = chatOf(await chats.stream(ask('plain')));
    const before = await chats.countTurns();
    const turn = turnId.replaceAll('-', '');
    for (const id of [
      'garbage',
      '1',
      "1'; drop table chats; --",
      `${turn}.1`,
      `${turn}.x.1`,
      `${turn}.1.-1`,
      `${turn}.99999999999999999999999.1`,
      `${turn}.start.99999999`,
      `${turnId}.start.1`,
      'x'.repeat(1_000),
    ]) {
      const headers = { 'last-event-id': id };
      for (const [method, path, body] of [
        ['GET', `/api/chat/${chatId}/stream`, undefined],
        ['POST', '/api/v1/chat?stream=true', { messages: [{ role: 'user', content: ask('plain') }] }],
        ['POST', '/api/v1/chat', { messages: [{ role: 'user', content: ask('plain') }] }],
      ] as const) {
        const response = await chats.fetch(method, path, body, { headers });
        assert.equal(response.status, 422, `${method} ${path} ${id}`);
        const refused = { body: await response.json() };
        assert.deepEqual((refused.body as { detail: { loc: string[] }[] }).detail[0]?.loc, ['header', 'last-event-id']);
      }
    }
    const byQuery = await chats.call('GET', `/api/chat/${chatId}/stream?last_event_id=garbage`);
    assert.equal(byQuery.status, 422);
    assert.equal(await chats.countTurns(), before);
  });

  it('is not there for a turn that is not, or is another team’s @never-forgiven', async () => {
    const { chatId } = chatOf(await chats.stream(ask('plain')));
    const key = await chats.otherTeam();
    const theirs = await chats.stream(ask('plain'), {}, { key });
    const before = await chats.countTurns();
    for (const id of [theirs.events[2]!.id, `${randomUUID().replaceAll('-', '')}.start.1`]) {
      const headers = { 'last-event-id': id };
      assert.equal((await chats.call('GET', `/api/chat/${chatId}/stream`, undefined, { headers })).status, 404);
      const body = { messages: [{ role: 'user', content: ask('plain') }] };
      for (const path of ['/api/v1/chat?stream=true', '/api/v1/chat', '/api/chat-viz', '/api/chat-editor']) {
        assert.equal((await chats.call('POST', path, { ...body, prompt: 'Draw.' }, { headers })).status, 404, path);
      }
    }
    assert.equal(await chats.countTurns(), before);
  });
});

/** What a client has of a stream that broke off: the part that was open is over. */
function closed(chunks: UiChunk[]): UiChunk[] {
  const open = chunks.findLast(({ type }) => /^(text|reasoning)-(start|end)$/.test(type));
  if (open?.type !== 'text-start' && open?.type !== 'reasoning-start') return chunks;
  return [...chunks, { type: open.type === 'text-start' ? 'text-end' : 'reasoning-end', id: open.id }];
}
