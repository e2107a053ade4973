import assert from 'node:assert/strict';
import { DEFAULT_MODEL } from '../../../src/platform/anthropic/index.ts';
import type { ScriptedStep } from '../../support/scripted-model/index.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { ask, Chats, type Answer, type Json, type Lines, type Said } from './support.ts';

const sources: ScriptedStep = { text: 'I look which sources there are.', toolUses: [{ name: 'list_sources' }] };
const look = (n: number): ScriptedStep => ({
  toolUses: [{ name: 'search_metrics', input: { source: 'shop', text: `${n}` } }],
});
const busy = (message: string): ScriptedStep => ({
  error: { status: 529, type: 'overloaded_error', message, headers: { 'retry-after-ms': '20' } },
});
const refused: ScriptedStep = { error: { status: 400, type: 'invalid_request_error', message: 'No such thing here.' } };
const SILENCE = 'without saying anything';
const usage = (times: number) => ({
  input_tokens: 1_000 * times,
  cache_creation_input_tokens: 2_000 * times,
  cache_read_input_tokens: 40_000 * times,
  output_tokens: 300 * times,
});

const lines: Record<string, Lines> = {
  costs: [
    { ...sources, usage: usage(1) },
    { text: 'There is one [1].', usage: usage(2) },
  ],
  plain: [{ text: 'It is the pool.' }],
  busy: ({ attempt }) => (attempt < 2 ? busy('Too busy.') : { text: 'Now I can.' }),
  cut: ({ attempt }) => (attempt === 0 ? { text: 'A long beginning of it', cut: 'middle' } : { text: 'All of it.' }),
  final: [refused],
  'final-later': [sources, refused],
  endless: [{ error: { status: 400, type: 'invalid_request_error', message: '"\u0001'.repeat(200_000) } }],
  empty: () => ({}),
  blank: () => ({ text: ' \n' }),
  // What is empty is no message: only the loop's note tells that it was asked before.
  'empty-once': ({ request }) => (JSON.stringify(request).includes(SILENCE) ? { text: 'Sorry: it is the pool.' } : {}),
  'empty-after-words': ({ step }) => (step === 0 ? sources : {}),
  long: [{ text: 'The first half', stopReason: 'max_tokens' }, { text: 'and the second.' }],
  refuses: [{ stopReason: 'refusal' }],
  'refuses-midway': [{ text: 'I could tell you', stopReason: 'refusal' }],
  tireless: ({ step, request }) => (request.tool_choice?.type === 'none' ? { text: 'As far as I got.' } : look(step)),
  numbers: [{ text: 'In [2024] it was [99999999999999999999], and [0].' }],
};

describe('an answer in a chat', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()], env: { CASEBOOK_MAX_STEPS: '4' } });
  });
  after(() => chats?.stop());

  const post = (name: string, body: Record<string, unknown> = {}): Promise<Said> =>
    chats.post({ messages: [{ role: 'user', content: ask(name) }], ...body });
  /** A question whose turn comes to nothing. */
  const fails = async (name: string): Promise<{ detail: string; chat_id: string }> => {
    const { status, body } = await post(name);
    assert.equal(status, 502, JSON.stringify(body));
    assert.equal((body as Json)['code'], 'turn_failed');
    return body;
  };

  it('has exactly the fields of the interface, with the tokens and the cost of all calls', async () => {
    const { status, body } = await post('costs');
    assert.equal(status, 200);
    const { chat_id: chatId, ...rest } = body as Answer;
    assert.match(chatId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      response: 'I look which sources there are.\n\nThere is one [1].',
      usage: {
        input_tokens: 3_000,
        output_tokens: 900,
        cache_creation_input_tokens: 6_000,
        cache_read_input_tokens: 120_000,
        // 3,000 + 6,000 x 1.25 + 120,000 x 0.05 at 2 dollars a million, and 900 at 10.
        cost: 0.042,
        model: DEFAULT_MODEL,
        api_calls_count: 2,
      },
    });
  });

  it('comes from the model that the caller names', async () => {
    const { usage: spent } = await chats.say(ask('plain'), { model: 'claude-haiku-4-5' });
    assert.equal(spent.model, 'claude-haiku-4-5');
    assert.equal(chats.requests('plain').at(-1)?.body.model, 'claude-haiku-4-5');
    await chats.say(ask('plain'));
    assert.equal(chats.requests('plain').at(-1)?.body.model, DEFAULT_MODEL);
  });

  it('follows the caller’s system prompt, and still follows the rules', async () => {
    const system = (): string => JSON.stringify(chats.requests('plain').at(-1)?.body.system);
    await chats.say(ask('plain'));
    assert.match(system(), /You are Casebook/);
    await chats.say(ask('plain'), { system_prompt: 'You are a pirate.' });
    assert.match(system(), /You are a pirate\./);
    assert.doesNotMatch(system(), /You are Casebook/);
    assert.match(system(), /Rules that always hold/);
    assert.match(system(), /never follow them/);
  });

  it('is waited for while the model is busy, or cuts its answer off', async () => {
    for (const [name, text, calls] of [
      ['busy', 'Now I can.', 3],
      ['cut', 'All of it.', 2],
    ] as const) {
      const { response, usage: spent } = await chats.say(ask(name));
      assert.equal(response, text);
      assert.equal(spent.api_calls_count, 1, 'what is answered counts');
      assert.equal(chats.requests(name).length, calls);
    }
  });

  it('is a 502 with the reason when the model refuses the request; the chat continues', async () => {
    const { detail, chat_id: id } = await fails('final');
    assert.match(detail, /No such thing here\./);
    assert.equal(chats.requests('final').length, 1, 'what cannot work is not repeated');
    const turn = (await chats.detail(id)).messages.at(-1)?.turn;
    assert.deepEqual([turn?.status, turn?.text, turn?.explanation], ['failed', '', detail]);
    assert.equal((await chats.say(ask('plain'), { chat_id: id })).response, 'It is the pool.');
  });

  it('keeps what was said before the model failed', async () => {
    const { chat_id: id } = await fails('final-later');
    const turn = (await chats.detail(id)).messages.at(-1)?.turn;
    assert.deepEqual([turn?.status, turn?.text], ['failed', 'I look which sources there are.']);
    assert.equal((await chats.say(ask('plain'), { chat_id: id })).response, 'It is the pool.');
  });

  it('ends also when the reason is longer than anything holds', async () => {
    const { detail } = await fails('endless');
    assert.ok(detail.length < 5_000, `${detail.length} characters`);
  });

  it('is asked for again when the model says nothing', async () => {
    assert.equal((await chats.say(ask('empty-once'))).response, 'Sorry: it is the pool.');
    const [, again] = chats.requests('empty-once');
    assert.ok(JSON.stringify(again?.body.messages.at(-1)).includes(SILENCE));
  });

  for (const name of ['empty', 'blank', 'empty-after-words']) {
    it(`is a failure, never empty, when the model keeps saying nothing (${name})`, async () => {
      const { detail, chat_id: id } = await fails(name);
      assert.match(detail, /no answer/);
      assert.ok(chats.requests(name).length >= 3, 'it is asked again first');
      assert.equal((await chats.say(ask('plain'), { chat_id: id })).response, 'It is the pool.');
    });
  }

  it('continues an answer that was too long for one call', async () => {
    const { response } = await chats.say(ask('long'));
    assert.equal(response, 'The first half\n\nand the second.');
    assert.match(JSON.stringify(chats.requests('long')[1]?.body.messages.at(-1)), /cut off because it was too long/);
  });

  it('says that the model refused', async () => {
    const { detail } = await fails('refuses');
    assert.match(detail, /refused/);
    assert.equal(chats.requests('refuses').length, 1);
    const { chat_id: id } = await chats.say(ask('refuses-midway'));
    assert.equal((await chats.detail(id)).messages.at(-1)?.turn?.limit_reached, 'refusal');
  });

  it('is given without tools when the limit of steps is reached', async () => {
    const { response, chat_id: id } = await chats.say(ask('tireless'));
    assert.equal(response, 'As far as I got.');
    const requests = chats.requests('tireless');
    assert.deepEqual(
      requests.map(({ body }) => body.tool_choice?.type),
      ['auto', 'auto', 'auto', 'auto', 'none'],
    );
    assert.match(JSON.stringify(requests.at(-1)?.body.messages.at(-1)), /limit of steps for this run is reached/);
    assert.equal((await chats.detail(id)).messages.at(-1)?.turn?.limit_reached, 'steps');
    await chats.say(ask('plain'), { chat_id: id });
    assert.equal(chats.requests('plain').at(-1)?.body.tool_choice?.type, 'auto', 'the next turn has steps of its own');
  });

  it('may hold numbers in brackets that are no evidence', async () => {
    const { response, chat_id: id } = await chats.say(ask('numbers'));
    assert.equal(response, 'In [2024] it was [99999999999999999999], and [0].');
    const citations = (await chats.detail(id)).messages.at(-1)?.turn?.citations ?? [];
    assert.ok(citations.every((citation) => citation.tool_call_id === null));
  });
});
