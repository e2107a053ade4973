import assert from 'node:assert/strict';
import type { UiChunk } from '../../../src/features/chats/stream/chunks.ts';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, readEvents, typesOf, type Lines, type Streamed } from './support.ts';

const plan: ScriptedStep = {
  thinking: 'A plan first.',
  text: 'I look.',
  toolUses: [
    { name: 'update_plan', input: { items: [{ text: 'Look', status: 'in_progress' }] } },
    { name: 'list_services', input: { source: 'nowhere' } },
  ],
};
const refused: ScriptedStep = { error: { status: 400, type: 'invalid_request_error', message: 'No.' } };

const lines: Record<string, Lines> = {
  plan: [plan, { text: 'It is the pool [2].', deltaCharacters: 4 }],
  fails: [plan, refused],
  stopped: [{ text: 'This is cut off somewhere.', deltaCharacters: 4, hold: { gate: 'stopped', at: 'middle' } }],
};

describe('the stream of a turn', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  const checkIds = ({ events }: Streamed): void => {
    const ids = events.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'every event has an id of its own');
    assert.ok(
      ids.every((id) => /^[\w.-]{1,200}$/.test(id)),
      'an id fits a header',
    );
    const place = (id: string): [number, number] => {
      const [, log, index] = id.split('.');
      return [log === 'start' ? 0 : Number(log), Number(index)];
    };
    const sorted = ids.toSorted((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]);
    assert.deepEqual(ids, sorted);
  };

  it('has the form that the AI SDK knows, begins with the chat and ends with [DONE]', async () => {
    const streamed = await chats.stream(ask('plan'));
    const { headers } = streamed.response;
    assert.equal(headers.get('content-type')?.split(';')[0], 'text/event-stream');
    assert.equal(headers.get('x-vercel-ai-ui-message-stream'), 'v1');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    assert.match(headers.get('cache-control') ?? '', /no-cache/);
    checkIds(streamed);
    assert.equal(streamed.events.at(-1)?.data, '[DONE]');
    const [start] = streamed.chunks;
    assert.ok(start?.type === 'start');
    const detail = await chats.detail(start.chatId);
    const chat = { chatId: detail.id };
    assert.deepEqual(start, { type: 'start', messageId: detail.messages.at(-1)!.id, ...chat, messageMetadata: chat });
    assert.deepEqual(
      typesOf(streamed).filter((type) => !type.endsWith('-delta')),
      ['start', 'reasoning-start', 'reasoning-end', 'text-start', 'text-end', 'text-start', 'text-end', 'finish'],
    );
    assert.equal(streamed.text, 'I look.\n\nIt is the pool [2].');
    const finish = streamed.chunks.at(-1);
    assert.ok(finish?.type === 'finish');
    assert.equal(finish.finishReason, 'stop');
    assert.deepEqual(finish.messageMetadata['usage'], detail.messages.at(-1)!.turn?.usage);
  });

  it('has calls, results, the plan and citations for those who ask', async () => {
    const streamed = await chats.stream(ask('plan'), {}, { include: 'tools' });
    checkIds(streamed);
    const types = typesOf(streamed).filter((type) => !type.endsWith('-delta'));
    assert.deepEqual(types.slice(0, 6), [
      'start',
      'start-step',
      'reasoning-start',
      'reasoning-end',
      'text-start',
      'text-end',
    ]);
    assert.deepEqual(types.slice(6, 8), ['tool-input-available', 'tool-input-available']);
    // Both calls run at once.
    assert.deepEqual(types.slice(8, 11).toSorted(), ['data-plan', 'tool-output-available', 'tool-output-error']);
    assert.deepEqual(types.slice(11), [
      'finish-step',
      'start-step',
      'text-start',
      'text-end',
      'finish-step',
      'data-citations',
      'finish',
    ]);
    const of = <T extends UiChunk['type']>(type: T) =>
      streamed.chunks.filter((chunk): chunk is Extract<UiChunk, { type: T }> => chunk.type === type);
    const [planCall, servicesCall] = of('tool-input-available');
    assert.deepEqual(servicesCall?.input, { source: 'nowhere' });
    const [output] = of('tool-output-available');
    assert.equal(output?.toolCallId, planCall?.toolCallId);
    const stored = await chats.call('GET', output!.output.resultUrl);
    assert.equal(stored.status, 200);
    const [failed] = of('tool-output-error');
    assert.equal(failed?.toolCallId, servicesCall?.toolCallId);
    assert.match(failed.errorText, /no source "nowhere"/);
  });

  it('tells of an error before its end', async () => {
    const { chunks, events, text } = await chats.stream(ask('fails'));
    assert.deepEqual(typesOf({ chunks }).slice(-2), ['error', 'finish']);
    const [error, finish] = chunks.slice(-2);
    assert.ok(error?.type === 'error' && finish?.type === 'finish');
    assert.match(error.errorText, /No\./);
    assert.equal(finish.finishReason, 'error');
    assert.equal(events.at(-1)?.data, '[DONE]');
    assert.equal(text, 'I look.', 'what was said stays said');
  });

  it('tells that it was cancelled before its end, and ends', async () => {
    const { chatId, whole } = await chats.begin(ask('stopped'));
    await chats.harness.model.waitForHold('stopped');
    assert.equal((await chats.call('POST', `/api/chat/${chatId}/cancel`)).status, 200);
    const { chunks, events, text } = await whole;
    assert.deepEqual(typesOf({ chunks }).slice(-2), ['abort', 'finish']);
    assert.equal(events.at(-1)?.data, '[DONE]');
    assert.ok(text.length > 0 && 'This is cut off somewhere.'.startsWith(text), text);
    assert.equal((await chats.ended(chatId)).text, text);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const { chat_id: id } = await chats.say(ask('plan'));
    const response = await chats.fetch('HEAD', `/api/chat/${id}/stream`);
    assert.equal(await response.text(), '');
  });

  it('is that of the last turn for late readers', async () => {
    const { chat_id: id } = await chats.say(ask('plan'));
    const second = await chats.stream(ask('fails'), { chat_id: id });
    assert.deepEqual((await chats.follow(id)).events, second.events);
    const byKey = await fetch(`${chats.harness.url}/api/chat/${id}/stream`, {
      headers: { 'x-api-key': chats.harness.apiKey },
    });
    assert.deepEqual((await readEvents(byKey)).events, second.events);
  });
});
