import assert from 'node:assert/strict';
import type Anthropic from '@anthropic-ai/sdk';
import { parseFramedToolResult } from '../../../src/features/tools/framing.ts';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Message } from '../../../src/features/transcripts/index.ts';
import type { RecordedRequest } from '../../support/scripted-model/index.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, type Lines } from './support.ts';

const lines: Record<string, Lines> = {
  sources: [{ text: 'I look.', toolUses: [{ name: 'list_sources' }] }, { text: 'One source, shop [1].' }],
  services: [
    { toolUses: [{ name: 'list_services', input: { source: 'shop' }, id: 'toolu_services' }] },
    { text: 'Four services [2].' },
  ],
  plain: [{ text: 'Yes.' }],
  failing: [{ error: { status: 400, type: 'invalid_request_error', message: 'No.' } }],
  blank: ({ request }) => (JSON.stringify(request).includes('without saying') ? { text: 'Yes.' } : { text: ' \n' }),
  pensive: ({ request }) =>
    JSON.stringify(request).includes('without saying') ? { text: 'Yes.' } : { thinking: 'Hm.' },
};

type Said = { role: string; content: Anthropic.ContentBlockParam[] };

/** A request's messages as blocks, without the marks of the prompt cache. */
function messagesOf(request: RecordedRequest | undefined): Said[] {
  assert.ok(request);
  return request.body.messages.map(({ role, content }) => ({
    role,
    content: (typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content).map((block) => {
      const { cache_control: _mark, ...rest } = block as Anthropic.TextBlockParam;
      return rest;
    }),
  }));
}

const textsOf = ({ content }: Said): string[] =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
const CONTEXT = /^<context>\nIt is now \d{4}-\d\d-\d\dT[\d:.]+Z\.\n<\/context>$/;

describe('what the model is sent of a chat', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  const sent = (name: string): Said[] => messagesOf(chats.requests(name).at(-1));
  /** Who said what, without what Casebook adds. */
  const talk = (name: string): string[] =>
    sent(name).flatMap((message) =>
      textsOf(message)
        .filter((text) => !CONTEXT.test(text))
        .map((text) => `${message.role}: ${text}`),
    );
  const stored = (chatId: string): Promise<Message[]> =>
    chats.harness.database.orm.em.fork().find(Message, { conversationId: chatId }, anyTeam);

  it('is everything that was said, alternating, with the time of each question and the results as data', async () => {
    const { chat_id: id } = await chats.say(ask('sources'));
    await chats.say(ask('services'), { chat_id: id });
    const messages = sent('services');
    assert.deepEqual(
      messages.map(({ role, content }) => [role, content.map(({ type }) => type)]),
      [
        ['user', ['text', 'text']],
        ['assistant', ['text', 'tool_use']],
        ['user', ['tool_result']],
        ['assistant', ['text']],
        ['user', ['text', 'text']],
        ['assistant', ['tool_use']],
        ['user', ['tool_result']],
      ],
    );
    for (const [at, name] of [
      [0, 'sources'],
      [4, 'services'],
    ] as const) {
      const [context, words] = textsOf(messages[at]!);
      assert.match(context!, CONTEXT);
      assert.equal(words, ask(name), 'the words are the person’s own, in a block of their own');
    }
    const results = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
    const framed = results.map(({ content }) => {
      const [block] = content as Anthropic.TextBlockParam[];
      return parseFramedToolResult(block!.text);
    });
    assert.deepEqual(
      framed.map((result) => [result?.evidence, result?.tool]),
      [
        [1, 'list_sources'],
        [2, 'list_services'],
      ],
      'evidence is numbered through the whole chat',
    );
    assert.match(framed[1]?.body ?? '', /checkout/);
  });

  it('is not doubled when a caller sends everything again with each question', async () => {
    const first = await chats.say(ask('sources'));
    const history = [
      { role: 'user', content: ask('sources') },
      { role: 'assistant', content: first.response },
    ];
    await chats.say('', {
      chat_id: first.chat_id,
      messages: [...history, { role: 'user', content: ask('services') }],
    });
    assert.deepEqual(talk('services').slice(0, 4), [
      `user: ${ask('sources')}`,
      'assistant: I look.',
      'assistant: One source, shop [1].',
      `user: ${ask('services')}`,
    ]);
    history.push({ role: 'user', content: ask('services') }, { role: 'assistant', content: 'Four services [2].' });
    await chats.say('', { chat_id: first.chat_id, messages: [...history, { role: 'user', content: ask('plain') }] });
    assert.equal((await stored(first.chat_id)).length, 3);
  });

  it('is not doubled when a caller sends everything again after a turn that failed', async () => {
    const first = await chats.say(ask('plain'));
    const messages = [
      { role: 'user', content: ask('plain') },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: ask('failing') },
    ];
    assert.equal((await chats.post({ chat_id: first.chat_id, messages })).status, 502);
    assert.equal((await chats.post({ chat_id: first.chat_id, messages })).status, 502, 'the same again');
    const other = [...messages.slice(0, 2), { role: 'user', content: ask('sources') }];
    assert.equal((await chats.post({ chat_id: first.chat_id, messages: other })).status, 200, 'or another question');
    assert.deepEqual(
      (await stored(first.chat_id)).map(({ text }) => text),
      [ask('plain'), ask('failing'), ask('failing'), ask('sources')],
    );
  });

  it('has what a caller brings along into a new chat', async () => {
    const { chat_id: id } = await chats.say('', {
      messages: [
        { role: 'user', content: 'We deployed at noon.' },
        { role: 'user', content: 'Then it broke.' },
        { role: 'assistant', content: 'What broke?' },
        { role: 'user', content: ask('plain') },
      ],
    });
    assert.deepEqual(talk('plain'), [
      'user: We deployed at noon.',
      'user: Then it broke.',
      'assistant: What broke?',
      `user: ${ask('plain')}`,
    ]);
    assert.deepEqual(
      sent('plain').map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    assert.match(textsOf(sent('plain').at(-1)!)[0]!, CONTEXT, 'the time is told with the question');
    const { messages, title } = await chats.detail(id);
    assert.deepEqual(
      messages.map(({ role, turn }) => [role, turn !== null]),
      [
        ['user', false],
        ['user', false],
        ['assistant', false],
        ['user', false],
        ['assistant', true],
      ],
    );
    assert.ok(title);
  });

  it('has what a caller says that the chat does not know, and begins with a user', async () => {
    await chats.say('', {
      messages: [
        { role: 'assistant', content: 'How can I help?' },
        { role: 'user', content: ask('plain') },
      ],
    });
    assert.deepEqual(
      sent('plain').map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    const { chat_id: id } = await chats.say(ask('plain'));
    await chats.say('', {
      chat_id: id,
      messages: [
        { role: 'assistant', content: 'Something it never said.' },
        { role: 'user', content: ask('services') },
      ],
    });
    assert.ok(talk('services').includes('assistant: Yes.'));
    assert.ok(talk('services').includes('assistant: Something it never said.'));
  });

  it('says which investigation the chat is about', async () => {
    const investigation = await chats.harness.investigate('never mind');
    const { chat_id: id } = await chats.say(ask('plain'), { investigation_id: investigation });
    assert.match(textsOf(sent('plain')[0]!)[0]!, new RegExp(`about investigation ${investigation}\\.`));
    await chats.say(ask('services'), { chat_id: id });
    assert.match(JSON.stringify(sent('services').at(-3)), new RegExp(`about investigation ${investigation}\\.`));
  });

  for (const name of ['blank', 'pensive']) {
    it(`has no message that the provider would refuse (${name})`, async () => {
      const { chat_id: id } = await chats.say(ask(name));
      await chats.say(ask('plain'), { chat_id: id });
      for (const request of [...chats.requests(name), ...chats.requests('plain')]) {
        for (const { role, content } of messagesOf(request)) {
          const blank = content.some((block) => block.type === 'text' && block.text.trim() === '');
          assert.ok(!blank, 'a text block must have more than white space in it');
          assert.ok(role === 'user' || content.at(-1)?.type !== 'thinking', 'an answer must not end with thinking');
        }
      }
    });
  }
});
