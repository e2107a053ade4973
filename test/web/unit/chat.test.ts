import assert from 'node:assert/strict';
import { nextRow } from '../../../web/src/app/list-keys.ts';
import { requestFor } from '../../../web/src/pages/chat/asked.ts';
import { conversation, isStored } from '../../../web/src/pages/chat/conversation.ts';
import { evidenceIn } from '../../../web/src/pages/chat/open-evidence.ts';
import {
  citationLabels,
  citationsOf,
  piecesOf,
  planOf,
  startedInvestigation,
  textOf,
  type StoredMessage,
  type ToolPart,
  type Turn,
} from '../../../web/src/pages/chat/parts.ts';
import type { ChatMessage } from '../../../web/src/pages/chat/transport.ts';
import { marked, wordsOf } from '../../../web/src/pages/chats/words.ts';

const TURN = '11111111-1111-4111-8111-111111111111';
const CALL = '22222222-2222-4222-8222-222222222222';
const text = (said: string) => ({ type: 'text' as const, text: said, state: 'done' as const });

const turn = (status: Turn['status'], more: Partial<Turn> = {}): Turn => ({
  id: TURN,
  number: 1,
  purpose: 'answer',
  status,
  limit_reached: null,
  explanation: null,
  text: '',
  citations: [],
  tool_calls: [],
  changes: null,
  usage: {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cost: 0,
    model: null,
    api_calls_count: 0,
  },
  started_at: '2026-01-01T00:00:00Z',
  finished_at: null,
  workflow_id: `chat-turn-${TURN}`,
  ...more,
});
const question: StoredMessage = {
  id: 'stored-question',
  role: 'user',
  parts: [text('Why?')],
  created_at: '2026-01-01T00:00:00Z',
  turn: null,
};
const answer = (status: Turn['status'], said: string, more?: Partial<Turn>): StoredMessage => ({
  id: TURN,
  role: 'assistant',
  parts: [text(said)],
  created_at: '2026-01-01T00:00:00Z',
  turn: turn(status, more),
});
const live: ChatMessage[] = [
  { id: 'typed', role: 'user', parts: [{ type: 'text', text: 'Why?' }] },
  { id: TURN, role: 'assistant', parts: [{ type: 'text', text: 'It is the' }], metadata: { limit: null } },
];
const said = (shown: ReturnType<typeof conversation>) => shown.map(({ id, parts }) => [id, textOf(parts)]);

describe('what is shown of a chat', () => {
  it('is what is live, before anything of it is stored', () => {
    assert.deepEqual(said(conversation([], live)), [
      ['typed', 'Why?'],
      [TURN, 'It is the'],
    ]);
    assert.deepEqual(said(conversation([], live.slice(0, 1))), [['typed', 'Why?']]);
  });

  it('has a question once: as it is stored, with the answer as it comes', () => {
    const shown = conversation([question, answer('processing', 'I look.')], live);
    assert.deepEqual(said(shown), [
      ['stored-question', 'Why?'],
      [TURN, 'It is the'],
    ]);
    assert.equal(shown[1]?.isLive, true);
    assert.equal(shown[1]?.turn?.status, 'processing');
  });

  it('is the stored text as soon as a turn has ended, whatever the stream sent', () => {
    const stored = [question, answer('completed', 'It is the pool.')];
    const shown = conversation(stored, live);
    assert.deepEqual(said(shown)[1], [TURN, 'It is the pool.']);
    assert.equal(shown[1]?.isLive, false);
    assert.equal(isStored(stored, live), true);
    assert.equal(isStored([question, answer('processing', 'It is')], live), false);
    assert.equal(isStored([], live), false);
  });

  it('puts a new question after everything that is stored', () => {
    const next: ChatMessage = { id: 'next', role: 'user', parts: [{ type: 'text', text: 'And now?' }] };
    assert.deepEqual(
      said(conversation([question, answer('completed', 'It is the pool.')], [...live, next])).map(([id]) => id),
      ['stored-question', TURN, 'next'],
    );
  });
});

describe('the parts of a message', () => {
  const call = (more: Partial<ToolPart>): ToolPart & { type: `tool-${string}` } =>
    ({
      type: 'tool-list_sources',
      toolCallId: CALL,
      state: 'output-available',
      title: 'List the sources',
      input: {},
      output: { evidence: 1, digest: '3 sources' },
      ...more,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of tools begin so
    }) as never;

  it('are pieces in their order: words, calls that follow each other together, charts of our own only', () => {
    const pieces = piecesOf([
      { type: 'reasoning', text: 'Hm.', state: 'done' },
      text('I look.'),
      call({}) as never,
      call({ toolCallId: 'other' }) as never,
      text('\n\n'),
      text('\n\nThere.'),
      { type: 'data-chart', id: 'chart', data: { toolCallId: CALL } },
      { type: 'data-chart', id: 'evil', data: { toolCallId: '../../elsewhere' } },
      { type: 'data-plan', id: 'plan', data: [] },
      { type: 'data-approval', id: 'a', data: { id: CALL, status: 'pending' } },
      { type: 'data-approval', id: 'b', data: { id: TURN, status: 'approved' } },
      { type: 'data-unknown', id: 'x', data: null },
    ]);
    assert.deepEqual(
      pieces.map((piece) => (piece.kind === 'tools' ? piece.calls.length : piece.kind)),
      ['words', 'words', 2, 'words', 'chart', 'approval'],
    );
  });

  it('show a suggested change after its call, also where tools are called through another', () => {
    const suggested = { type: 'tool-suggest_pr' };
    const through = { type: 'tool-call_connected_tool', input: { name: 'suggest_pr', input: {} } };
    const refused = { ...suggested, state: 'output-error' };
    const another = { ...through, input: { name: 'read_code', input: {} } };
    const kindsOf = (...parts: object[]) => piecesOf(parts.map((part) => call(part) as never)).map(({ kind }) => kind);
    assert.deepEqual(kindsOf(suggested, refused), ['tools', 'suggestion', 'tools']);
    assert.deepEqual(kindsOf(through, another), ['tools', 'suggestion', 'tools']);
    assert.deepEqual(kindsOf(refused, another), ['tools']);
  });

  it('tell the text byte for byte', () => {
    assert.equal(
      textOf([text('a '), { type: 'reasoning', text: 'b', state: 'done' }, text('\n\nc\r\n')]),
      'a \n\nc\r\n',
    );
  });

  it('tell which investigation was started', () => {
    const started = { type: 'tool-start_investigation', output: { digest: `Started investigation ${TURN}` } };
    assert.equal(startedInvestigation(call(started)), TURN);
    assert.equal(startedInvestigation(call({ ...started, state: 'output-error' })), undefined);
    assert.equal(startedInvestigation(call({ output: { digest: TURN } })), undefined);
  });

  it('tell the citations of a stream and of what is stored alike', () => {
    const streamed = [
      { type: 'data-citations', id: 'c', data: [{ n: 3, toolCallId: CALL, excerpts: ['x'] }, { n: 4 }] },
    ];
    const stored = [
      { n: 3, tool_call_id: CALL, tool: 't', sha256: null, excerpts: ['x'], result_url: null },
      { n: 4, tool_call_id: null, tool: null, sha256: null, excerpts: [], result_url: null },
    ];
    const expected = [{ n: 3, toolId: CALL, excerpts: ['x'] }];
    assert.deepEqual(citationsOf(streamed as never, null), expected);
    assert.deepEqual(citationsOf([], turn('completed', { citations: stored })), expected);
    // Each is named by what it cites, as soon as that is known.
    assert.deepEqual([...citationLabels(streamed as never, null)], [[3, 'tool result']]);
    assert.deepEqual(
      [...citationLabels([call({ title: 'Logs of catalog' }), ...streamed] as never, null)],
      [[3, 'Logs of catalog']],
    );
  });

  it('tell how far a plan is, and leave out what is no item', () => {
    const items = [
      { text: 'Look', status: 'done' },
      { text: 'Ask', status: 'skipped' },
      { text: 'Guess', status: '__proto__' },
      null,
      { text: 5, status: 'done' },
    ];
    const plan = { type: 'tool-update_plan', toolCallId: CALL, state: 'output-available', input: { items } };
    assert.deepEqual(planOf(plan), items.slice(0, 2));
    assert.deepEqual(planOf({ ...plan, type: 'tool-other' }), []);
    assert.deepEqual(planOf({ ...plan, input: null }), []);
  });

  it('open the evidence with the excerpts of the answer that cites it', () => {
    const stored: StoredMessage = {
      ...answer('completed', 'It is so [3].', {
        citations: [{ n: 3, tool_call_id: CALL, tool: 't', sha256: null, excerpts: ['x'], result_url: null }],
      }),
    };
    stored.parts = [call({}) as never, ...stored.parts];
    const shown = conversation([stored], []);
    const open = evidenceIn(shown, { call: CALL, answer: TURN });
    assert.equal(open.title, 'List the sources');
    assert.equal(open.call?.id, CALL);
    assert.deepEqual(open.excerpts, [{ text: 'x', verified: true, offset: null }]);
    assert.deepEqual(evidenceIn(shown, { call: CALL }).excerpts, []);
    // Of an earlier turn, which is not loaded: its stored result can be shown all the same.
    assert.deepEqual(evidenceIn(shown, { call: TURN }).call, { id: TURN });
  });
});

describe('what is said in a chat', () => {
  const asked = { text: 'Why?', key: 'k' };
  it('goes to the endpoint that it is for', () => {
    assert.deepEqual(requestFor({ ...asked, investigationId: 'i', maySideEffect: false }, undefined), {
      api: '/api/v1/chat?stream=true&include=tools',
      body: { messages: [{ role: 'user', content: 'Why?' }], allow_side_effects: false, investigation_id: 'i' },
    });
    // Only a new chat can be given an investigation.
    assert.deepEqual(requestFor({ ...asked, investigationId: 'i' }, 'c').body, {
      chat_id: 'c',
      messages: [{ role: 'user', content: 'Why?' }],
    });
    assert.deepEqual(requestFor({ ...asked, isMonitoring: true }, 'c'), {
      api: '/api/monitoring-chat?stream=true&include=tools',
      body: { chat_id: 'c', message: 'Why?' },
    });
    assert.deepEqual(requestFor({ ...asked, chartOf: 't' }, 'c'), {
      api: '/api/chat-viz?stream=true&include=tools',
      body: { chat_id: 'c', tool_id: 't', prompt: 'Why?' },
    });
    assert.deepEqual(requestFor({ ...asked, chartOf: null }, 'c').body, { chat_id: 'c', prompt: 'Why?' });
  });
});

describe('the list of chats', () => {
  it('marks the words that were looked for where they begin a word, and no others', () => {
    assert.deepEqual(wordsOf('slow "connection pool" -noise or p95.2'), ['slow', 'connection', 'pool', 'p95', '2']);
    assert.deepEqual(marked('Checkout is Slowly slow, not aslow', 'slow'), [
      'Checkout is ',
      'Slowly',
      ' ',
      'slow',
      ', not aslow',
    ]);
    assert.deepEqual(marked('a.*b', '.*'), ['a.*b']);
    assert.deepEqual(marked('nothing', '-nothing'), ['nothing']);
  });

  it('is gone through by keys without running out of it', () => {
    assert.deepEqual([nextRow(-1, 3, 1), nextRow(-1, 3, -1), nextRow(0, 3, 1)], [0, 0, 1]);
    assert.deepEqual([nextRow(2, 3, 1), nextRow(0, 3, -1)], [2, 0]);
  });
});
