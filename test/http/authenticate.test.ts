import assert from 'node:assert/strict';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { z } from 'zod';
import { apiKey, apiKeyVia, grants } from '../../src/http/authenticate.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { TooManyRequests } from '../../src/http/errors.ts';
import { createFailedAuthLimiter } from '../../src/http/rate-limit/failed-auth.ts';
import { memoryRateLimiter } from '../../src/http/rate-limit/memory.ts';
import { knownKeys, ManualClock, send, sendJson, startApi, type TestApi } from './support/api.ts';

const principal = z.object({ team: z.string() });
const get = (path: string, auth: ReturnType<typeof apiKey>) =>
  endpoint({
    method: 'get',
    path,
    operationId: path.slice(1),
    summary: path,
    tags: [],
    auth,
    response: principal,
    handler: async ({ principal: { teamId } }) => ({ team: teamId }),
  });

const endpoints = [
  get('/any', apiKey()),
  get('/read', apiKey('investigations:read')),
  get('/header', apiKeyVia('x-api-key')),
  get('/bearer', apiKeyVia('bearer')),
  endpoint({
    method: 'post',
    path: '/write',
    operationId: 'write',
    summary: 'write',
    tags: [],
    auth: apiKey('investigations:write'),
    body: z.object({ name: z.string() }),
    response: z.object({}),
    handler: async () => ({}),
  }),
];

describe('authentication', () => {
  const authenticator = knownKeys({
    'key-of-a': { teamId: 'a', scopes: ['investigations:read'] },
    'key-of-b': { teamId: 'b', scopes: ['team:admin'] },
  });
  let api: TestApi;
  before(async () => {
    api = await startApi(endpoints, { authenticator, env: { CASEBOOK_RATE_LIMIT: '100000' } });
  });
  after(() => api.stop());

  const ask = (path: string, headers: Record<string, string>) => send(`${api.url}${path}`, { headers });

  it('takes the key from X-API-Key or from Authorization', async () => {
    assert.deepEqual((await ask('/any', { 'x-api-key': 'key-of-a' })).json, { team: 'a' });
    assert.deepEqual((await ask('/any', { authorization: 'Bearer key-of-b' })).json, { team: 'b' });
    assert.deepEqual((await ask('/any', { authorization: 'bearer key-of-b' })).json, { team: 'b' });
    assert.equal((await ask('/any', { authorization: 'Bearer key-of-a', 'x-api-key': 'key-of-a' })).status, 200);
  });

  it('takes it only from the header an endpoint names', async () => {
    assert.equal((await ask('/header', { 'x-api-key': 'key-of-a' })).status, 200);
    assert.equal((await ask('/header', { authorization: 'Bearer key-of-a' })).status, 401);
    assert.equal((await ask('/bearer', { authorization: 'Bearer key-of-a' })).status, 200);
    assert.equal((await ask('/bearer', { 'x-api-key': 'key-of-a' })).status, 401);
  });

  for (const [name, headers] of [
    ['no key', {}],
    ['an unknown key', { 'x-api-key': 'nobody' }],
    ['an empty key', { 'x-api-key': '' }],
    ['another scheme', { authorization: 'Basic a2V5LW9mLWE6' }],
    ['a bare key', { authorization: 'key-of-a' }],
    ['a key with more behind it', { authorization: 'Bearer key-of-a key-of-b' }],
    ['two different keys', { authorization: 'Bearer key-of-a', 'x-api-key': 'key-of-b' }],
    ['a name of Object.prototype', { 'x-api-key': 'constructor' }],
    ['a very long key', { 'x-api-key': 'k'.repeat(8_000) }],
  ] as [string, Record<string, string>][]) {
    it(`refuses ${name} with 401`, async () => {
      const reply = await ask('/any', headers);
      assert.equal(reply.status, 401);
      assert.equal(reply.json.code, 'unauthorized');
      assert.match(String(reply.headers['www-authenticate']), /^Bearer realm="casebook"/);
      assert.deepEqual(Object.keys(reply.json).toSorted(), ['code', 'detail']);
    });
  }

  it('comes before validation', async () => {
    assert.equal((await sendJson(`${api.url}/write`, { name: 3 })).status, 401);
  });

  it('refuses a key without the scope with 403', async () => {
    const reply = await sendJson(`${api.url}/write`, { name: 'n' }, { headers: { 'x-api-key': 'key-of-a' } });
    assert.equal(reply.status, 403);
    assert.equal(reply.json.code, 'insufficient_scope');
    assert.match(String(reply.headers['www-authenticate']), /error="insufficient_scope", scope="investigations:write"/);
    assert.equal((await ask('/read', { 'x-api-key': 'key-of-b' })).status, 200);
  });

  it('knows what scopes include', () => {
    assert.ok(grants(['team:admin'], 'investigations:write'));
    assert.ok(!grants(['team:admin'], 'system:admin'));
    assert.ok(grants(['system:admin'], 'team:admin'));
    assert.ok(!grants(['investigations:write'], 'investigations:read'));
    assert.ok(!grants([], 'team:read'));
  });
});

describe('failed authentications', () => {
  it('of one address are limited, without locking out a key that was good before', async () => {
    const clock = new ManualClock();
    const known = knownKeys({ good: {} });
    const recent = new Set<string>();
    const authenticator = {
      cached: () => undefined,
      recognises: (key: string) => recent.has(key),
      expiredAt: () => undefined,
      verify: async (key: string) => {
        const found = await known.verify(key, 'key');
        if (found) recent.add(key);
        return found;
      },
    };
    const api = await startApi(endpoints, { clock, authenticator, env: { CASEBOOK_RATE_LIMIT: '100' } });
    const ask = (key: string) => send(`${api.url}/any`, { headers: { 'x-api-key': key } });
    try {
      assert.equal((await ask('good')).status, 200);
      for (let i = 0; i < 10; i++) assert.equal((await ask(`guess-${i}`)).status, 401);
      const limited = await ask('guess-11');
      assert.equal(limited.status, 429);
      assert.equal(limited.headers['retry-after'], '6');
      assert.equal(known.verified.includes('guess-11'), false);
      assert.equal((await ask('good')).status, 200);
      clock.advance(6_000);
      assert.equal((await ask('guess-12')).status, 401);
      assert.equal((await ask('guess-13')).status, 429);
    } finally {
      await api.stop();
    }
  });

  it('pass the limit no more often in parallel than in sequence', async () => {
    const known = knownKeys({});
    // As long as a database takes: the others arrive meanwhile.
    const verify = async (key: string) => setTimeout(100).then(() => known.verify(key, 'key'));
    const api = await startApi(endpoints, {
      authenticator: { ...known, verify },
      env: { CASEBOOK_RATE_LIMIT: '100' },
    });
    try {
      const guess = (_: unknown, i: number) => send(`${api.url}/any`, { headers: { 'x-api-key': `guess-${i}` } });
      const replies = await Promise.all(Array.from({ length: 400 }, guess));
      const count = (status: number): number => replies.filter((reply) => reply.status === status).length;
      assert.deepEqual([count(401), count(429)], [10, 390]);
      assert.equal(known.verified.length, 10);
    } finally {
      await api.stop();
    }
  });

  it('are not counted until they have failed: valid keys and broken look-ups cost nothing', async () => {
    const limiter = createFailedAuthLimiter(memoryRateLimiter(10, new ManualClock()));
    const attempt = (lookUp: () => Promise<string | undefined>) =>
      limiter.attempt('address', () => setImmediate().then(lookUp)).catch((error: unknown) => error);
    const good = Array.from({ length: 300 }, () => attempt(async () => 'good'));
    assert.deepEqual(new Set(await Promise.all(good)), new Set(['good']));
    const broken = Array.from({ length: 30 }, () => attempt(() => Promise.reject(new Error('down'))));
    for (const error of await Promise.all(broken)) assert.match(String(error), /down/);
    const mixed = Array.from({ length: 60 }, (_, i) => attempt(async () => (i % 6 === 0 ? undefined : 'good')));
    const outcomes = await Promise.all(mixed);
    assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 10);
    assert.ok((await attempt(async () => 'good')) instanceof TooManyRequests);
  });
});
