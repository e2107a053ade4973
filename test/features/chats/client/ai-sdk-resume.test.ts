/**
 * The AI SDK's client when connections break and model calls are repeated: its message is in the end what is stored, no
 * matter how it takes the stream up again.
 */
import assert from 'node:assert/strict';
import { lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import type { SdkChat } from '../../../support/chat-ai-sdk.ts';
import type { ScriptContext, ScriptedStep } from '../../../support/scripted-model/index.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';
import { ask, Chats, type Lines } from '../support.ts';
import { keptParts, sdkChat, storedAnswer, words } from './support.ts';

const look: ScriptedStep = {
  thinking: 'Which sources are there?',
  text: 'I look around.',
  toolUses: [{ name: 'list_sources', input: {} }],
};
const SAME = 'It is the pool of connections of the payment service [1], which is exhausted since noon.';
const OTHER = 'It is the cache of the catalog service [1]. It was flushed at noon.';

/** Looks around, then holds in the middle of its answer, at a gate of the question's name. */
const held = (name: string): ScriptedStep[] => [
  look,
  { thinking: 'Let me think.', text: SAME, deltaCharacters: 4, hold: { gate: name, at: 'middle' } },
];

/** Looks around; its answer is cut off in the middle, and when it is asked again, it says this. */
const cut =
  (again: string, name: string): Lines =>
  ({ step, attempt }: ScriptContext & { step: number }) => {
    if (step === 0) return look;
    const thinking = attempt === 0 ? 'Let me think.' : again === SAME ? 'Let me think.' : 'Let me think again.';
    const answer: ScriptedStep = { thinking, text: attempt === 0 ? SAME : again, deltaCharacters: 4 };
    return attempt === 0 ? { ...answer, hold: { gate: name, at: 'middle' }, cut: 'middle' } : answer;
  };

const forms = [
  { include: undefined, form: 'plain' },
  { include: 'tools', form: 'with tools' },
] as const;
const ways = [
  { goesOn: false, way: 'played again' },
  { goesOn: true, way: 'continued after Last-Event-ID' },
];

describe('the AI SDK’s client on a bad day', () => {
  const lines: Record<string, Lines> = {};
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  const checkAnswer = async (chat: SdkChat, include: 'tools' | undefined, text: string): Promise<void> => {
    assert.equal(chat.status, 'ready', chat.error?.message);
    const stored = await storedAnswer(chats, chat.chatId);
    assert.equal(stored.turn.text, `I look around.\n\n${text}`);
    assert.equal(chat.text, stored.turn.text);
    assert.deepEqual(keptParts(chat.lastMessage!), include ? stored.parts : words(stored));
    assert.equal(chat.lastMessage!.id, stored.id);
    assert.equal(chat.lastMessage!.metadata?.status, 'completed');
    assert.equal(chat.messages.length, 2);
  };

  for (const { include, form } of forms) {
    for (const { goesOn, way } of ways) {
      it(`a connection breaks in mid-sentence: ${way}, ${form}`, async () => {
        const name = `broken-${form}-${way}`.replaceAll(/\W+/g, '-');
        lines[name] = held(name);
        const chat = sdkChat(chats, { include, goesOn });
        const sending = chat.sendMessage({ text: ask(name) });
        await chats.harness.model.waitForHold(name);
        await chat.shows('It is the pool');
        chat.wire.cut();
        await sending;
        assert.equal(chat.status, 'error');
        assert.equal(chat.finishes[0]?.isDisconnect, true);
        const shown = chat.text;
        const resuming = chat.resumeStream();
        chats.harness.model.release(name);
        await resuming;
        assert.ok(chat.text.startsWith(shown));
        await checkAnswer(chat, include, SAME);
        assert.deepEqual(
          chat.wire.requests.map(({ method, lastEventId }) => [method, lastEventId !== null]),
          [
            ['POST', false],
            ['GET', goesOn],
          ],
        );
      });
    }

    for (const { again, how } of [
      { again: SAME, how: 'says the same' },
      { again: OTHER, how: 'says something else' },
    ]) {
      it(`a model call is cut off and its repetition ${how}, ${form}`, async () => {
        const name = `cut-${form}-${how}`.replaceAll(/\W+/g, '-');
        lines[name] = cut(again, name);
        const chat = sdkChat(chats, { include });
        const sending = chat.sendMessage({ text: ask(name) });
        await chats.harness.model.waitForHold(name);
        await chat.shows('It is the pool');
        chats.harness.model.release(name);
        await sending;
        assert.equal(chats.requests(name).length, 3);
        await checkAnswer(chat, include, again);
      });

      it(`both at once: the repetition ${how} while nobody listens, ${form}`, async () => {
        const name = `both-${form}-${how}`.replaceAll(/\W+/g, '-');
        lines[name] = cut(again, name);
        const chat = sdkChat(chats, { include, goesOn: true });
        const sending = chat.sendMessage({ text: ask(name) });
        await chats.harness.model.waitForHold(name);
        await chat.shows('It is the pool');
        chat.wire.cut();
        await sending;
        chats.harness.model.release(name);
        await chats.ended(chat.chatId);
        await chat.resumeStream();
        await checkAnswer(chat, include, again);
      });
    }
  }

  it('an app that is opened while a turn runs, and one that is opened later, show the chat', async () => {
    lines['opened'] = held('opened');
    const first = sdkChat(chats, { include: 'tools' });
    const sending = first.sendMessage({ text: ask('opened') });
    await chats.harness.model.waitForHold('opened');
    await first.shows('It is the pool');

    const opened = sdkChat(chats, { include: 'tools' });
    const { messages } = await chats.detail(first.chatId);
    const answer = first.lastMessage!;
    opened.messages = [
      ...messages.slice(0, 1).map(({ id, parts }) => ({ id, role: 'user' as const, parts: parts as never })),
      { ...answer, parts: [] },
    ];
    const resuming = opened.resumeStream();
    await opened.shows('It is the pool');
    chats.harness.model.release('opened');
    await Promise.all([sending, resuming]);
    await checkAnswer(first, 'tools', SAME);
    await checkAnswer(opened, 'tools', SAME);

    await opened.resumeStream();
    await checkAnswer(opened, 'tools', SAME);
  });

  it('takes no tool of the server for one that it has to call', async () => {
    lines['called'] = [look, { text: SAME }];
    const chat = sdkChat(chats, { include: 'tools' });
    await chat.sendMessage({ text: ask('called') });
    assert.equal(lastAssistantMessageIsCompleteWithToolCalls({ messages: chat.messages }), false);
  });
});
