import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Chat, ChatTurn } from '../../../src/features/chats/index.ts';
import { Message } from '../../../src/features/transcripts/index.ts';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { ask, Chats, type Answer, type Lines, type Said } from './support.ts';

const held = (gate: string): ScriptedStep => ({ text: `Said after ${gate}.`, hold: { gate, at: 'start' } });

const lines: Record<string, Lines> = {
  plain: [{ text: 'Yes.' }],
  running: [held('running')],
  watched: [held('watched')],
  both: [held('both')],
  'new-twice': [held('new-twice')],
  'old-twice': [held('old-twice')],
  once: [{ text: 'Once.' }],
  failing: [{ error: { status: 400, type: 'invalid_request_error', message: 'No.' } }],
  gone: [held('gone')],
  'gone-stream': [
    { text: 'First this, and then that.', hold: { gate: 'gone-stream', at: 'middle' }, deltaCharacters: 6 },
  ],
};

describe('turns of a chat at the same time', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines });
  });
  after(() => chats?.stop());

  const body = (name: string, chatId?: string) => ({
    messages: [{ role: 'user', content: ask(name) }],
    ...(chatId !== undefined && { chat_id: chatId }),
  });
  const opened = async (): Promise<string> => (await chats.say(ask('plain'))).chat_id;

  it('are refused while one runs, with a word when to come back; then the next is welcome', async () => {
    const id = await opened();
    const first = chats.say(ask('running'), { chat_id: id });
    await chats.harness.model.waitForHold('running');
    for (const path of ['/api/v1/chat', '/api/v1/chat?stream=true', '/api/chat-viz', '/api/chat-editor']) {
      const {
        status,
        headers,
        body: answer,
      } = await chats.call('POST', path, {
        ...body('plain', id),
        prompt: 'Draw it.',
      });
      assert.equal(status, 409, path);
      assert.ok(Number(headers.get('retry-after')) >= 1, path);
      assert.deepEqual([answer['code'], answer['chat_id']], ['turn_running', id]);
    }
    chats.harness.model.release('running');
    assert.equal((await first).response, 'Said after running.');
    assert.equal((await chats.say(ask('plain'), { chat_id: id })).response, 'Yes.');
    assert.deepEqual(
      (await chats.turns(id)).map(({ number }) => number),
      [1, 2, 3],
    );
  });

  /** Lets the model answer once all requests but one have been answered. */
  const releasedByLast = (gate: string, asking: Promise<Said>[]): Promise<Said[]> => {
    let answered = 0;
    const counted = asking.map((one) =>
      one.then((said) => {
        if ((answered += 1) === asking.length - 1) chats.harness.model.release(gate);
        return said;
      }),
    );
    return Promise.all(counted);
  };

  it('are one when several requests come at once', async () => {
    const id = await opened();
    const asking = Array.from({ length: 5 }, () => chats.post(body('both', id)));
    const said = await releasedByLast('both', asking);
    assert.deepEqual(
      said.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409, 409, 409],
    );
    assert.equal(chats.requests('both').length, 1);
    assert.equal((await chats.turns(id)).length, 2);
  });

  it('are refused to a caller at the stream limit', async () => {
    const key = await chats.key('chats:read', 'chats:write');
    const id = await opened();
    const { whole } = await chats.begin(ask('watched'), { chat_id: id });
    const clients = new AbortController();
    const options = { key, signal: clients.signal };
    const path = `/api/chat/${id}/stream`;
    const watching = await Promise.all(Array.from({ length: 100 }, () => chats.fetch('GET', path, undefined, options)));
    assert.deepEqual(new Set(watching.map(({ status }) => status)), new Set([200]));
    const before = await chats.countTurns();
    for (const query of ['', '?stream=true']) {
      const refused = await chats.call('POST', `/api/v1/chat${query}`, body('plain'), { key });
      assert.equal(refused.status, 429);
      assert.ok(refused.headers.get('retry-after'));
    }
    assert.equal(await chats.countTurns(), before);
    clients.abort();
    chats.harness.model.release('watched');
    await whole;
  });

  describe('with an Idempotency-Key', () => {
    const keyed = (key = randomUUID()) => ({ headers: { 'idempotency-key': key } });
    const answerOf = ({ status, body: answer }: Said): Answer => {
      assert.equal(status, 200, JSON.stringify(answer));
      return answer;
    };

    it('are the first one, however often it is asked for', async () => {
      const options = keyed();
      const answers = [
        answerOf(await chats.post(body('once'), options)),
        answerOf(await chats.post(body('once'), options)),
      ];
      assert.deepEqual(answers[0], answers[1]);
      const streamed = await chats.stream(ask('once'), {}, options);
      assert.equal(streamed.text, 'Once.');
      assert.equal(chats.requests('once').length, 1);
      assert.equal((await chats.turns(answers[0]!.chat_id)).length, 1);
    });

    it('are distinguished by the whole request', async () => {
      const options = keyed();
      const { chat_id: id } = answerOf(await chats.post(body('once'), options));
      for (const other of [
        body('plain'),
        body('once', id),
        { ...body('once'), model: 'claude-haiku-4-5' },
        { ...body('once'), system_prompt: 'Else.' },
        { ...body('once'), allow_side_effects: true },
      ]) {
        const { status, body: answer } = await chats.post(other, options);
        assert.deepEqual([status, answer['code']], [409, 'idempotency_key_reused']);
      }
      assert.equal((await chats.call('POST', '/api/chat-viz', { prompt: ask('once') }, options)).status, 409);
    });

    it('keep a failure as they keep an answer', async () => {
      const options = keyed();
      const [first, second] = [await chats.post(body('failing'), options), await chats.post(body('failing'), options)];
      assert.deepEqual([first.status, second.status, first.body], [502, 502, second.body]);
      assert.equal(chats.requests('failing').length, 1);
    });

    it('are those of one team', async () => {
      const options = keyed();
      const mine = answerOf(await chats.post(body('once'), options));
      const theirs = answerOf(await chats.post(body('once'), { ...options, key: await chats.otherTeam() }));
      assert.notEqual(mine.chat_id, theirs.chat_id);
    });

    for (const [name, begin] of [
      ['new-twice', async () => undefined],
      ['old-twice', opened],
    ] as const) {
      it(`are one when duplicates come at once (${name})`, async () => {
        const chatId = await begin();
        const em = chats.harness.database.orm.em.fork();
        const before = await em.count(Chat, {}, anyTeam);
        const options = keyed();
        const asking = Array.from({ length: 4 }, () => chats.post(body(name, chatId), options));
        // None of them is refused: all wait for the same answer.
        await chats.harness.model.waitForHold(name);
        chats.harness.model.release(name);
        const answers = (await Promise.all(asking)).map(answerOf);
        assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
        assert.equal(chats.requests(name).length, 1);
        assert.equal(await em.count(ChatTurn, { question: ask(name) }, anyTeam), 1);
        assert.equal(await em.count(Message, { text: ask(name) }, anyTeam), 1);
        assert.equal(await em.count(Chat, {}, anyTeam), before + (chatId === undefined ? 1 : 0));
      });
    }
  });

  describe('whose client goes away', () => {
    it('go on to their answer (without a stream)', async () => {
      const id = await opened();
      const client = new AbortController();
      const asking = chats.post(body('gone', id), { signal: client.signal });
      await chats.harness.model.waitForHold('gone');
      client.abort();
      await assert.rejects(asking);
      chats.harness.model.release('gone');
      const turn = await chats.ended(id);
      assert.deepEqual([turn.status, turn.text], ['completed', 'Said after gone.']);
    });

    it('go on to their answer (with a stream)', async () => {
      const client = new AbortController();
      const { chatId, whole } = await chats.begin(ask('gone-stream'), {}, { signal: client.signal });
      await chats.harness.model.waitForHold('gone-stream');
      client.abort();
      await assert.rejects(whole);
      chats.harness.model.release('gone-stream');
      const turn = await chats.ended(chatId);
      assert.deepEqual([turn.status, turn.text], ['completed', 'First this, and then that.']);
      assert.equal((await chats.follow(chatId)).text, 'First this, and then that.');
      assert.equal(chats.requests('gone-stream').length, 1);
    });
  });
});
