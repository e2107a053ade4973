import assert from 'node:assert/strict';
import { Router } from '@koa/router';
import Koa from 'koa';
import { after, before, describe, it } from 'mocha';
import { z } from 'zod';
import { mountsOf } from '../../src/app.ts';
import type { ApiDeps } from '../../src/http/deps.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import type { Room } from '../../src/room.ts';
import { knownKeys, send, startApi, type TestApi } from './support/api.ts';

/** As somebody else would write it, knowing nothing of ours. */
function guestApp(name: string): Koa {
  const app = new Koa();
  const router = new Router();
  router.get('/', (ctx) => void (ctx.body = { name, url: ctx.originalUrl, path: ctx.path, at: ctx['mountPath'] }));
  router.get('/page', (ctx) => {
    ctx.set('Content-Security-Policy', "default-src 'self'");
    ctx.body = '<!doctype html>';
  });
  router.get('/teapot', (ctx) => ctx.throw(418, 'short and stout'));
  router.get('/broken', () => {
    throw new Error('a secret of the guest');
  });
  router.post('/echo', async (ctx) => {
    ctx.body = await Array.fromAsync(ctx.req, String);
  });
  app.use(async (ctx, next) => {
    await next();
    ctx.set('X-Guest', 'yes');
  });
  app.use(router.routes());
  return app;
}

const declare = (path: string) =>
  endpoint({
    method: 'get',
    path,
    operationId: path,
    summary: path,
    tags: ['Test'],
    auth: 'none',
    response: z.object({ ours: z.literal(path) }).meta({ id: path.replaceAll('/', '') }),
    handler: async () => ({ ours: path }),
  });

const room = {
  name: 'guests',
  endpoints: [declare('/own'), declare('/guest/.well-known/own')],
  mounts: [{ prefix: '/guest', app: ({ config }: ApiDeps) => guestApp(String(config.rateLimit)) }],
} satisfies Room;

describe('a mounted application', () => {
  const env = { CASEBOOK_RATE_LIMIT: '20', CASEBOOK_BODY_LIMIT_BYTES: '100' };
  let api: TestApi;
  before(async () => {
    api = await startApi(room.endpoints, { env, mounts: mountsOf([room]), authenticator: knownKeys({ key: {} }) });
  });
  after(() => api.stop());

  it('is made with what endpoints have, and answers what no endpoint does on its path and below', async () => {
    const at = (url: string, path: string) => ({ name: '20', url, path, at: '/guest' });
    assert.deepEqual((await send(`${api.url}/guest`)).json, at('/guest', '/'));
    assert.deepEqual((await send(`${api.url}/guest/?a=1`)).json, at('/guest/?a=1', '/'));
    const own = await send(`${api.url}/guest/.well-known/own`);
    assert.deepEqual([own.json, own.headers['x-guest']], [{ ours: '/guest/.well-known/own' }, undefined]);
    const unknown = await send(`${api.url}/guest/unknown`);
    assert.deepEqual([unknown.status, unknown.text, unknown.headers['x-guest']], [404, 'Not Found', 'yes']);
  });

  it('leaves every other path to the API', async () => {
    assert.deepEqual((await send(`${api.url}/own`)).json, { ours: '/own' });
    for (const path of ['/guests', '/Guest', '/own/guest']) {
      const { status, json, headers } = await send(api.url + path);
      assert.deepEqual([status, json.code, headers['x-guest']], [404, 'not_found', undefined]);
    }
  });

  it('has the headers of the API, which a page of its own may replace', async () => {
    for (const path of ['/guest', '/guest/unknown', '/guest/teapot', '/guest/broken']) {
      const { headers } = await send(api.url + path);
      assert.equal(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'", path);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['x-request-id']), /^\S+$/);
    }
    assert.equal((await send(`${api.url}/guest/page`)).headers['content-security-policy'], "default-src 'self'");
  });

  it('may throw as in Koa: what is for the client reaches it, and a defect stays in the log', async () => {
    const teapot = await send(`${api.url}/guest/teapot`);
    assert.deepEqual([teapot.status, teapot.json.detail], [418, 'short and stout']);
    const broken = await send(`${api.url}/guest/broken`);
    assert.deepEqual([broken.status, broken.json.code, broken.text.includes('secret')], [500, 'internal_error', false]);
  });

  it('gets bodies up to the limit, and none of unknown length', async () => {
    const post = (body: string, headers = {}) => send(`${api.url}/guest/echo`, { method: 'POST', headers, body });
    assert.deepEqual((await post('x'.repeat(100))).json, ['x'.repeat(100)]);
    assert.equal((await post('x'.repeat(101))).status, 413);
    assert.equal((await post('x', { 'transfer-encoding': 'chunked' })).status, 411);
  });

  it('is limited by address, whatever key comes along', async () => {
    const fresh = await startApi(room.endpoints, { env, mounts: mountsOf([room]) });
    try {
      const get = (at: number) => send(`${fresh.url}/guest`, { headers: { 'x-api-key': `key-${at}` } });
      const statuses: number[] = [];
      for (let at = 0; at < 21; at++) statuses.push((await get(at)).status);
      assert.deepEqual([statuses.slice(0, 20).every((status) => status === 200), statuses[20]], [true, 429]);
      assert.equal((await send(`${fresh.url}/own`)).status, 429, 'the same address');
    } finally {
      await fresh.stop();
    }
  });

  it('has a path as its prefix', async () => {
    for (const prefix of ['', '/', 'guest', '/guest/'])
      await assert.rejects(startApi([], { mounts: [{ prefix, app: () => new Koa() }] }), TypeError);
  });
});
