import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { Conflict, DependencyDown, NotFound } from '../../src/http/errors.ts';
import { send, sendJson, startApi, type TestApi } from './support/api.ts';

const failing = (path: string, error: () => unknown) =>
  endpoint({
    method: 'get',
    path,
    operationId: path.slice(1),
    summary: 'Fails',
    tags: [],
    auth: 'none',
    response: z.object({}),
    handler: async () => {
      throw error();
    },
  });

const endpoints = [
  failing('/missing', () => new NotFound('Case not found.')),
  failing('/conflict', () => new Conflict('Twice.', 'already_there', { fields: { existing: 'x' } })),
  failing('/down', () => new DependencyDown('Temporal does not answer.')),
  failing('/defect', () => new Error('the password is hunter2')),
  failing('/not-an-error', () => 'text'),
  failing('/refused', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' });
    return new Error('query failed', { cause: refused });
  }),
  endpoint({
    method: 'get',
    path: '/leaky',
    operationId: 'leaky',
    summary: 'Returns more than it declares',
    tags: [],
    auth: 'none',
    response: z.object({ id: z.string(), inner: z.object({ name: z.string() }) }),
    handler: async () => ({ id: '1', inner: { name: 'n', secret: 's' }, secret: 's' }),
  }),
  endpoint({
    method: 'get',
    path: '/wrong',
    operationId: 'wrong',
    summary: 'Returns what it does not declare',
    tags: [],
    auth: 'none',
    response: z.object({ id: z.string() }),
    handler: async () => ({ id: JSON.parse('7') }),
  }),
  endpoint({
    method: 'post',
    path: '/both',
    operationId: 'postBoth',
    summary: 'Post',
    tags: [],
    auth: 'none',
    response: z.object({}),
    handler: async () => ({}),
  }),
  endpoint({
    method: 'get',
    path: '/things/{id}',
    operationId: 'getThing',
    summary: 'By id',
    tags: [],
    auth: 'none',
    params: z.object({ id: z.string() }),
    response: z.object({ id: z.string() }),
    handler: async ({ params }) => params,
  }),
  endpoint({
    method: 'get',
    path: '/things/list',
    operationId: 'listThings',
    summary: 'Fixed path, declared after the one with a parameter',
    tags: [],
    auth: 'none',
    response: z.object({ list: z.boolean() }),
    handler: async () => ({ list: true }),
  }),
];

describe('errors', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi(endpoints);
  });
  after(() => api.stop());

  it('that are typed answer with their status, detail and code', async () => {
    const missing = await send(`${api.url}/missing`);
    assert.equal(missing.status, 404);
    assert.deepEqual(missing.json, { detail: 'Case not found.', code: 'not_found' });
    const conflict = await send(`${api.url}/conflict`);
    assert.equal(conflict.status, 409);
    assert.deepEqual(conflict.json, { detail: 'Twice.', code: 'already_there', existing: 'x' });
    const down = await send(`${api.url}/down`);
    assert.equal(down.status, 503);
    assert.equal(down.json.code, 'dependency_down');
    assert.ok(Number(down.headers['retry-after']) > 0);
  });

  for (const path of ['/defect', '/not-an-error']) {
    it(`that nobody expected are 500 with an id that is in the log once (${path})`, async () => {
      const reply = await send(`${api.url}${path}`, { headers: { 'x-request-id': `request${path.slice(1)}` } });
      assert.equal(reply.status, 500);
      assert.equal(reply.json.code, 'internal_error');
      assert.ok(!reply.text.includes('hunter2'));
      const lines = api.lines.filter(({ errorId }) => errorId === reply.json.error_id);
      assert.equal(lines.length, 1);
      assert.equal(lines[0]!['requestId'], `request${path.slice(1)}`);
    });
  }

  it('of a connection are 503 and reveal no address', async () => {
    const reply = await send(`${api.url}/refused`);
    assert.equal(reply.status, 503);
    assert.ok(!reply.text.includes('10.0.0.7'));
    assert.ok(api.lines.some((line) => JSON.stringify(line).includes('10.0.0.7')));
  });

  it('unknown paths are 404, known ones with another method 405 with Allow', async () => {
    const unknown = await send(`${api.url}/nothing`);
    assert.equal(unknown.status, 404);
    assert.equal(unknown.json.code, 'not_found');
    const other = await sendJson(`${api.url}/things/1`, {}, { method: 'PUT' });
    assert.equal(other.status, 405);
    assert.equal(other.json.code, 'method_not_allowed');
    assert.equal(other.headers.allow, 'GET, HEAD');
    const options = await send(`${api.url}/both`, { method: 'OPTIONS' });
    assert.equal(options.status, 200);
    assert.equal(options.headers.allow, 'POST, OPTIONS');
    assert.equal((await send(`${api.url}/things/1`, { method: 'PROPFIND' })).status, 405);
  });

  it('a fixed path wins over a parameter', async () => {
    assert.deepEqual((await send(`${api.url}/things/list`)).json, { list: true });
    assert.deepEqual((await send(`${api.url}/things/other`)).json, { id: 'other' });
  });

  it('HEAD answers like GET without a body', async () => {
    const reply = await send(`${api.url}/things/1`, { method: 'HEAD' });
    assert.equal(reply.status, 200);
    assert.equal(reply.text, '');
  });

  it('responses hold what is declared and nothing else', async () => {
    assert.deepEqual((await send(`${api.url}/leaky`)).json, { id: '1', inner: { name: 'n' } });
  });

  it('a response that breaks its declaration is a logged 500', async () => {
    const reply = await send(`${api.url}/wrong`);
    assert.equal(reply.status, 500);
    assert.ok(api.lines.some((line) => JSON.stringify(line).includes('wrong returned what its response schema')));
  });

  it('have the security headers and a request id too', async () => {
    for (const path of ['/things/1', '/missing', '/defect', '/nothing']) {
      const { headers } = await send(`${api.url}${path}`);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/);
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['cache-control'], 'no-store');
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
      assert.equal(headers['x-powered-by'], undefined);
    }
  });

  it('declarations that are incomplete do not start', async () => {
    const incomplete = endpoint({
      method: 'get',
      path: '/a/{id}',
      operationId: 'a',
      summary: 'a',
      tags: [],
      auth: 'none',
      response: z.object({}),
      handler: async () => ({}),
    });
    await assert.rejects(startApi([incomplete]), /does not declare its path parameters: id/);
  });
});

describe('CORS', () => {
  const origins = async (env: Record<string, string>) => {
    const api = await startApi(endpoints, { env });
    const from = (origin: string) => send(`${api.url}/things/1`, { headers: { origin } });
    const preflight = await send(`${api.url}/both`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    const [known, unknown] = [await from('https://app.example'), await from('https://evil.example')];
    const failed = await send(`${api.url}/missing`, { headers: { origin: 'https://app.example' } });
    await api.stop();
    return { known, unknown, failed, preflight };
  };

  it('is off without origins', async () => {
    const { known, preflight } = await origins({});
    assert.equal(known.headers['access-control-allow-origin'], undefined);
    assert.equal(preflight.headers['access-control-allow-origin'], undefined);
  });

  it('lets the configured origins in, for errors too, and no other', async () => {
    const { known, unknown, failed, preflight } = await origins({ CASEBOOK_CORS_ORIGINS: 'https://app.example' });
    assert.equal(known.headers['access-control-allow-origin'], 'https://app.example');
    assert.equal(failed.status, 404);
    assert.equal(failed.headers['access-control-allow-origin'], 'https://app.example');
    assert.equal(unknown.headers['access-control-allow-origin'], undefined);
    assert.equal(known.headers['access-control-allow-credentials'], undefined);
    assert.equal(preflight.status, 204);
    assert.match(String(preflight.headers['access-control-allow-headers']), /X-API-Key/);
    assert.match(String(preflight.headers['content-security-policy']), /default-src 'none'/);
    assert.match(String(known.headers.vary), /Origin/i);
  });

  it('takes an origin with a slash at its end, and "*" for all', async () => {
    const slash = await origins({ CASEBOOK_CORS_ORIGINS: 'https://app.example/, https://other.example' });
    assert.equal(slash.known.headers['access-control-allow-origin'], 'https://app.example');
    assert.equal(slash.unknown.headers['access-control-allow-origin'], undefined);
    const any = await origins({ CASEBOOK_CORS_ORIGINS: '*' });
    assert.equal(any.unknown.headers['access-control-allow-origin'], '*');
    assert.equal(any.unknown.headers['access-control-allow-credentials'], undefined);
  });
});
