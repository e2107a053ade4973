/** The endpoint over HTTP, without a model. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { citationsRoom, createExcerptMatcher, type CitationDeps } from '../../../src/features/citations/index.ts';
import { knownKeys, send, sendJson, startApi, type Reply, type TestApi } from '../../http/support/api.ts';
import { largeLog } from './support/large.ts';

const KEY = { 'x-api-key': 'reader' };
const MEGABYTES_5 = 5 * 1_048_576;

describe('POST /api/extract-citation', () => {
  let api: TestApi;
  let signals: AbortSignal[];
  // As long as it takes: how long the product gives it is tested with the matcher, and this machine may be busy.
  const matcher = createExcerptMatcher({ longestMs: 60_000 });
  before(async () => {
    api = await startApi<CitationDeps>(citationsRoom.endpoints, {
      authenticator: knownKeys({ reader: { scopes: ['chats:read'] }, other: { scopes: ['investigations:read'] } }),
      citations: {
        matcher: {
          match(teamId, query, bounds, signal) {
            signals.push(signal);
            return matcher.match(teamId, query, bounds, signal);
          },
          close: () => matcher.close(),
        },
      },
    });
  });
  beforeEach(() => {
    signals = [];
  });
  afterEach(() => {
    assert.deepEqual(
      api.lines.filter(({ msg }) => msg === 'A request failed unexpectedly'),
      [],
    );
  });
  after(async () => {
    await api.stop();
    await matcher.close();
  });

  const url = (): string => `${api.url}/api/extract-citation`;
  const ask = (body: unknown): Promise<Reply> => sendJson(url(), body, { headers: KEY });
  const askText = (body: string): Promise<Reply> =>
    send(url(), { method: 'POST', headers: { ...KEY, 'content-type': 'application/json' }, body });

  it('finds chunks of text', async () => {
    const tool_result = 'checkout p99 0.2 s\npayment p99 2.31 s\nusers p99 0.1 s';
    const { status, json } = await ask({
      tool_result,
      citation_id: 4,
      text_with_citation: 'Payment has a p99 of 2.3 s [4].',
    });
    assert.equal(status, 200);
    assert.deepEqual(json, { excerpts: ['payment p99 2.31 s'] });
  });

  it('takes digits for the number', async () => {
    const { json } = await ask({
      tool_result: 'a: 17 errors\nb: 3 errors',
      citation_id: '12',
      text_with_citation: 'There were 17 errors on a [12].',
    });
    assert.deepEqual(json, { excerpts: ['a: 17 errors'] });
  });

  it('takes any JSON value, and its excerpts are pieces of the JSON that was sent', async () => {
    const sent = `{ "10": {"service" : "checkout",  "p99_ms": 2310.0},
        "2": {"service" : "users", "p99_ms": 90.50} }`;
    const text = JSON.stringify('The p99 of checkout is 2.3 s [1].');
    const { json } = await askText(
      `{"tool_result": ${sent}, "citation_id": 1, "text_with_citation": ${text}, "tool_resul\\u0074": ${sent}}`,
    );
    assert.deepEqual(json, { excerpts: ['"10": {"service" : "checkout",  "p99_ms": 2310.0}'] });
    for (const [value, wanted] of [
      [42, ['42']],
      [[41, 42], ['[41,42]']],
      [null, []],
      [false, []],
      ['', []],
      [{}, []],
    ] as const) {
      const reply = await ask({ tool_result: value, citation_id: 1, text_with_citation: 'The count is 42 [1].' });
      assert.equal(reply.status, 200);
      assert.deepEqual(reply.json.excerpts, wanted, JSON.stringify(value));
    }
  });

  it('names every fault of a request', async () => {
    const locs = (reply: Reply): string[] => {
      assert.equal(reply.status, 422, reply.text);
      return reply.json.detail.map(({ type, loc }: { type: string; loc: string[] }) => `${type} ${loc.join('.')}`);
    };
    assert.deepEqual(locs(await ask({})), [
      'missing body.tool_result',
      'missing body.citation_id',
      'missing body.text_with_citation',
    ]);
    const rest = { tool_result: 'x', text_with_citation: 'x [1]' };
    for (const citation_id of [-1, 1.5, 1e300, 2e9, '', '-3', '1.0', 'one', '9'.repeat(40), null, true, [1], {}]) {
      const found = locs(await ask({ ...rest, citation_id }));
      assert.ok(
        found.every((entry) => entry.endsWith(' body.citation_id')),
        `${JSON.stringify(citation_id)}: ${found.join()}`,
      );
    }
    assert.deepEqual(locs(await ask({ ...rest, citation_id: 1, text_with_citation: 7 })), [
      'string_type body.text_with_citation',
    ]);
    const surrogate = await askText('{"tool_result": "\\ud800", "citation_id": 1, "text_with_citation": "x [1]"}');
    assert.deepEqual(locs(surrogate), ['string_unicode body.tool_result']);
  });

  it('needs a key that may read chats', async () => {
    const body = { tool_result: 'x', citation_id: 1, text_with_citation: 'x [1]' };
    assert.equal((await sendJson(url(), body)).status, 401);
    assert.equal((await sendJson(url(), body, { headers: { 'x-api-key': 'other' } })).status, 403);
  });

  it('takes results of 5 MB and more, and refuses those over the limit', async () => {
    const tool_result = largeLog(MEGABYTES_5, 'checkout ERROR pool exhausted: 20 of 20 connections in use');
    const text_with_citation = 'All 20 connections of the pool of checkout were in use [1].';
    const found = await ask({ tool_result, citation_id: 1, text_with_citation });
    assert.equal(found.status, 200);
    assert.equal(found.json.excerpts.length, 1);
    assert.match(found.json.excerpts[0], /pool exhausted: 20 of 20 connections in use$/);
    const inJson = await ask({ tool_result: tool_result.split('\n'), citation_id: 1, text_with_citation });
    assert.match(inJson.json.excerpts[0], /pool exhausted: 20 of 20 connections in use"$/);
    const tooLarge = await ask({ tool_result: 'x'.repeat(17 * 1_048_576), citation_id: 1, text_with_citation });
    assert.equal(tooLarge.status, 413);
    assert.equal(tooLarge.json.code, 'payload_too_large');
  });

  it('answers whatever 5 MB hold', async () => {
    const text_with_citation = 'At 10:42 the "pool" was 97% full, `a[1]` took 2.3 s and [[[ 12 MB [1].';
    for (const piece of ['[', '{"a":', '"', '1,', '10:42 ', '|', '订', 'a  b\n---\n']) {
      const tool_result = piece.repeat(MEGABYTES_5 / piece.length);
      const { status, json } = await ask({ tool_result, citation_id: 1, text_with_citation });
      assert.equal(status, 200, piece);
      assert.ok(Array.isArray(json.excerpts), piece);
    }
    const deep = await askText(
      `{"tool_result":${'['.repeat(500)}${']'.repeat(500)},"citation_id":1,"text_with_citation":"x [1]"}`,
    );
    assert.equal(deep.status, 422);
  });

  it('stops when its caller goes away', async () => {
    const tool_result = `[${'[1],'.repeat(MEGABYTES_5 / 2)}[1]]`;
    const numbers = Array.from({ length: 60 }, (_, index) => `${index * 37 + 11}.5 ms`).join(' and ');
    const body = JSON.stringify({ tool_result, citation_id: 1, text_with_citation: `It took ${numbers} [1].` });
    const req = request(url(), {
      method: 'POST',
      headers: { ...KEY, 'content-type': 'application/json' },
      agent: false,
    });
    req.on('error', () => undefined);
    req.end(body);
    while (signals.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const [signal] = signals;
    req.destroy();
    if (!signal!.aborted) await once(signal!, 'abort');
    const next = await ask({
      tool_result: 'still here: 42',
      citation_id: 1,
      text_with_citation: 'Still here is 42 [1].',
    });
    assert.deepEqual(next.json.excerpts, ['still here: 42']);
  });
});
