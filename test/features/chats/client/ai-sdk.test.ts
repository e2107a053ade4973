/** What the AI SDK's own client makes of a stream is what is stored. */
import assert from 'node:assert/strict';
import { asSchema, DefaultChatTransport, readUIMessageStream, safeValidateUIMessages, uiMessageChunkSchema } from 'ai';
import { textOf, type Message } from '../../../support/chat-ai-sdk.ts';
import type { ScriptedStep } from '../../../support/scripted-model/index.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';
import { ask, Chats, type Lines } from '../support.ts';
import { keptParts, sdkChat, storedAnswer, words } from './support.ts';

const plan: ScriptedStep = {
  thinking: 'First a plan.',
  text: 'I plan.',
  toolUses: [{ name: 'update_plan', input: { items: [{ text: 'Look around', status: 'in_progress' }] } }],
};
const look: ScriptedStep = {
  thinking: 'Which sources are there?',
  text: 'I look around: “ünïcode” 🙂\r\nand lines.\n\n',
  toolUses: [
    { name: 'list_sources', input: {} },
    { name: 'search_metrics', input: { source: 'nowhere', text: 'latency' } },
  ],
  deltaCharacters: 3,
};
const conclude: ScriptedStep = { thinking: 'So it is.', text: 'It is the pool [2].\n', deltaCharacters: 2 };
const refused: ScriptedStep = { error: { status: 400, type: 'invalid_request_error', message: 'No such thing here.' } };

const lines: Record<string, Lines> = {
  whole: [plan, look, conclude],
  short: [{ text: 'Because of it.' }],
  fails: [look, refused],
  'fails-at-once': [refused],
  stopped: [
    look,
    { text: 'It is the pool of the payment service, as', hold: { gate: 'stopped', at: 'middle' }, deltaCharacters: 4 },
  ],
  'stopped-tools': [
    look,
    {
      text: 'It is the pool of the payment service, as',
      hold: { gate: 'stopped-tools', at: 'middle' },
      deltaCharacters: 4,
    },
  ],
};

describe('the AI SDK’s client', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  it('has the answer’s words as they are stored, its id and its metadata', async () => {
    const chat = sdkChat(chats);
    await chat.sendMessage({ text: ask('whole') });
    assert.equal(chat.status, 'ready', chat.error?.message);
    const stored = await storedAnswer(chats, chat.chatId);
    const { id, role, parts, metadata } = chat.lastMessage!;
    assert.deepEqual({ id, role }, { id: stored.id, role: 'assistant' });
    assert.deepEqual(keptParts({ parts }), words(stored));
    assert.equal(chat.text, stored.turn.text);
    assert.ok(parts.length >= 6);
    const { status, usage, limit_reached: limit } = stored.turn;
    assert.deepEqual(metadata, { chatId: chat.chatId, status, limit, usage });
    assert.deepEqual(chat.finishes, [{ isAbort: false, isDisconnect: false, isError: false, finishReason: 'stop' }]);
  });

  it('has the tools’ inputs, results and failures as they are stored, with include=tools', async () => {
    const chat = sdkChat(chats, { include: 'tools' });
    await chat.sendMessage({ text: ask('whole') });
    const stored = await storedAnswer(chats, chat.chatId);
    assert.deepEqual(keptParts(chat.lastMessage!), stored.parts);
    const tools = chat.lastMessage!.parts.filter(({ type }) => type.startsWith('tool-'));
    assert.deepEqual(
      tools.map((part) => [part.type, 'state' in part && part.state]),
      [
        ['tool-update_plan', 'output-available'],
        ['tool-list_sources', 'output-available'],
        ['tool-search_metrics', 'output-error'],
      ],
    );
    const data = Object.fromEntries(
      chat.lastMessage!.parts.flatMap((part) => ('data' in part ? [[part.type, part.data]] : [])),
    );
    assert.deepEqual(Object.keys(data), ['data-plan', 'data-citations']);
    assert.deepEqual(
      (data['data-citations'] as { n: number }[]).map(({ n }) => n),
      [2],
    );
    assert.equal(chat.lastMessage!.parts.filter(({ type }) => type === 'step-start').length, 3);
    const valid = await safeValidateUIMessages<Message>({ messages: chat.messages });
    assert.ok(valid.success, String(!valid.success && valid.error));
  });

  it('continues a chat of several turns', async () => {
    const chat = sdkChat(chats);
    await chat.sendMessage({ text: ask('short') });
    const first = chat.chatId;
    await chat.sendMessage({ text: ask('short', 'And why is that?') });
    assert.equal(chat.chatId, first);
    const { messages } = await chats.detail(first);
    assert.deepEqual(
      chat.messages.map((message) => [message.role, textOf(message)]),
      messages.map(({ role, parts }) => [role, parts.map(({ text }) => text).join('')]),
    );
    assert.equal(messages.length, 4);
  });

  it('reads the stream message by message: each has more of the words', async () => {
    const transport = new DefaultChatTransport<Message>({
      api: `${chats.harness.url}/api/v1/chat?stream=true&include=tools`,
      headers: { authorization: `Bearer ${chats.harness.apiKey}` },
      prepareSendMessagesRequest: () => ({ body: { messages: [{ role: 'user', content: ask('whole') }] } }),
    });
    const chunks = await transport.sendMessages({
      chatId: 'mine',
      messages: [],
      abortSignal: undefined,
      trigger: 'submit-message',
      messageId: undefined,
    });
    const seen: Message[] = [];
    for await (const message of readUIMessageStream<Message>({ stream: chunks, terminateOnError: true }))
      seen.push(message);
    const last = seen.at(-1)!;
    const stored = await storedAnswer(chats, last.metadata!.chatId!);
    assert.deepEqual(keptParts(last), stored.parts);
    assert.ok(seen.length > 10);
    for (const [index, message] of seen.entries()) {
      assert.ok(textOf(message).startsWith(textOf(seen[index - 1])), 'what was shown stays');
    }
  });

  it('learns why a turn failed, after its partial text', async () => {
    const chat = sdkChat(chats, { include: 'tools' });
    await chat.sendMessage({ text: ask('fails') });
    assert.equal(chat.status, 'error');
    assert.equal(chat.finishes[0]?.isError, true);
    const stored = await storedAnswer(chats, chat.chatId);
    assert.equal(stored.turn.status, 'failed');
    assert.equal(chat.error?.message, stored.turn.explanation);
    assert.match(chat.error.message, /No such thing here/);
    assert.deepEqual(keptParts(chat.lastMessage!), stored.parts);
    assert.equal(chat.text, stored.turn.text);
  });

  it('learns why a turn without text failed', async () => {
    const chat = sdkChat(chats);
    await chat.sendMessage({ text: ask('fails-at-once') });
    assert.equal(chat.status, 'error');
    assert.match(String(chat.error?.message), /No such thing here/);
    assert.deepEqual(chat.lastMessage?.parts, []);
  });

  it('gets the error message of the API when a request is refused', async () => {
    const chat = sdkChat(chats);
    await chat.sendMessage({ text: ' ' });
    assert.equal(chat.status, 'error');
    assert.match(String(chat.error?.message), /blank/);
  });

  for (const include of [undefined, 'tools'] as const) {
    const name = include ? 'stopped-tools' : 'stopped';
    it(`keeps the words of a turn that somebody stops${include ? ', with tools' : ''}`, async () => {
      const chat = sdkChat(chats, { include });
      const sending = chat.sendMessage({ text: ask(name) });
      await chats.harness.model.waitForHold(name);
      await chat.shows('It is the pool');
      assert.equal((await chats.call('POST', `/api/chat/${chat.chatId}/cancel`)).status, 200);
      await sending;
      assert.equal(chat.status, 'ready');
      const stored = await storedAnswer(chats, chat.chatId);
      assert.equal(stored.turn.status, 'cancelled');
      assert.match(stored.turn.text, /It is the pool/);
      assert.equal(chat.text, stored.turn.text);
      assert.deepEqual(keptParts(chat.lastMessage!), include ? stored.parts : words(stored));
      assert.equal(chat.lastMessage!.metadata?.status, 'cancelled');
      assert.equal(chat.finishes[0]?.finishReason, 'other');
    });
  }

  it('knows every chunk, whatever else is in it', async () => {
    const { validate } = asSchema(uiMessageChunkSchema);
    assert.ok(validate);
    for (const [name, include] of [['whole', 'tools'], ['whole'], ['fails', 'tools'], ['fails-at-once']] as const) {
      const { response, chunks } = await chats.stream(ask(name), {}, { include });
      assert.equal(response.headers.get('x-vercel-ai-ui-message-stream'), 'v1');
      assert.equal(response.headers.get('x-accel-buffering'), 'no');
      for (const chunk of chunks) {
        const known = await validate(chunk);
        assert.ok(known.success, `${JSON.stringify(chunk)}: ${String(!known.success && known.error)}`);
      }
    }
  });
});
