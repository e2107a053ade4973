import assert from 'node:assert/strict';
import type { Context } from 'koa';
import { describe, it } from 'mocha';
import { z } from 'zod';
import { apiKey } from '../../src/http/authenticate.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { addressOf } from '../../src/http/rate-limit/limit.ts';
import { gcra, memoryRateLimiter } from '../../src/http/rate-limit/memory.ts';
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

  it('counts callers without a key by address, an IPv6 one by its network', () => {
    const at = (remoteAddress: string | undefined, ip = remoteAddress) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of the context is read
      addressOf({ ip, req: { socket: { remoteAddress } } } as Context);
    assert.equal(at('192.0.2.7'), '192.0.2.7');
    assert.equal(at('::ffff:192.0.2.7'), '192.0.2.7');
    assert.equal(at('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
    assert.equal(at('2001:db8:1:2:ffff::1'), at('2001:db8:1:2:3:4:5:6'));
    assert.equal(at('10.0.0.1', '198.51.100.9'), '198.51.100.9');
    assert.equal(at('10.0.0.1', 'unknown'), '10.0.0.1');
    assert.equal(at(undefined), 'unknown');
  });

  it('trusts X-Forwarded-For for the configured number of proxies only', async () => {
    const open = endpoint({
      ...declare('/open', true),
      auth: 'none',
      handler: async () => ({}),
      response: z.object({}),
    });
    for (const [proxies, forwarded, separate] of [
      ['0', ['192.0.2.1', '192.0.2.2'], false],
      ['1', ['192.0.2.1', '192.0.2.2'], true],
      ['1', ['192.0.2.1, 198.51.100.9', '192.0.2.2, 198.51.100.9'], false],
      ['2', ['192.0.2.1, 198.51.100.9', '192.0.2.2, 198.51.100.9'], true],
      ['1', ['not an address', 'nor this'], false],
    ] as const) {
      const env = { CASEBOOK_RATE_LIMIT: '1', CASEBOOK_TRUSTED_PROXIES: proxies };
      const api = await startApi([open], { env });
      const statuses: number[] = [];
      for (const address of forwarded) {
        statuses.push((await send(`${api.url}/open`, { headers: { 'x-forwarded-for': address } })).status);
      }
      await api.stop();
      assert.deepEqual(statuses, [200, separate ? 200 : 429], `${proxies} proxies, ${forwarded.join(' | ')}`);
    }
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
