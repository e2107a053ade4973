import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Tool, ToolContext, ToolOutput } from '../../../../src/features/tools/index.ts';
import { atPointer } from '../../../../src/features/monitoring-agents/checks/mcp-tool.ts';
import { check } from './support.ts';

interface Called {
  input?: unknown;
  context?: ToolContext;
}

function tool(answer: Partial<ToolOutput> | Error, more: Partial<Tool> = {}, called: Called = {}): Tool {
  return {
    name: 'queue_status',
    description: 'The state of a queue.',
    input: z.strictObject({ queue: z.string().optional() }),
    summarize: () => 'Queue',
    run: async (input, context) => {
      Object.assign(called, { input, context });
      if (answer instanceof Error) throw answer;
      return { content: '', digest: 'done', ...answer };
    },
    ...more,
  };
}
const run = (condition: object, answer: Partial<ToolOutput> | Error, more: Partial<Tool> = {}, called: Called = {}) =>
  check(
    { type: 'mcp_tool', tool: 'queue_status', arguments: { queue: 'mail' }, condition },
    { tools: [tool(answer, more, called)] },
  );
const json = (value: unknown) => ({ content: JSON.stringify(value) });
const value = (pointer: string, operator: string, expected: unknown) => ({
  type: 'value',
  pointer,
  operator,
  value: expected,
});

describe('checks: mcp_tool', () => {
  it('calls the tool once with its arguments, and a call id of the session', async () => {
    const called: Called = {};
    const result = await run({ type: 'contains', text: 'stuck' }, { content: 'mail is stuck since noon' }, {}, called);
    assert.equal(result.status, 'finding');
    assert.equal(result.summary, 'queue_status contains "stuck": mail is stuck since noon');
    assert.deepEqual(called.input, { queue: 'mail' });
    const { conversationId, runId, teamId, toolCallId, evidence } = called.context!;
    assert.deepEqual([conversationId, runId, teamId], ['session', 'session', 'team']);
    assert.match(toolCallId, /^[0-9a-f]{8}-[0-9a-f]{4}-8/);
    assert.equal(await evidence.read(1), undefined);
    assert.equal(await evidence.readById('x'), undefined);
    assert.match(JSON.stringify(result.evidence), /mail is stuck since noon/);
    const again: Called = {};
    await run({ type: 'contains', text: 'stuck' }, { content: 'x' }, {}, again);
    assert.equal(again.context!.toolCallId, toolCallId);
  });

  it('makes no call that needs more than whoever wrote the plan was granted', async () => {
    const called: Called = {};
    const needy = tool({ content: 'x' }, { requires: 'satellites:query' }, called);
    const subject = { type: 'mcp_tool', tool: 'queue_status', arguments: {}, condition: { type: 'lacks', text: 'y' } };
    const refused = await check(subject, { tools: [needy], scopes: ['monitoring:write'] });
    assert.equal(refused.status, 'failed');
    assert.match(refused.summary, /needs the scope satellites:query, which the credential .* does not have/);
    assert.equal(called.context, undefined);
    assert.equal((await check(subject, { tools: [needy], scopes: ['satellites:query'] })).status, 'finding');
  });

  it('contains and lacks are opposites', async () => {
    for (const [type, content, status] of [
      ['contains', 'OK', 'ok'],
      ['lacks', 'OK', 'finding'],
      ['lacks', 'all is healthy', 'ok'],
    ]) {
      const result = await run({ type, text: 'healthy' }, { content: content! });
      assert.equal(result.status, status);
    }
  });

  it('compares a value of a JSON answer', async () => {
    const answer = json({ queues: [{ name: 'mail', depth: 912, paused: false, 'a/b': { '~': '2026-03-01' } }] });
    const found = await run(value('/queues/0/depth', '>', 500), answer);
    assert.equal(found.status, 'finding');
    assert.equal(found.summary, '/queues/0/depth of queue_status is 912, above 500');
    assert.deepEqual([found.observations[0]!.value, found.observations[0]!.expected], [912, 500]);
    assert.equal((await run(value('/queues/0/depth', '<', 500), answer)).status, 'ok');
    assert.equal((await run(value('/queues/0/paused', '==', false), answer)).status, 'finding');
    assert.equal((await run(value('/queues/0/a~1b/~0', '<', '2026-04-01'), answer)).status, 'finding');
  });

  it('fails where the answer cannot be judged', async () => {
    const reason = async (condition: object, answer: Partial<ToolOutput> | Error, more: Partial<Tool> = {}) => {
      const result = await run(condition, answer, more);
      assert.equal(result.status, 'failed', result.summary);
      assert.equal(result.observations.length, 0);
      return result.summary;
    };
    const text = { type: 'contains', text: 'x' };
    assert.match(
      await reason(value('/depth', '>', 1), json({ depth: '912' })),
      /is a string, which cannot be compared with 1/,
    );
    assert.match(await reason(value('/depth', '>', true), json({ depth: false })), /cannot be compared/);
    assert.match(await reason(value('/depth', '>', 1), json({ depth: null })), /is null/);
    assert.match(await reason(value('/toString', '==', 'x'), json({})), /has nothing at "\/toString"/);
    assert.match(await reason(value('', '>', 1), { content: 'up' }), /is not JSON/);
    assert.match(await reason(text, { content: '' }), /returned nothing/);
    assert.match(await reason(text, { content: new Uint8Array([0, 1, 255, 254]) }), /not text/);
    assert.match(
      await reason(text, { content: '{"error":"no such queue"}', isError: true }),
      /^queue_status: no such queue$/,
    );
    assert.match(await reason(text, new Error('socket closed')), /^queue_status failed: socket closed$/);
    assert.match(
      await reason(text, { content: 'x' }, { name: 'queue_state' }),
      /no tool "queue_status"; similar: queue_state/,
    );
    const subject = { type: 'mcp_tool', tool: 'queue_status', condition: text };
    assert.match(
      (await check(subject, { tools: [] })).summary,
      /no tool "queue_status"; the team has no read-only tool$/,
    );
    assert.match(await reason(text, { content: 'x' }, { sideEffect: true }), /has side effects/);
    assert.match(
      await reason(text, { content: 'x' }, { input: z.strictObject({}) }),
      /input of queue_status is not valid/,
    );
  });

  it('follows RFC 6901', () => {
    const document = { foo: ['bar', 'baz'], '': 0, 'a/b': 1, 'm~n': 8, ' ': 7, '~1': 9 };
    const cases: [string, unknown][] = [
      ['', document],
      ['/foo', ['bar', 'baz']],
      ['/foo/0', 'bar'],
      ['/', 0],
      ['/a~1b', 1],
      ['/m~0n', 8],
      ['/ ', 7],
      ['/~01', 9],
    ];
    for (const [pointer, expected] of cases) assert.deepEqual(atPointer(document, pointer), { value: expected });
    for (const pointer of [
      '/foo/2',
      '/foo/01',
      '/foo/-',
      '/foo/length',
      '/nope',
      '/__proto__',
      '/constructor',
      '/foo/0/x',
    ]) {
      assert.equal(atPointer(document, pointer), undefined, pointer);
    }
  });
});
