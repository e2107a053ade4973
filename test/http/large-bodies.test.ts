/** Large bodies and bodies of many values: whoever sends them must not keep the API from others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import { z } from 'zod';
import { apiKey } from '../../src/http/authenticate.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { LARGE_BYTES, parseAnywhere } from '../../src/http/validation/large-bodies.ts';
import { parseBody } from '../../src/http/validation/parse-body.ts';
import { knownKeys, send, startApi, type Reply, type TestApi } from './support/api.ts';

const MAX_NODES = 1_000;
const LARGE = JSON.stringify({ text: 'x'.repeat(2 * LARGE_BYTES) });

const echo = endpoint({
  method: 'post',
  path: '/echo',
  operationId: 'postEcho',
  summary: 'Says how much came',
  tags: [],
  auth: apiKey(),
  body: z.object({
    text: z.string().default(''),
    rows: z.unknown().optional(),
    more: z.array(z.unknown()).default([]),
  }),
  bodyLimitNodes: MAX_NODES,
  bodyTextMember: 'rows',
  response: z.object({ length: z.int(), rows: z.unknown(), more: z.int() }),
  handler: async ({ body: { text, rows, more } }) => ({ length: text.length, rows: rows ?? null, more: more.length }),
});

const keys = knownKeys({ ann: { teamId: 'a' }, amy: { teamId: 'a' }, bob: { teamId: 'b' } });

describe('large bodies', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi([echo], { authenticator: keys });
  });
  after(() => api.stop());

  const headersOf = (key: string) => ({ 'x-api-key': key, 'content-type': 'application/json' });
  const post = (body: string, key = 'ann'): Promise<Reply> =>
    send(`${api.url}/echo`, { method: 'POST', headers: headersOf(key), body });

  /** Sends all of a large body but its end. @returns when it has its turn, or waits for it */
  async function begin(key: string, { server, url } = api): Promise<ClientRequest> {
    const received = once(server, 'request');
    const req = request(`${url}/echo`, { method: 'POST', headers: headersOf(key), agent: false });
    req.on('error', () => undefined);
    req.write(LARGE.slice(0, -1));
    const [incoming] = await received;
    await once(incoming, 'pause');
    return req;
  }

  /** Ends it. @returns the status of the answer */
  async function finish(req: ClientRequest): Promise<number> {
    req.end(LARGE.at(-1));
    const [res] = await once(req, 'response');
    res.resume();
    return res.statusCode;
  }

  it('are parsed without blocking the event loop', async () => {
    const bytes = Buffer.from(
      JSON.stringify({ rows: Array.from({ length: 50_000 }, () => ({})), text: 'x'.repeat(LARGE_BYTES) }),
    );
    const parsing = parseAnywhere(bytes, { maxNodes: 200_000, textMember: 'rows' });
    const first = await Promise.race([parsing.then(() => 'the parser'), nextTick('the event loop')]);
    assert.equal(first, 'the event loop');
    const { json, issues } = await parsing;
    assert.deepEqual(issues, []);
    assert.deepEqual(json, parseBody(bytes, { maxNodes: 200_000, textMember: 'rows' }).json);
  });

  it('are answered like small ones, faults included', async () => {
    assert.deepEqual((await post(LARGE)).json, { length: 2 * LARGE_BYTES, rows: null, more: 0 });
    const broken = await post(`${LARGE.slice(0, -1)},}`);
    assert.deepEqual([broken.status, broken.json.detail[0].type], [422, 'json_invalid']);
    const nul = await post(`${LARGE.slice(0, -1)},"rows":["\\u0000"]}`);
    assert.deepEqual(nul.json.detail[0].loc, ['body', 'rows', 0]);
    assert.equal((await post('{"text":"small"}')).json.length, 5);
  });

  it('of too many values are refused, small ones too, whatever strings hold', async () => {
    for (const value of ['{}', '[]', '1', '{"a":1}']) {
      const body = (count: number): string =>
        `{"text":"${','.repeat(5_000)}\\"[{","more":[${Array(count).fill(value).join()}]}`;
      const refused = await post(body(MAX_NODES));
      assert.equal(refused.status, 422);
      assert.deepEqual(
        [refused.json.detail[0].type, refused.json.detail[0].ctx],
        ['too_many_values', { max_values: MAX_NODES }],
      );
      assert.equal((await post(body(MAX_NODES / 4))).json.more, MAX_NODES / 4);
    }
  });

  it('hand a member over as it was sent', async () => {
    const rows = '[ 1.0,\n {"b":2, "a":"ü"} ]';
    assert.equal((await post(`{"rows":"no", "rows":${rows} }`)).json.rows, rows);
    assert.equal((await post(`${LARGE.slice(0, -1)},"rows":${rows}}`)).json.rows, rows);
    assert.equal((await post('{"rows":"text"}')).json.rows, 'text');
    assert.equal((await post('[]')).status, 422);
  });

  it('are read one at a time of a team, while others and small ones are answered', async () => {
    const first = await begin('ann');
    const second = post(LARGE, 'amy');
    let answered = false;
    void second.then(() => (answered = true));
    assert.equal((await post(LARGE, 'bob')).status, 200);
    assert.equal((await post('{"text":"small"}')).status, 200);
    assert.equal(answered, false);
    assert.equal(await finish(first), 200);
    assert.equal((await second).status, 200);
  });

  it('give their turn on when their sender leaves, in it or before it', async () => {
    const first = await begin('ann');
    const second = await begin('ann');
    second.destroy();
    first.destroy();
    assert.equal((await post(LARGE)).status, 200);
  });

  it('that arrive too slowly once it is their turn are refused with 408', async () => {
    const config = { ...api.deps.config, timeouts: { largeBodyMs: 100 } };
    const brief = await startApi([echo], { authenticator: keys, config });
    const slow = await begin('ann', brief);
    const [res] = await once(slow, 'response');
    assert.equal(res.statusCode, 408);
    slow.destroy();
    await brief.stop();
  });

  it('beyond what may wait are refused with 503', async () => {
    const first = await begin('ann');
    const replies = Array.from({ length: 40 }, () => post(LARGE));
    const refused = await Promise.race(replies);
    assert.deepEqual([refused.status, refused.json.code], [503, 'busy']);
    assert.equal((await post(LARGE, 'bob')).status, 200);
    assert.equal(await finish(first), 200);
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 503).length, 8);
    assert.equal(statuses.filter((status) => status === 200).length, 32);
  });
});
