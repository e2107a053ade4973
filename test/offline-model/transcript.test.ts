import assert from 'node:assert/strict';
import type Anthropic from '@anthropic-ai/sdk';
import { decide } from '../../packages/offline-model/index.ts';
import { readTranscript } from '../../packages/offline-model/transcript.ts';

type Messages = Anthropic.MessageParam[];

const text = (value: string) => ({ type: 'text' as const, text: value });
const context = (more = '') => text(`<context>\nIt is now 2026-11-20T09:00:00.000Z.\n${more}</context>`);
const use = (id: string, name = 'list_sources') => ({ type: 'tool_use' as const, id, name, input: {} });
const result = (id: string) => ({ type: 'tool_result' as const, tool_use_id: id, content: [text('{}')] });
const said = (messages: Messages) => readTranscript(messages).messages.map((message) => message.text);

describe('offline model: reading a conversation', () => {
  it('takes what people wrote, word for word, with the context that the chat adds', () => {
    const { messages } = readTranscript([
      { role: 'user', content: [context(), text('Why?')] },
      { role: 'assistant', content: [text('Because.')] },
      { role: 'user', content: [context('This chat is about x.\n'), text(' <b>\nAnd? ')] },
    ]);
    assert.deepEqual(
      messages.map((one) => [one.text, one.turn]),
      [
        ['Why?', 0],
        [' <b>\nAnd? ', 1],
      ],
    );
    assert.match(messages[1]?.context ?? '', /This chat is about x\./);
  });

  it('tells notes of the agent loop from questions, whatever they say', () => {
    const note = 'The limit of steps for this run is reached. Answer now.';
    const messages: Messages = [
      { role: 'user', content: [context(), text('Why?')] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [result('a'), text(note)] },
    ];
    assert.deepEqual(said(messages), ['Why?']);
    assert.deepEqual(said([{ role: 'user', content: [context(), text(note)] }]), [note], 'a person may say so');
  });

  it('reads the question that follows a cancelled turn', () => {
    const messages: Messages = [
      { role: 'user', content: [context(), text('Why?')] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [result('a'), context(), text('Who?')] },
    ];
    assert.deepEqual(said(messages), ['Why?', 'Who?']);
  });

  it('reads a compacted chat, even if the question itself was compacted', () => {
    const summary = '<summary>\nThis stands for what was said before.\nQuestion: a\n</summary>';
    assert.deepEqual(said([{ role: 'user', content: [text(summary), context(), text('Why?')] }]), ['Why?']);
    const within: Messages = [
      { role: 'user', content: [text(`${summary}\n<context>\nIt is now 2026.\n</context>\nWhy?\nHow?`)] },
      { role: 'assistant', content: [use('toolu_offline_7_1')] },
      { role: 'user', content: [result('toolu_offline_7_1')] },
    ];
    assert.deepEqual(said(within), ['Why?\nHow?']);
  });

  it('never gives two calls one id, even if the chat was compacted between them', () => {
    const messages: Messages = [
      { role: 'user', content: [text('<summary>\nx\n</summary>'), context(), text('Why is web slow?')] },
      { role: 'assistant', content: [use('toolu_offline_31_1', 'list_files')] },
      { role: 'user', content: [result('toolu_offline_31_1')] },
    ];
    const [call] = decide(messages, [{ name: 'list_sources' }], { type: 'auto' }).filter(
      ({ type }) => type === 'tool_use',
    );
    assert.ok(call?.type === 'tool_use');
    assert.equal(call.id, 'toolu_offline_32_1');
  });
});
