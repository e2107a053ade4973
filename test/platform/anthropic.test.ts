import assert from 'node:assert/strict';
import {
  createModelClient,
  invalidToolInput,
  ModelError,
  type ContentBlockParam,
  type ModelDelta,
  type ModelRequest,
} from '../../src/platform/anthropic/index.ts';
import { internalError, overloaded, rateLimited, startScriptedModel } from '../support/scripted-model/index.ts';
import type { ScriptedModel, Script } from '../support/scripted-model/index.ts';

const tool = { name: 'list_sources', description: 'Lists.', input_schema: { type: 'object' as const, properties: {} } };
const request: ModelRequest = {
  system: 'You investigate.',
  messages: [{ role: 'user', content: 'Why is checkout slow?' }],
  tools: [{ ...tool, name: 'first' }, tool],
  maxTokens: 4096,
};
const never = new AbortController().signal;

describe('anthropic client', () => {
  let server: ScriptedModel;
  afterEach(() => server.stop());

  const start = async (script: Script, options: { model?: string; idleTimeoutMs?: number } = {}) => {
    server = await startScriptedModel(script);
    return createModelClient({ apiKey: 'key', baseUrl: server.url, ...options });
  };
  const failure = async (script: Script, options: { idleTimeoutMs?: number } = {}): Promise<ModelError> => {
    const client = await start(script, options);
    try {
      await client.complete(request, { signal: never });
    } catch (error) {
      assert.ok(error instanceof ModelError, String(error));
      return error;
    }
    throw new Error('The call did not fail.');
  };

  it('streams deltas and returns the whole message with usage and cost', async () => {
    const client = await start(
      [
        {
          thinking: 'Hm. Where to look?',
          text: 'I list the sources.',
          toolUses: [{ name: 'list_sources', input: { a: [1, { b: 'é😀' }] } }],
          deltaCharacters: 4,
          usage: {
            input_tokens: 10,
            output_tokens: 1000,
            cache_creation_input_tokens: 200,
            cache_read_input_tokens: 3000,
          },
        },
      ],
      { model: 'claude-opus-4-8' },
    );
    const deltas: ModelDelta[] = [];
    const response = await client.complete(request, { signal: never, onDelta: (delta) => deltas.push(delta) });
    assert.deepEqual(
      response.content.map((block) => block.type),
      ['thinking', 'text', 'tool_use'],
    );
    const texts = deltas.flatMap((delta) => (delta.kind === 'text' ? [delta.text] : []));
    assert.ok(texts.length > 2);
    assert.equal(texts.join(''), 'I list the sources.');
    assert.equal(
      deltas.flatMap((delta) => (delta.kind === 'thinking' ? [delta.text] : [])).join(''),
      'Hm. Where to look?',
    );
    assert.deepEqual(deltas.at(-1), { kind: 'tool_call', name: 'list_sources' });
    const use = response.content[2];
    assert.ok(use?.type === 'tool_use');
    assert.deepEqual(use.input, { a: [1, { b: 'é😀' }] });
    assert.equal(response.stopReason, 'tool_use');
    assert.equal(response.model, 'claude-opus-4-8');
    assert.deepEqual(response.usage, {
      inputTokens: 10,
      outputTokens: 1000,
      cacheCreationInputTokens: 200,
      cacheReadInputTokens: 3000,
    });
    // (10 + 200 * 1.25 + 3000 * 0.1) * 5 + 1000 * 25, in millionths.
    assert.ok(Math.abs(response.costUsd - 0.0278) < 1e-12, String(response.costUsd));
  });

  it('sends thinking and redacted thinking back unchanged', async () => {
    const client = await start([
      {
        thinking: { text: 'Private.', signature: 'sig==' },
        redactedThinking: 'opaque',
        toolUses: [{ name: 'list_sources' }],
      },
      { text: 'Done.' },
    ]);
    const first = await client.complete(request, { signal: never });
    const use = first.content.find((block) => block.type === 'tool_use');
    await client.complete(
      {
        ...request,
        messages: [
          ...request.messages,
          { role: 'assistant', content: first.content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: use?.id ?? '', content: 'none' }] },
        ],
      },
      { signal: never },
    );
    const sent = server.requests[1]?.body.messages[1]?.content;
    assert.ok(Array.isArray(sent));
    assert.deepEqual(sent[0], { type: 'thinking', thinking: 'Private.', signature: 'sig==' });
    assert.deepEqual(sent[1], { type: 'redacted_thinking', data: 'opaque' });
  });

  it('marks the system prompt, the last tool and the last two user messages for the cache', async () => {
    const client = await start([{ text: 'ok' }]);
    const result = (id: string): ContentBlockParam[] => [
      { type: 'tool_result', tool_use_id: id, content: 'x' },
      { type: 'text', text: 'go on' },
    ];
    const use = (id: string): ContentBlockParam[] => [{ type: 'tool_use', id, name: 'first', input: {} }];
    const messages: ModelRequest['messages'] = [
      ...request.messages,
      { role: 'assistant', content: use('a') },
      { role: 'user', content: result('a') },
      { role: 'assistant', content: use('b') },
      { role: 'user', content: result('b') },
    ];
    const before = structuredClone(messages);
    await client.complete({ ...request, messages }, { signal: never });
    assert.deepEqual(messages, before, 'the transcript itself must stay as it is');
    const body = server.requests[0]?.body;
    assert.ok(body);
    const marked = (value: unknown) => JSON.stringify(value).split('cache_control').length - 1;
    assert.equal(marked(body.system), 1);
    assert.deepEqual(body.tools?.map(marked), [0, 1]);
    assert.deepEqual(body.messages.map(marked), [0, 0, 1, 0, 1]);
    assert.ok(Array.isArray(body.messages[4]?.content));
    assert.ok('cache_control' in (body.messages[4].content[1] ?? {}));
  });

  it('thinks where the model can, and never together with a forced tool', async () => {
    const bodyOf = async (model: string, forced: boolean) => {
      const client = await start([{ text: 'ok' }], { model });
      await client.complete(
        { ...request, toolChoice: forced ? { type: 'tool', name: 'first' } : undefined },
        { signal: never },
      );
      await server.stop();
      const { thinking, tool_choice } = server.requests[0]?.body ?? {};
      return { thinking: thinking?.type, choice: tool_choice?.type };
    };
    assert.deepEqual(await bodyOf('claude-sonnet-5-5', false), { thinking: 'adaptive', choice: 'auto' });
    assert.deepEqual(await bodyOf('claude-sonnet-5-5', true), { thinking: 'disabled', choice: 'tool' });
    assert.deepEqual(await bodyOf('claude-opus-5-5', true), { thinking: 'adaptive', choice: 'auto' });
    assert.deepEqual(await bodyOf('claude-opus-4-5-20251101', false), { thinking: 'enabled', choice: 'auto' });
    assert.deepEqual(await bodyOf('claude-haiku-4-5', true), { thinking: 'disabled', choice: 'tool' });
    assert.deepEqual(await bodyOf('some-other-model', true), { thinking: undefined, choice: 'tool' });
  });

  it('reports 429 with the wait the server asks for, in seconds or as a date', async () => {
    const seconds = await failure([rateLimited('7')]);
    assert.deepEqual([seconds.kind, seconds.retryable, seconds.retryAfterMs], ['rate_limited', true, 7000]);
    assert.equal(server.requests.length, 1, 'the client must not retry by itself');
    await server.stop();
    const date = await failure([rateLimited(new Date(Date.now() + 60_000).toUTCString())]);
    assert.ok(date.retryAfterMs !== undefined && date.retryAfterMs > 50_000 && date.retryAfterMs <= 60_000);
    await server.stop();
    const ms = await failure([
      { error: { status: 429, type: 'rate_limit_error', headers: { 'retry-after-ms': '1500', 'retry-after': '9' } } },
    ]);
    assert.equal(ms.retryAfterMs, 1500);
  });

  it('tells retryable errors from those that are not', async () => {
    const cases: [Script, string, boolean][] = [
      [[overloaded], 'overloaded', true],
      [[internalError], 'unavailable', true],
      [[{ error: { status: 503 } }], 'unavailable', true],
      [[{ error: { status: 401, type: 'authentication_error' } }], 'authentication', false],
      [[{ error: { status: 403, type: 'permission_error' } }], 'authentication', false],
      [[{ error: { status: 400, type: 'invalid_request_error' } }], 'invalid_request', false],
      [[{ error: { status: 413, type: 'request_too_large' } }], 'invalid_request', false],
      [[{ text: 'abc', streamError: { type: 'overloaded_error', message: 'Overloaded' } }], 'overloaded', true],
      [[{ text: 'abc', streamError: { type: 'invalid_request_error', message: 'No' } }], 'invalid_request', false],
      [[{ cut: 'start' }], 'unavailable', true],
      [[{ text: 'a long answer '.repeat(50), cut: 'middle' }], 'interrupted', true],
      [[{ text: 'a long answer '.repeat(50), cut: 'ending' }], 'interrupted', true],
    ];
    for (const [script, kind, retryable] of cases) {
      const error = await failure(script);
      assert.deepEqual([error.kind, error.retryable], [kind, retryable], JSON.stringify(script));
      await server.stop();
    }
  });

  it('reports a server that is not there', async () => {
    const client = await start([]);
    await server.stop();
    await assert.rejects(client.complete(request, { signal: never }), { kind: 'unavailable', retryable: true });
  });

  it('gives up on a stream that falls silent, but not on one that pings', async () => {
    const before = await failure([{ hang: { at: 'start' } }], { idleTimeoutMs: 50 });
    assert.deepEqual([before.kind, before.retryable], ['timeout', true]);
    await server.stop();
    const within = await failure([{ text: 'abc', hang: { at: 'middle' } }], { idleTimeoutMs: 50 });
    assert.equal(within.kind, 'timeout');
    await server.stop();

    const client = await start([{ text: 'abc', pause: { pings: 26, everyMs: 100 } }], { idleTimeoutMs: 2_500 });
    const response = await client.complete(request, { signal: never });
    assert.equal(response.stopReason, 'end_turn', 'all the pings take longer than the longest silence allowed');
  });

  it('ends a call on abort, with the reason given, and closes the connection', async () => {
    const client = await start([{ text: 'abc', hold: { gate: 'half', at: 'middle' } }]);
    const stop = new AbortController();
    const call = client.complete(request, { signal: stop.signal });
    await server.waitForHold('half');
    const reason = new Error('cancelled by the operator');
    stop.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    while (!server.requests[0]?.aborted) await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(client.complete(request, { signal: stop.signal }), (error) => error === reason);
    assert.equal(server.requests.length, 1, 'an aborted signal must not start a call');
  });

  it('keeps tool input that is not a JSON object as text', async () => {
    const client = await start([
      {
        toolUses: [
          { name: 'first', rawInput: '{"source": "a", ' },
          { name: 'first', rawInput: '[1]' },
          { name: 'no_such_tool', rawInput: '' },
        ],
      },
    ]);
    const { content } = await client.complete(request, { signal: never });
    const inputs = content.map((block) => (block.type === 'tool_use' ? block.input : undefined));
    assert.deepEqual(inputs, [{ INVALID_JSON: '{"source": "a", ' }, { INVALID_JSON: '[1]' }, {}]);
    assert.deepEqual(inputs.map(invalidToolInput), ['{"source": "a", ', '[1]', undefined]);
  });

  it('passes on an empty answer, a refusal and every other stop reason', async () => {
    const reasons = ['end_turn', 'max_tokens', 'refusal', 'pause_turn', 'stop_sequence'] as const;
    const client = await start([{}, ...reasons.map((stopReason) => ({ text: 'So', stopReason }))]);
    const empty = await client.complete(request, { signal: never });
    assert.deepEqual([empty.content, empty.stopReason], [[], 'end_turn']);
    for (const reason of reasons) {
      assert.equal((await client.complete(request, { signal: never })).stopReason, reason);
    }
  });

  it('keeps the input of a tool call that max_tokens cut off from passing as whole', async () => {
    const client = await start([
      { toolUses: [{ name: 'first', rawInput: '{"title": "half' }], stopReason: 'max_tokens' },
    ]);
    const { content, stopReason } = await client.complete(request, { signal: never });
    assert.equal(stopReason, 'max_tokens');
    assert.ok(content[0]?.type === 'tool_use');
    assert.equal(invalidToolInput(content[0].input), '{"title": "half');
  });
});
