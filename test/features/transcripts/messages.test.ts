import assert from 'node:assert/strict';
import { buildMessages } from '../../../src/features/transcripts/index.ts';
import type { ContentBlock } from '../../../src/platform/anthropic/port.ts';

const said = (text: string): ContentBlock[] => [{ type: 'text', text, citations: null }];
const asked = (id: string): ContentBlock => ({
  type: 'tool_use',
  id,
  name: 'promql',
  input: {},
  caller: { type: 'direct' },
});
const result = (step: number, toolUseId: string, view: string | null = `result of ${toolUseId}`) => ({
  step,
  toolUseId,
  isError: false,
  view,
});
const heard = (text: string, deliveredStep: number) => ({ id: text, text, deliveredStep });
const rows = { opening: 'the question', turns: [], toolCalls: [], userMessages: [] };

function shape(messages: ReturnType<typeof buildMessages>): string[] {
  return messages.map(({ role, content }) => {
    const blocks = content as { type: string; text?: string; tool_use_id?: string }[];
    return `${role}: ${blocks.map((block) => block.text ?? block.tool_use_id ?? block.type).join(' | ')}`;
  });
}

describe('transcript as messages', () => {
  it('begins with the question', () => {
    assert.deepEqual(shape(buildMessages(rows, { step: 1 })), ['user: the question']);
  });

  it('alternates turns and the results of their calls, in the order of the calls', () => {
    const turns = [{ step: 1, note: null, content: [...said('looking'), asked('a'), asked('b')] }];
    const messages = buildMessages({ ...rows, turns, toolCalls: [result(1, 'a'), result(1, 'b')] }, { step: 2 });
    assert.deepEqual(shape(messages), [
      'user: the question',
      'assistant: looking | tool_use | tool_use',
      'user: a | b',
    ]);
  });

  it("puts a person's message and the note of the loop before the turn that reads them", () => {
    const turns = [
      { step: 1, note: null, content: [asked('a')] },
      { step: 2, note: 'go on', content: said('done') },
    ];
    const userMessages = [heard('look at payment', 2), heard('later', 3)];
    const messages = buildMessages(
      { ...rows, turns, toolCalls: [result(1, 'a')], userMessages },
      { step: 3, note: 'last' },
    );
    assert.deepEqual(shape(messages), [
      'user: the question',
      'assistant: tool_use',
      'user: a | <user_message>\nlook at payment\n</user_message> | go on',
      'assistant: done',
      'user: <user_message>\nlater\n</user_message> | last',
    ]);
  });

  it('lets the next turn read what a step that was cut off should have read', () => {
    const turns = [{ step: 1, note: null, content: [asked('a')] }];
    const userMessages = [heard('look at payment', 2)];
    const messages = buildMessages({ ...rows, turns, toolCalls: [result(1, 'a')], userMessages }, { step: 3 });
    assert.match(JSON.stringify(messages.at(-1)), /look at payment/);
  });

  it('leaves an empty answer out and keeps the roles alternating', () => {
    const messages = buildMessages(
      { ...rows, turns: [{ step: 1, note: null, content: [] }] },
      { step: 2, note: 'go on' },
    );
    assert.deepEqual(shape(messages), ['user: the question | go on']);
  });

  it('ends with the user also when nothing was said after the last answer', () => {
    const messages = buildMessages({ ...rows, turns: [{ step: 1, note: null, content: said('hm') }] }, { step: 2 });
    assert.equal(messages.at(-1)?.role, 'user');
  });

  it('gives every call a result, also one that was never made', () => {
    const turns = [{ step: 1, note: null, content: [asked('a')] }];
    const messages = buildMessages({ ...rows, turns, toolCalls: [result(1, 'a', null)] }, { step: 2 });
    assert.match(JSON.stringify(messages.at(-1)), /not made/);
  });

  it('keeps thinking blocks with their signatures', () => {
    const thinking: ContentBlock = { type: 'thinking', thinking: 'hm', signature: 'sig' };
    const turns = [{ step: 1, note: null, content: [thinking, asked('a')] }];
    const messages = buildMessages({ ...rows, turns, toolCalls: [result(1, 'a')] }, { step: 2 });
    assert.deepEqual((messages[1]!.content as ContentBlock[])[0], thinking);
  });
});
