import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import {
  decide,
  OFFLINE_MODEL_NAME,
  startOfflineModel,
  type RunningServer,
} from '../../packages/offline-model/index.ts';
import { parseRequest } from '../../packages/offline-model/validate.ts';
import { createModelClient } from '../../src/platform/anthropic/index.ts';

describe('offline model: server of the Messages API', () => {
  let server: RunningServer;
  let sdk: Anthropic;
  before(async () => {
    server = await startOfflineModel();
    sdk = new Anthropic({ apiKey: 'none', baseURL: server.url, maxRetries: 0, logLevel: 'off' });
  });
  after(() => server.stop());
  const question = {
    model: OFFLINE_MODEL_NAME,
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Hello' }],
  };

  it('says what it is and what it can do when it is only talked to', async () => {
    const message = await sdk.messages.create(question);
    assert.equal(message.stop_reason, 'end_turn');
    assert.ok(message.content[0]?.type === 'text');
    assert.match(message.content[0].text, /offline model/);
    assert.match(message.content[0].text, /ANTHROPIC_API_KEY/);
    assert.ok(message.usage.input_tokens > 0 && message.usage.output_tokens > 10);
  });

  it('streams the same answer in several deltas, at no cost', async () => {
    const client = createModelClient({ offlineBaseUrl: server.url });
    const deltas: string[] = [];
    const response = await client.complete(
      { system: '', messages: question.messages, tools: [], maxTokens: 100 },
      { signal: new AbortController().signal, onDelta: (delta) => delta.kind === 'text' && deltas.push(delta.text) },
    );
    const whole = await sdk.messages.create(question);
    assert.ok(deltas.length > 3);
    assert.ok(whole.content[0]?.type === 'text');
    assert.equal(deltas.join(''), whole.content[0].text);
    assert.deepEqual([response.costUsd, response.model, response.stopReason], [0, OFFLINE_MODEL_NAME, 'end_turn']);
  });

  it('sends the events of the real protocol, pings among them', async () => {
    const response = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ ...question, stream: true }),
    });
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    const types = [...(await response.text()).matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    assert.deepEqual(types.slice(0, 4), ['message_start', 'ping', 'content_block_start', 'content_block_delta']);
    assert.deepEqual(types.slice(-3), ['content_block_stop', 'message_delta', 'message_stop']);
  });

  it('counts tokens and lists its model', async () => {
    const { input_tokens } = await sdk.messages.countTokens({ model: OFFLINE_MODEL_NAME, messages: question.messages });
    assert.ok(input_tokens > 5 && input_tokens < 50);
    const models = await sdk.models.list();
    assert.deepEqual(
      models.data.map(({ id }) => id),
      [OFFLINE_MODEL_NAME],
    );
  });

  it('answers errors in the shape of the API', async () => {
    await assert.rejects(sdk.messages.create({ ...question, model: 'claude-opus-5' }), {
      status: 404,
      type: 'not_found_error',
    });
    await assert.rejects(sdk.messages.create({ ...question, max_tokens: 0 }), {
      status: 400,
      type: 'invalid_request_error',
    });
    const malformed = await fetch(`${server.url}/v1/messages`, { method: 'POST', body: '{' });
    assert.equal(malformed.status, 400);
    const body: unknown = await malformed.json();
    assert.deepEqual(body, {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'The body is not usable JSON.' },
      request_id: null,
    });
    assert.equal((await fetch(`${server.url}/v1/complete`)).status, 404);
  });

  it('refuses what the API refuses', () => {
    const use = (id: string) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 't', input: {} }] });
    const result = (id: string) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }],
    });
    const user = { role: 'user', content: 'hi' };
    const fault = (more: object) => {
      const parsed = parseRequest({ ...question, ...more });
      return typeof parsed === 'string' ? parsed : '';
    };
    assert.match(fault({ messages: [user, use('a'), user] }), /without a `tool_result`/);
    assert.match(fault({ messages: [user, use('a'), result('b')] }), /without a `tool_result`|unexpected/);
    assert.match(fault({ messages: [user, result('a')] }), /unexpected `tool_use_id`/);
    assert.match(fault({ messages: [user, use('a'), result('a'), use('a'), result('a')] }), /must be unique/);
    assert.match(fault({ messages: [use('a')] }), /first message/);
    assert.match(fault({ messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }), /non-empty/);
    assert.match(fault({ tool_choice: { type: 'any' } }), /while providing tools/);
    const tools = [{ name: 't', input_schema: { type: 'object' } }];
    assert.match(fault({ tools, tool_choice: { type: 'tool', name: 'u' } }), /not found/);
    assert.match(fault({ tools, tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } }), /forces tool use/);
    const marked = Array.from({ length: 5 }, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }));
    assert.match(fault({ system: marked }), /maximum of 4/);
    assert.equal(fault({ tools, messages: [user, use('a'), result('a')] }), '');
  });

  it('calls the forced tool, and none when none may be called', () => {
    const messages = [{ role: 'user' as const, content: '<query>Web is slow</query>' }];
    const tools = [{ name: 'submit_report' }, { name: 'other' }];
    const names = (choice: Anthropic.ToolChoice) =>
      decide(messages, tools, choice).flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));
    assert.deepEqual(names({ type: 'tool', name: 'submit_report' }), ['submit_report']);
    assert.deepEqual(names({ type: 'none' }), []);
  });
});
