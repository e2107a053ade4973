import assert from 'node:assert/strict';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { cleanTitle, titleOfQuestion } from '../../../src/features/chats/title.ts';
import { AuxiliaryCall } from '../../../src/features/transcripts/index.ts';
import { ask, Chats, type Lines } from './support.ts';

const refused = { error: { status: 400, type: 'invalid_request_error', message: 'No.' } };
const lines: Record<string, Lines> = {
  plain: [{ text: 'It is the pool.' }],
  fails: [refused],
};
/** What a question says the model should call its chat. */
const WISH = /\[title (\S+)\]/;
const tasks: Record<string, Lines> = {
  chat_title: ({ request }) => {
    const wish = WISH.exec(JSON.stringify(request.messages))?.[1];
    if (wish === 'none') return {};
    if (wish === 'refused') return refused;
    if (wish?.startsWith('held')) return { text: 'The model’s title', hold: { gate: wish, at: 'start' } };
    return { text: '**"Pool of db_pool exhausted."**' };
  },
};

describe('the title of a chat', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, tasks });
  });
  after(() => chats?.stop());

  const titleOf = async (chatId: string): Promise<string> => (await chats.detail(chatId)).title;
  /** Says something and waits until the chat has been named, if it is. */
  const say = async (content: string, chatId?: string): Promise<string> => {
    const { chat_id: id } = await chats.say(content, { ...(chatId !== undefined && { chat_id: chatId }) });
    await chats.settled((await chats.turns(id)).at(-1)!.id);
    return id;
  };
  const rename = (chatId: string, title: unknown) => chats.call('PATCH', `/api/chat/${chatId}/title`, { title });

  it('is the question at first, then what the model makes of the first turn, asked once', async () => {
    const { chatId, turnId, whole } = await chats.begin(ask('plain', 'Why  is\ncheckout slow? [title held-first]'));
    assert.equal(await titleOf(chatId), '[case plain] Why is checkout slow? [title held-first]');
    await whole;
    await chats.harness.model.waitForHold('held-first');
    assert.equal((await chats.detail(chatId)).running, false, 'nobody waits for a name');
    chats.harness.model.release('held-first');
    await chats.settled(turnId);
    assert.equal(await titleOf(chatId), 'The model’s title');
    const before = chats.tasks('chat_title').length;
    await say(ask('plain'), chatId);
    assert.equal(chats.tasks('chat_title').length, before);
    assert.equal(await titleOf(chatId), 'The model’s title');
  });

  it('is made of the question and the answer, and its cost is recorded', async () => {
    const id = await say(ask('plain', 'Who are you?'));
    assert.equal(await titleOf(id), 'Pool of db_pool exhausted');
    const { body } = chats.tasks('chat_title').at(-1)!;
    const text = JSON.stringify(body.messages);
    assert.match(text, /Who are you\?/);
    assert.match(text, /It is the pool\./);
    assert.equal(body.tools, undefined);
    const em = chats.harness.database.orm.em.fork();
    const calls = await em.find(AuxiliaryCall, { conversationId: id }, anyTeam);
    assert.deepEqual(
      calls.map(({ purpose, inputTokens, costUsd }) => [purpose, inputTokens, costUsd]),
      [['title', 100, 0.0004]],
    );
  });

  for (const [name, why] of [
    ['none', 'says nothing'],
    ['refused', 'cannot be asked'],
  ] as const) {
    it(`stays the question when the model ${why}; the next turn tries again`, async () => {
      const question = ask('plain', `[title ${name}]`);
      const id = await say(question);
      assert.equal(await titleOf(id), question);
      await say(ask('plain'), id);
      assert.equal(await titleOf(id), 'Pool of db_pool exhausted');
    });
  }

  it('is not made of a turn that failed', async () => {
    const before = chats.tasks('chat_title').length;
    const { body } = await chats.post({ messages: [{ role: 'user', content: ask('fails') }] });
    const { chat_id: id } = body as { chat_id: string };
    await chats.settled((await chats.turns(id))[0]!.id);
    assert.equal(chats.tasks('chat_title').length, before);
    await say(ask('plain'), id);
    assert.equal(await titleOf(id), 'Pool of db_pool exhausted');
  });

  it('is a person’s if there is one, even if it arrives while the model names the chat', async () => {
    const { chatId, turnId, whole } = await chats.begin(ask('plain', '[title held-person]'));
    await whole;
    await chats.harness.model.waitForHold('held-person');
    const renamed = await rename(chatId, '  Mine: “x” [1] * ');
    assert.equal(renamed.status, 200);
    assert.deepEqual([renamed.body['id'], renamed.body['title']], [chatId, 'Mine: “x” [1] *']);
    chats.harness.model.release('held-person');
    await chats.settled(turnId);
    assert.equal(await titleOf(chatId), 'Mine: “x” [1] *');
    await say(ask('plain'), chatId);
    assert.equal(await titleOf(chatId), 'Mine: “x” [1] *');
    await rename(chatId, 'Another');
    assert.equal(await titleOf(chatId), 'Another');
    const listed = (await chats.call('GET', '/api/chat?count=100')).body as { chats: { id: string; title: string }[] };
    assert.equal(listed.chats.find(({ id }) => id === chatId)?.title, 'Another');
  });

  it('of a person is one line with something in it', async () => {
    const id = await say(ask('plain'));
    const before = await titleOf(id);
    for (const title of ['', ' \t ', 'a\nb', 'a\u0007b', 'a\u0085b', 'x'.repeat(201), 7, null, undefined, ['x']]) {
      const { status, body } = await rename(id, title);
      assert.equal(status, 422, JSON.stringify(title));
      assert.deepEqual((body as { detail: { loc: string[] }[] }).detail[0]?.loc, ['body', 'title']);
    }
    assert.equal(await titleOf(id), before);
    assert.equal((await rename(id, 'x'.repeat(200))).status, 200);
  });

  it('of a model loses what is not of a title', () => {
    for (const [answer, title] of [
      ['Pool exhausted', 'Pool exhausted'],
      ['  "Pool exhausted."  ', 'Pool exhausted'],
      ['Title: **Pool** exhausted', 'Pool exhausted'],
      ['## `db_pool`: connections_used at 100\nMore of it', 'db_pool: connections_used at 100'],
      ['_Pool_ exhausted', 'Pool exhausted'],
      ['“Pool of checkout’s db”', 'Pool of checkout’s db'],
      ['Title:\n\nPool exhausted', 'Pool exhausted'],
      ['Regression in issue #42', 'Regression in issue #42'],
      ['Version 1.2.', 'Version 1.2'],
      ['Pool\u0007 \u202eexhausted', 'Pool exhausted'],
      ['', undefined],
      [' \n"."\n**', undefined],
    ] as const) {
      assert.equal(cleanTitle(answer), title, answer);
    }
    for (const long of ['x'.repeat(100), '\u{1f600}'.repeat(50), `x${'\u{1f600}'.repeat(50)}`, 'word '.repeat(40)]) {
      for (const title of [cleanTitle(long)!, titleOfQuestion(long)]) {
        assert.ok(title.length <= 80 && title.isWellFormed() && !title.includes('\ufffd'), title);
        assert.match(title, /\S…$/);
      }
    }
    assert.equal(
      titleOfQuestion(
        'Watch the latency of checkout. Tell the channel of the people on call when it is above one second.',
      ),
      'Watch the latency of checkout',
    );
    assert.equal(
      titleOfQuestion('Watch the latency, the errors, the memory and the connection pools of checkout and of payments'),
      'Watch the latency, the errors, the memory and the connection pools of checkout…',
    );
  });
});
