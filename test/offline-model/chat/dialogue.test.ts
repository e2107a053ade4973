import assert from 'node:assert/strict';
import type Anthropic from '@anthropic-ai/sdk';
import { decide } from '../../../packages/offline-model/index.ts';
import { readQuestions } from '../../../packages/offline-model/dialogue.ts';

type Messages = Anthropic.MessageParam[];

const text = (value: string) => ({ type: 'text' as const, text: value });
const context = (more = '') => text(`<context>\nIt is now 2026-11-20T09:00:00.000Z.\n${more}</context>`);
const use = (id: string, name = 'list_sources') => ({ type: 'tool_use' as const, id, name, input: {} });
const result = (id: string, body = '{}') => ({ type: 'tool_result' as const, tool_use_id: id, content: [text(body)] });
const questions = (messages: Messages, concluding = false) =>
  readQuestions(messages, concluding).map((question) => question.text);

describe('offline model: reading a chat', () => {
  it('takes what people wrote, word for word, and what the chat tells beside it', () => {
    const messages: Messages = [
      { role: 'user', content: [context(), text('Why?')] },
      { role: 'assistant', content: [text('Because.')] },
      { role: 'user', content: [context('This chat is about x.\n'), text(' <b>\nAnd? ')] },
    ];
    const asked = readQuestions(messages, false);
    assert.deepEqual(
      asked.map((one) => [one.text, one.turn]),
      [
        ['Why?', 0],
        [' <b>\nAnd? ', 1],
      ],
    );
    assert.match(asked[1]?.context ?? '', /This chat is about x\./);
  });

  it('does not take notes of the loop for questions, nor a question for a note', () => {
    const notes = [
      'Your answer was cut off because it was too long. Be briefer and go on.',
      'You ended your turn without saying anything. Go on with the tools, or answer the person.',
      'The limit of steps for this run is reached. Answer now, with what you have found so far.',
    ];
    for (const note of notes) {
      const messages: Messages = [
        { role: 'user', content: [context(), text('Why?')] },
        { role: 'assistant', content: [use('a')] },
        { role: 'user', content: [result('a'), text(note)] },
      ];
      assert.deepEqual(questions(messages), ['Why?']);
      assert.deepEqual(questions([{ role: 'user', content: [context(), text(note)] }]), [note], 'a person may say so');
    }
    const unknown: Messages = [
      { role: 'user', content: [context(), text('Why?')] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [result('a'), text('Please finish.')] },
    ];
    assert.deepEqual(questions(unknown, true), ['Why?'], 'whatever it says when the answer is due');
    assert.deepEqual(questions(unknown), ['Why?', 'Please finish.']);
  });

  it('reads the question that comes after a turn that was cancelled', () => {
    const messages: Messages = [
      { role: 'user', content: [context(), text('Why?')] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [result('a'), context(), text('Who?')] },
    ];
    assert.deepEqual(questions(messages), ['Why?', 'Who?']);
  });

  it('reads a compacted chat, also where the question itself was compacted', () => {
    const summary = '<summary>\nThis stands for what was said before.\nQuestion: a\n</summary>';
    const later: Messages = [{ role: 'user', content: [text(summary), context(), text('Why?')] }];
    assert.deepEqual(questions(later), ['Why?']);
    const within: Messages = [
      { role: 'user', content: [text(`${summary}\n<context>\nIt is now 2026.\n</context>\nWhy?\nHow?`)] },
      { role: 'assistant', content: [use('toolu_offline_7_1')] },
      { role: 'user', content: [result('toolu_offline_7_1')] },
    ];
    assert.deepEqual(questions(within), ['Why?\nHow?']);
  });

  it('never gives two calls one id, also where the chat was compacted between them', () => {
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
