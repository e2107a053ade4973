/** Clients that know server-sent events and nothing else: what they saw before a break and after it is the stream. */
import assert from 'node:assert/strict';
import { EventSource } from 'eventsource';
import { Wire } from '../../../support/chat-wire.ts';
import type { ScriptedStep } from '../../../support/scripted-model/index.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';
import { ask, Chats, textOf, type Lines, type StreamedEvent } from '../support.ts';
import { chunksOf, eventsOf } from './support.ts';

const look: ScriptedStep = {
  thinking: 'Which sources are there?',
  text: 'I look around.',
  toolUses: [{ name: 'list_sources', input: {} }],
};
const ANSWER = 'It is the pool of connections of the payment service [1]: “exhausted” 🙂\r\nsince noon.';
const conclude: ScriptedStep = { thinking: 'So it is.', text: ANSWER, deltaCharacters: 30, delayMsBetweenDeltas: 1 };
const held = (gate: string): ScriptedStep => ({ text: ANSWER, deltaCharacters: 4, hold: { gate, at: 'middle' } });

const lines: Record<string, Lines> = {
  whole: [look, conclude],
  broken: [look, held('broken')],
  repeated: [look, held('repeated')],
  lost: [look, held('lost')],
  deleted: [look, held('deleted')],
};
const text = `I look around.\n\n${ANSWER}`;

describe('a client of server-sent events', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  /** What comes after an event. */
  const eventsAfter = async (chatId: string, id: string, include?: 'tools'): Promise<StreamedEvent[]> => {
    const path = `/api/chat/${chatId}/stream${include ? `?include=${include}` : ''}`;
    const events: StreamedEvent[] = [];
    const response = await chats.fetch('GET', path, undefined, { headers: { 'last-event-id': id } });
    for await (const event of eventsOf(response)) events.push(event);
    return events;
  };

  for (const include of [undefined, 'tools'] as const) {
    it(`goes on after any event with exactly those that follow${include ? ', with tools' : ''}`, async () => {
      const { events, chunks, text: shown } = await chats.stream(ask('whole'), {}, { include });
      assert.equal(shown, text);
      assert.equal(events.at(-1)?.data, '[DONE]');
      assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
      const start = chunks[0];
      assert.ok(start?.type === 'start');
      assert.deepEqual((await chats.follow(start.chatId, undefined, { include })).events, events);
      for (const [index, { id }] of events.entries()) {
        assert.deepEqual(await eventsAfter(start.chatId, id, include), events.slice(index + 1), `after event ${index}`);
      }
    });
  }

  it('that is an EventSource comes back by itself, and misses and repeats nothing', async () => {
    const { chatId, whole } = await chats.begin(ask('broken'));
    await chats.harness.model.waitForHold('broken');
    const events: StreamedEvent[] = [];
    const wire = new Wire();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const { promise: halfway, resolve: isHalfway } = Promise.withResolvers<void>();
    const source = new EventSource(`${chats.harness.url}/api/chat/${chatId}/stream`, {
      fetch: (url, init) =>
        wire.fetch(String(url), {
          ...init,
          headers: { ...init.headers, 'x-api-key': chats.harness.apiKey },
        }),
    });
    source.addEventListener('message', ({ lastEventId, data }) => {
      events.push({ id: lastEventId, data });
      if (data === '[DONE]') resolve();
      else if (textOf(chunksOf(events)).includes('It is the pool')) isHalfway();
    });
    try {
      await halfway;
      const seen = events.at(-1)!.id;
      wire.cut();
      chats.harness.model.release('broken');
      await done;
      assert.deepEqual(
        wire.requests.map(({ lastEventId }) => lastEventId),
        [null, seen],
      );
    } finally {
      source.close();
    }
    assert.deepEqual(events, (await whole).events);
    assert.equal(textOf(chunksOf(events)), text);
  });

  it('that repeats its request with the last event it saw resumes the turn, and starts no new one', async () => {
    const body = { messages: [{ role: 'user', content: ask('repeated') }] };
    const post = (headers = {}): Promise<Response> =>
      chats.fetch('POST', '/api/v1/chat?stream=true', body, { headers });
    const events: StreamedEvent[] = [];
    for await (const event of eventsOf(await post())) {
      events.push(event);
      if (textOf(chunksOf(events)).includes('It is the pool')) break;
    }
    const turns = await chats.countTurns();
    const again = await post({ 'last-event-id': events.at(-1)!.id });
    chats.harness.model.release('repeated');
    for await (const event of eventsOf(again)) events.push(event);
    assert.equal(await chats.countTurns(), turns);
    assert.equal(textOf(chunksOf(events)), text);
    const start = chunksOf(events)[0];
    assert.ok(start?.type === 'start');
    assert.deepEqual(events, (await chats.follow(start.chatId)).events);
  });

  it('whose position the log has lost is told to drop its text, and gets everything again', async () => {
    const { chatId, turnId, whole } = await chats.begin(ask('lost'));
    await chats.harness.model.waitForHold('lost');
    const { events: log } = chats.harness.api.deps;
    const stream = `run:${turnId}`;
    const { id: logId } = (await log.read(stream)).at(-1)!;
    const lost = `${turnId.replaceAll('-', '')}.${logId}.1`;
    await log.remove([stream]);
    chats.harness.model.release('lost');
    await chats.ended(chatId);
    assert.equal((await whole).text, text, 'who was there notices nothing');
    const events = await eventsAfter(chatId, lost);
    const [start, reset] = chunksOf(events);
    assert.deepEqual([start?.type, reset?.type], ['start', 'reset-step']);
    assert.equal(textOf(chunksOf(events)), text);
    // The connection may break once more, after any of these.
    for (const [index, { id }] of events.entries()) {
      const rest = events.slice(index + 1).filter(({ id: other }) => index > 0 || other !== events[1]!.id);
      assert.deepEqual(await eventsAfter(chatId, id), rest, `after event ${index}`);
    }
    // Where steps are marked the earlier ones could not be taken back: the client is to begin anew.
    const path = `/api/chat/${chatId}/stream?include=tools`;
    const refused = await chats.call('GET', path, undefined, { headers: { 'last-event-id': lost } });
    assert.equal(refused.status, 409);
    assert.equal((refused.body as { code: string }).code, 'position_lost');
  });

  it('is notified when its chat is deleted', async () => {
    const { chatId, whole } = await chats.begin(ask('deleted'));
    await chats.harness.model.waitForHold('deleted');
    assert.equal((await chats.call('DELETE', `/api/chat/${chatId}`)).status, 200);
    const { chunks, events } = await whole;
    assert.ok(chunks.some(({ type }) => type === 'abort'));
    assert.equal(events.at(-1)?.data, '[DONE]');
  });
});
