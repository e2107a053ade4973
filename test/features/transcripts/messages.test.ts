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
  evidence: step,
  name: 'promql',
  digest: null,
  toolUseId,
  isError: false,
  view,
});
const heard = (text: string, deliveredStep: number, role: 'user' | 'assistant' = 'user') => ({
  id: text,
  role,
  text,
  context: null,
  deliveredStep,
});
const rows = { opening: 'the question', turns: [], toolCalls: [], messages: [] };

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
    const messages = buildMessages(
      {
        ...rows,
        turns,
        toolCalls: [result(1, 'a')],
        messages: [heard('look at payment', 2), heard('later', 3)],
      },
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
    const interrupted = { ...rows, turns, toolCalls: [result(1, 'a')], messages: [heard('look at payment', 2)] };
    const messages = buildMessages(interrupted, { step: 3 });
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

  describe('of a dialogue', () => {
    const dialogue = { ...rows, opening: null };

    it('has the messages of people verbatim, after the instructions to the model', () => {
      const asks = { ...heard('why?', 1), context: '<context>It is noon.</context>' };
      const turns = [{ step: 1, note: null, content: said('because') }];
      const messages = buildMessages({ ...dialogue, turns, messages: [asks, heard('and then?', 2)] }, { step: 2 });
      assert.deepEqual(shape(messages), [
        'user: <context>It is noon.</context> | why?',
        'assistant: because',
        'user: and then?',
      ]);
    });

    it('takes in the answers that a caller brought along', () => {
      const messages = [heard('hello', 1), heard('hi', 1, 'assistant'), heard('why?', 1)];
      assert.deepEqual(shape(buildMessages({ ...dialogue, messages }, { step: 1 })), [
        'user: hello',
        'assistant: hi',
        'user: why?',
      ]);
    });

    it('begins with the user also when the caller brought an answer first', () => {
      const messages = [heard('hi', 1, 'assistant'), heard('why?', 1)];
      assert.equal(buildMessages({ ...dialogue, messages }, { step: 1 })[0]?.role, 'user');
    });

    it('begins with the summary of what was compacted', () => {
      const compacted = { ...dialogue, summary: '<summary>so far</summary>', messages: [heard('why?', 7)] };
      assert.deepEqual(shape(buildMessages(compacted, { step: 7 })), ['user: <summary>so far</summary> | why?']);
    });
  });
});
