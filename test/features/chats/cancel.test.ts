import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { sweepChats } from '../../../src/features/chats/index.ts';
import { defineTool } from '../../../src/features/tools/tool.ts';
import { Conversation } from '../../../src/features/transcripts/index.ts';
import { ask, Chats, type Json, type Lines } from './support.ts';

const SENTENCE = 'The pool of connections of the payment service is exhausted since noon.';
const midway = (gate: string): Lines => [{ text: SENTENCE, deltaCharacters: 6, hold: { gate, at: 'middle' } }];

const lines: Record<string, Lines> = {
  plain: [{ text: 'Yes.' }],
  long: [{ text: 'Much was said.', usage: { input_tokens: 5_000 } }],
  sentence: midway('sentence'),
  waited: midway('waited'),
  twice: midway('twice'),
  silent: [{ text: 'Never said.', hold: { gate: 'silent', at: 'start' } }],
  tool: [{ text: 'I wait.', toolUses: [{ name: 'wait_for_ever' }] }, { text: 'Done.' }],
};

describe('a turn that is cancelled', () => {
  let chats: Chats;
  let waiting = Promise.withResolvers<AbortSignal>();
  const waitForEver = defineTool({
    name: 'wait_for_ever',
    description: 'Waits.',
    input: z.strictObject({}),
    summarize: () => 'Wait',
    run: (_input, { signal }) => {
      waiting.resolve(signal);
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('The tool was stopped.')), { once: true }),
      );
    },
  });
  before(async () => {
    chats = await Chats.start({ lines, tools: [waitForEver] });
  });
  after(() => chats?.stop());

  const cancel = (chatId: string) => chats.call('POST', `/api/chat/${chatId}/cancel`);
  const cancelled = async (chatId: string): Promise<void> => {
    const { status, body } = await cancel(chatId);
    assert.deepEqual([status, body], [200, { chat_id: chatId, status: 'processing' }]);
  };

  it('in mid-sentence keeps the text, stops the model, and the chat continues from there', async () => {
    const { chatId, seen, whole } = await chats.begin(ask('sentence'));
    await chats.harness.model.waitForHold('sentence');
    await cancelled(chatId);
    const { text } = await whole;
    assert.ok(seen.length > 3);
    assert.ok(text.length > 10 && SENTENCE.startsWith(text) && text !== SENTENCE, text);
    const turn = await chats.ended(chatId);
    assert.deepEqual([turn.status, turn.text, turn.explanation], ['cancelled', text, 'Stopped on request.']);
    assert.equal(chats.requests('sentence')[0]?.aborted, true);
    assert.equal((await chats.say(ask('plain'), { chat_id: chatId })).response, 'Yes.');
    const { messages } = chats.requests('plain').at(-1)!.body;
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    assert.ok(JSON.stringify(messages[1]).includes(text));
  });

  it('is a conflict for whoever waits for its answer, and leaves what is known of the transcript’s length', async () => {
    const { chat_id: id } = await chats.say(ask('long'));
    const tokens = async (): Promise<number> =>
      (await chats.harness.database.orm.em.fork().findOneOrFail(Conversation, { id }, anyTeam)).contextTokens;
    assert.equal(await tokens(), 5_020);
    const asking = chats.post({ messages: [{ role: 'user', content: ask('waited') }], chat_id: id });
    await chats.harness.model.waitForHold('waited');
    await cancelled(id);
    const { status, body } = await asking;
    assert.deepEqual([status, body['code'], body['chat_id']], [409, 'turn_cancelled', id]);
    assert.ok((await tokens()) >= 5_020, 'by it the transcript is summarised in time');
    await chats.say(ask('plain'), { chat_id: id });
    assert.ok((await chats.turns(id)).at(-1)!.contextTokens > 5_020);
  });

  it('twice, or by several at once, is cancelled once; later there is nothing to cancel', async () => {
    const { chatId, whole } = await chats.begin(ask('twice'));
    await chats.harness.model.waitForHold('twice');
    await Promise.all([cancelled(chatId), cancelled(chatId), cancelled(chatId)]);
    const { chunks } = await whole;
    assert.equal(chunks.filter(({ type }) => type === 'abort').length, 1);
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await cancel(chatId);
      assert.deepEqual([status, body['code']], [409, 'no_turn_running']);
    }
    assert.equal((await chats.turns(chatId)).length, 1);
  });

  it('before the model said anything is cancelled with nothing', async () => {
    const { chatId, whole } = await chats.begin(ask('silent'));
    await chats.harness.model.waitForHold('silent');
    await cancelled(chatId);
    assert.equal((await whole).text, '');
    assert.equal((await chats.ended(chatId)).status, 'cancelled');
    assert.equal((await chats.say(ask('plain'), { chat_id: chatId })).response, 'Yes.');
  });

  it('stops the tool that runs, whose call is then one that was cancelled', async () => {
    waiting = Promise.withResolvers();
    const { chatId, whole } = await chats.begin(ask('tool'), {}, { include: 'tools' });
    const signal = await waiting.promise;
    await cancelled(chatId);
    const { chunks, text } = await whole;
    assert.equal(signal.aborted, true);
    assert.equal(text, 'I wait.');
    assert.equal(chunks.filter(({ type }) => type === 'tool-output-error').length, 1);
    const turn = await chats.ended(chatId);
    assert.deepEqual(
      turn.tool_calls.map(({ status, is_error: isError }) => [status, isError]),
      [['cancelled', true]],
    );
    assert.equal(chats.requests('tool').length, 1);
    assert.equal((await chats.say(ask('plain'), { chat_id: chatId })).response, 'Yes.', 'with a result for every call');
  });

  it('is refused where nothing ran or nothing is', async () => {
    const { chat_id: id } = await chats.say(ask('plain'));
    assert.equal((await cancel(id)).status, 409);
    assert.equal((await cancel(randomUUID())).status, 404);
  });

  describe('before Temporal has heard of it', () => {
    let usual: typeof chats.harness.api.deps.chats.launcher;
    beforeEach(() => {
      usual = chats.harness.api.deps.chats.launcher;
    });
    afterEach(() => {
      chats.harness.api.deps.chats.launcher = usual;
    });

    it('ends at once, and a late start does not call the model', async () => {
      const cancelledYet = Promise.withResolvers<void>();
      const starting = Promise.withResolvers<void>();
      chats.harness.api.deps.chats.launcher = {
        ...usual,
        start: async (turn) => {
          await cancelledYet.promise;
          await usual.start(turn).finally(starting.resolve);
        },
      };
      const { chatId, turnId, whole } = await chats.begin(ask('plain'));
      const asked = chats.requests('plain').length;
      const { status } = await cancel(chatId);
      assert.equal(status, 200);
      const { chunks } = await whole;
      assert.deepEqual(
        chunks.map(({ type }) => type),
        ['start', 'abort', 'finish'],
      );
      cancelledYet.resolve();
      await starting.promise;
      const result: unknown = await chats.harness.temporal.workflow.getHandle(`chat-turn-${turnId}`).result();
      assert.deepEqual(result, { status: 'cancelled' });
      assert.equal(chats.requests('plain').length, asked);
      assert.equal((await chats.ended(chatId)).status, 'cancelled');
      chats.harness.api.deps.chats.launcher = usual;
      assert.equal((await chats.say(ask('plain'), { chat_id: chatId })).response, 'Yes.');
    });

    it('is cancelled by the sweeper when Temporal is back', async () => {
      const away = (): Promise<never> => Promise.reject(new Error('Temporal is away'));
      chats.harness.api.deps.chats.launcher = { ...usual, start: away, cancel: away };
      const { chatId, whole } = await chats.begin(ask('plain'));
      const { status, body } = await cancel(chatId);
      assert.deepEqual([status, (body as Json)['status']], [200, 'processing']);
      const refused = await chats.post({ messages: [{ role: 'user', content: ask('plain') }], chat_id: chatId });
      assert.equal(refused.status, 409, 'it still runs');
      chats.harness.api.deps.chats.launcher = usual;
      const options = { graceMs: -1_000, silenceMs: 60_000, batch: 100 };
      assert.equal(await sweepChats(chats.harness.api.deps.chats, options), 1);
      assert.equal((await whole).chunks.at(-2)?.type, 'abort');
      assert.equal((await chats.ended(chatId)).status, 'cancelled');
    });
  });
});
