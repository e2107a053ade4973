import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { z } from 'zod';
import { apiKey } from '../../src/http/authenticate.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { gcra } from '../../src/http/rate-limit/gcra.ts';
import { memoryRateLimiter } from '../../src/http/rate-limit/memory.ts';
import { knownKeys, ManualClock, send, startApi } from './support/api.ts';

const declare = (path: string, rateLimited: boolean) =>
  endpoint({
    method: 'get',
    path,
    operationId: path.slice(1),
    summary: path,
    tags: [],
    auth: apiKey(),
    rateLimited,
    response: z.object({}),
    handler: async () => ({}),
  });

describe('rate limit', () => {
  it('lets a minute of requests through at once, then one per interval', () => {
    let tat: number | undefined;
    let allowed = 0;
    for (let i = 0; i < 100; i++) {
      const step = gcra(tat, 0, 7);
      tat = step.tat;
      if (step.verdict.allowed) allowed++;
    }
    assert.equal(allowed, 7);
    assert.equal(gcra(tat, 60_000 / 7 - 1, 7).verdict.allowed, false);
    assert.equal(gcra(tat, 60_000 / 7 + 1, 7).verdict.allowed, true);
    assert.equal(gcra(tat, 60_000, 7).verdict.remaining, 6);
  });

  it('never lets more than twice the limit through in any minute', () => {
    const clock = new ManualClock();
    const limiter = memoryRateLimiter(30, clock);
    const accepted: number[] = [];
    for (let second = 0; second < 300; second++) {
      for (let i = 0; i < 5; i++) {
        const verdict = limiter.take('k');
        assert.ok(verdict && !(verdict instanceof Promise));
        if (verdict.allowed) accepted.push(second);
      }
      clock.advance(1_000);
    }
    for (let from = 0; from < 240; from++) {
      assert.ok(accepted.filter((second) => second >= from && second < from + 60).length <= 60);
    }
    assert.ok(accepted.length >= 30 + 30 * 4);
  });

  it('answers 429 with the headers a client needs, for each key on its own', async () => {
    const clock = new ManualClock();
    const authenticator = knownKeys({ a: {}, b: {} });
    const api = await startApi([declare('/limited', true), declare('/free', false)], {
      clock,
      authenticator,
      env: { CASEBOOK_RATE_LIMIT: '3' },
    });
    const ask = (key: string, path = '/limited') => send(`${api.url}${path}`, { headers: { 'x-api-key': key } });
    try {
      for (const remaining of ['2', '1', '0']) {
        const reply = await ask('a');
        assert.equal(reply.status, 200);
        assert.equal(reply.headers['ratelimit-limit'], '3');
        assert.equal(reply.headers['ratelimit-remaining'], remaining);
      }
      const refused = await ask('a');
      assert.equal(refused.status, 429);
      assert.equal(refused.json.code, 'rate_limited');
      assert.equal(refused.headers['retry-after'], '20');
      assert.equal(refused.headers['ratelimit-remaining'], '0');
      assert.equal(refused.headers['ratelimit-reset'], '60');
      assert.equal((await ask('a', '/free')).status, 200);
      assert.equal((await ask('b')).status, 200);
      clock.advance(20_000);
      assert.equal((await ask('a')).status, 200);
      assert.equal((await ask('a')).status, 429);
    } finally {
      await api.stop();
    }
  });
});
