/** What an attacker sends. Nothing of it may end in a 500, take the process down or reach a handler as it is. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'mocha';
import { z } from 'zod';
import { ContentResponse } from '../../src/http/respond.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { openApiDocument } from '../../src/http/docs/openapi.ts';
import { raw, send, startApi, type TestApi } from './support/api.ts';

const LIMIT = 65_536;
const LARGE_LIMIT = 200_000;
let handled: unknown[] = [];

const endpoints = [
  endpoint({
    method: 'post',
    path: '/anything',
    operationId: 'postAnything',
    summary: 'Any JSON object',
    tags: [],
    auth: 'none',
    body: z.looseObject({}),
    response: z.object({ ok: z.boolean() }),
    handler: async ({ body }) => {
      handled.push(body);
      return { ok: true };
    },
  }),
  endpoint({
    method: 'post',
    path: '/large',
    operationId: 'postLarge',
    summary: 'A JSON object that may be larger than others',
    tags: [],
    auth: 'none',
    body: z.looseObject({}),
    bodyLimitBytes: LARGE_LIMIT,
    response: z.object({ ok: z.boolean() }),
    handler: async () => ({ ok: true }),
  }),
  endpoint({
    method: 'get',
    path: '/texts/{text}',
    operationId: 'getText',
    summary: 'Texts',
    tags: [],
    auth: 'none',
    params: z.object({ text: z.string() }),
    query: z.object({ q: z.string().optional(), qs: z.array(z.string()).optional() }),
    response: z.object({ text: z.string(), q: z.string().optional() }),
    handler: async ({ params, query }) => ({ text: params.text, q: query.q }),
  }),
];

describe('hostile requests', () => {
  let api: TestApi;
  /** Cuts off whatever is slow. */
  let impatient: TestApi;
  before(async () => {
    api = await startApi(endpoints, { env: { CASEBOOK_BODY_LIMIT_BYTES: String(LIMIT) } });
    impatient = await startApi(endpoints, {
      server: { headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 50 },
    });
  });
  beforeEach(() => {
    handled = [];
  });
  afterEach(() => {
    const failures = [...api.lines, ...impatient.lines].filter(({ msg }) => msg === 'A request failed unexpectedly');
    assert.deepEqual(failures, []);
  });
  after(() => Promise.all([api.stop(), impatient.stop()]));

  const post = (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    send(`${api.url}/anything`, { method: 'POST', headers, body });

  for (const [name, body] of [
    ['cut short', '{"a":'],
    ['not JSON', 'a=1'],
    ['with a trailing comma', '{"a":1,}'],
    ['two values', '{} {}'],
    ['with a byte order mark in the middle', '{"a":\ufeff1}'],
    ['NaN', '{"a":NaN}'],
    ['single quotes', "{'a':1}"],
    ['only blanks', '   '],
  ] as const) {
    it(`a body ${name} is json_invalid`, async () => {
      const reply = await post(body);
      assert.equal(reply.status, 422);
      assert.equal(reply.json.detail[0].type, 'json_invalid');
      assert.equal(reply.json.detail[0].loc[0], 'body');
      assert.deepEqual(handled, []);
    });
  }

  it('invalid UTF-8 is json_invalid', async () => {
    const reply = await post(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]));
    assert.equal(reply.status, 422);
    assert.equal(reply.json.detail[0].type, 'json_invalid');
  });

  it('another media type, charset or encoding is refused with the header named', async () => {
    for (const [headers, loc] of [
      [{ 'content-type': 'text/plain' }, 'content-type'],
      [{ 'content-type': 'application/x-www-form-urlencoded' }, 'content-type'],
      [{ 'content-type': 'application/json; charset=utf-16' }, 'content-type'],
      [{}, 'content-type'],
      [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'content-encoding'],
      [{ 'content-type': 'application/json', 'content-encoding': 'br' }, 'content-encoding'],
    ] as [Record<string, string>, string][]) {
      const reply = await post('{"a":1}', headers);
      assert.equal(reply.status, 422, JSON.stringify(headers));
      assert.deepEqual(reply.json.detail[0].loc, ['header', loc]);
    }
    assert.deepEqual(handled, []);
  });

  it('JSON under another name is accepted', async () => {
    for (const type of ['application/json; charset=UTF-8', 'application/vnd.api+json', 'Application/JSON']) {
      assert.equal((await post('{"a":1}', { 'content-type': type })).status, 200, type);
    }
  });

  it('a compressed bomb is not opened', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20));
    assert.ok(bomb.length < LIMIT);
    const reply = await post(bomb, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    assert.equal(reply.status, 422);
  });

  it('a body over the limit is 413, declared or not', async () => {
    const declared = await post(JSON.stringify({ a: 'x'.repeat(LIMIT) }));
    assert.equal(declared.status, 413);
    assert.equal(declared.json.code, 'payload_too_large');
    assert.equal(declared.headers.connection, 'close');
    const chunked = await post(JSON.stringify({ a: 'x'.repeat(LIMIT) }), {
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    });
    assert.equal(chunked.status, 413);
    const exact = JSON.stringify({ a: 'x'.repeat(LIMIT - 8) });
    assert.equal(exact.length, LIMIT);
    handled = [];
    assert.equal((await post(exact)).status, 200);
  });

  it('an endpoint may have a limit of its own, which its documentation names', async () => {
    const json = { 'content-type': 'application/json' };
    const sized = (bytes: number): Promise<{ status: number }> =>
      send(`${api.url}/large`, { method: 'POST', headers: json, body: JSON.stringify({ a: 'x'.repeat(bytes - 8) }) });
    assert.equal((await sized(LARGE_LIMIT)).status, 200);
    assert.equal((await sized(LARGE_LIMIT + 1)).status, 413);
    const { paths } = openApiDocument(endpoints);
    assert.match(JSON.stringify(paths?.['/large']?.post?.responses?.['413']), /more than 200000 bytes/);
    assert.doesNotMatch(JSON.stringify(paths?.['/anything']?.post?.responses?.['413']), /\d{3,} bytes/);
  });

  it('a declared length that never comes is cut off', async () => {
    const answer = await raw(
      impatient.port,
      'POST /anything HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a":',
    );
    assert.match(answer, /^HTTP\/1\.1 408 /);
    assert.match(answer, /"code":"request_timeout"/);
  });

  it('nor does it help to go on sending, byte by byte', async () => {
    const closed = once(impatient.server, 'connection').then(([socket]) => once(socket, 'close'));
    const client = connect({ port: impatient.port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    client.write(
      'POST /anything HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    const sending = setInterval(() => client.write(' '), 200).unref();
    await closed;
    clearInterval(sending);
    client.destroy();
  });

  it('an answer that is not read is dropped', async () => {
    const big = endpoint({
      method: 'get',
      path: '/big',
      operationId: 'getBig',
      summary: 'More than a socket holds',
      tags: [],
      auth: 'none',
      content: { 'text/plain': 'Much' },
      handler: async () => new ContentResponse('text/plain', 'x'.repeat(50_000_000)),
    });
    const brief = await startApi([big], { server: { idleTimeoutMs: 200 } });
    const closed = once(brief.server, 'connection').then(([socket]) => once(socket, 'close'));
    const client = connect(brief.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET /big HTTP/1.1\r\nHost: x\r\n\r\n');
    client.pause();
    await closed;
    client.destroy();
    await brief.stop();
  });

  it('an unknown Expect header is ignored', async () => {
    const reply = await send(`${api.url}/texts/a`, { headers: { expect: 'cookies' } });
    assert.equal(reply.status, 200);
  });

  it('paths are case-sensitive, as in the proxies in front', async () => {
    assert.equal((await send(`${api.url}/Texts/a`)).status, 404);
    assert.equal((await send(`${api.url}/texts/A`)).json.text, 'A');
  });

  it('headers that never end are cut off', async () => {
    const answer = await raw(impatient.port, 'GET /texts/a HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    assert.match(answer, /^HTTP\/1\.1 408 /);
  });

  it('what is not HTTP gets a 400, headers without end a 431', async () => {
    const notHttp = await raw(api.port, 'HELLO\r\n\r\n');
    assert.match(notHttp, /^HTTP\/1\.1 400 [^]*"code":"bad_request"/);
    assert.match(notHttp, /\r\nContent-Security-Policy: default-src 'none'/);
    assert.match(
      await raw(api.port, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`),
      /^HTTP\/1\.1 431 /,
    );
    assert.match(
      await raw(
        api.port,
        'POST /anything HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
      /^HTTP\/1\.1 400 /,
    );
  });

  it('__proto__ is refused at any depth and pollutes nothing', async () => {
    for (const body of [
      '{"__proto__":{"polluted":true}}',
      '{"a":{"__proto__":{"polluted":true}}}',
      '{"a":[{"\\u005f_proto__":1}]}',
    ]) {
      const reply = await post(body);
      assert.equal(reply.status, 422);
      assert.equal(reply.json.detail[0].type, 'extra_forbidden');
      assert.equal(reply.json.detail[0].loc.at(-1), '__proto__');
    }
    assert.equal('polluted' in {}, false);
    assert.equal((await post('{"constructor":{"prototype":{"polluted":true}}}')).status, 200);
    assert.equal('polluted' in {}, false);
  });

  it('nesting has a limit', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `{"a":${open.repeat(5_000)}1${close.repeat(5_000)}}`;
      const reply = await post(deep);
      assert.equal(reply.status, 422);
      assert.equal(reply.json.detail[0].type, 'json_invalid');
    }
    assert.equal((await post(`{"a":${'['.repeat(50)}${']'.repeat(50)}}`)).status, 200);
  });

  it('huge numbers stay numbers or are refused', async () => {
    assert.equal((await post(`{"a":1e400,"b":${'9'.repeat(5_000)}}`)).status, 200);
  });

  it('null characters and lone surrogates are refused in values and keys, wherever they come in', async () => {
    for (const body of [
      '{"a":"x\\u0000y"}',
      '{"a":["\\ud800"]}',
      '{"a\\u0000":1}',
      '{"\\udfff":1}',
      '{"a":{"b":"\\udc00\\ud800"}}',
    ]) {
      const reply = await post(body);
      assert.equal(reply.status, 422, body);
      assert.equal(reply.json.detail[0].type, 'string_unicode');
    }
    assert.deepEqual(handled, []);
    for (const path of ['/texts/a%00b', '/texts/a?q=%00', '/texts/a?qs=x&qs=%00y']) {
      const reply = await send(`${api.url}${path}`);
      assert.equal(reply.status, 422, path);
      assert.equal(reply.json.detail[0].type, 'string_unicode');
      assert.equal(reply.json.detail.length, 1);
    }
    assert.equal((await post('{"a":"\\ud83d\\ude00"}')).status, 200);
    const deep = await post('{"a":[{"b":["\\ud800"]}]}');
    assert.deepEqual(deep.json.detail[0].loc, ['body', 'a', 0, 'b', 0]);
    const many = await post(JSON.stringify({ a: Array(500).fill('\0') }));
    assert.equal(many.json.detail.length, 100);
  });

  it('paths and queries that cannot be decoded are taken as they are', async () => {
    for (const path of ['/texts/%ff', '/texts/%zz', '/texts/a?q=%ff%zz', '/texts/%2e%2e%2f']) {
      const { status } = await send(`${api.url}${path}`);
      assert.ok(status === 200 || status === 422, `${path}: ${status}`);
    }
  });

  it('a request id is accepted when it is a plain word and replaced when not', async () => {
    const plain = await send(`${api.url}/texts/a`, { headers: { 'x-request-id': 'job-7.a_b' } });
    assert.equal(plain.headers['x-request-id'], 'job-7.a_b');
    for (const id of ['a b', 'x'.repeat(65), '<script>', 'a;b', '{"a":1}']) {
      const reply = await send(`${api.url}/texts/a`, { headers: { 'x-request-id': id } });
      assert.match(String(reply.headers['x-request-id']), /^[0-9a-f-]{36}$/);
    }
  });

  it('still answers after all of it', async () => {
    assert.equal((await send(`${api.url}/texts/a?q=b`)).json.q, 'b');
  });
});
