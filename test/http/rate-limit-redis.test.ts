import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { after, before, describe, it } from 'mocha';
import { TooManyRequests } from '../../src/http/errors.ts';
import { createFailedAuthLimiter } from '../../src/http/rate-limit/failed-auth.ts';
import { memoryRateLimiter } from '../../src/http/rate-limit/memory.ts';
import { redisRateLimiter } from '../../src/http/rate-limit/redis.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { ManualClock, recordedLog } from './support/api.ts';

describe('rate limit in Redis', () => {
  let server: TestRedis;
  const clients: Redis[] = [];
  before(async () => {
    server = await startRedis();
  });
  after(async () => {
    for (const client of clients) client.disconnect();
    await server.stop();
  });

  const limiter = (limit: number, prefix: string) => {
    const redis = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => 20 });
    redis.on('error', () => undefined);
    clients.push(redis);
    const { log, lines } = recordedLog();
    return {
      lines,
      redis,
      limiter: redisRateLimiter({ redis, limit, prefix, fallback: memoryRateLimiter(limit, new ManualClock()), log }),
    };
  };

  it('is one limit for all processes, also when they ask at once', async () => {
    const [a, b] = [limiter(5, 'shared').limiter, limiter(5, 'shared').limiter];
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => Promise.resolve((i % 2 ? a : b).take('key'))),
    );
    assert.equal(verdicts.filter((verdict) => verdict?.allowed).length, 5);
    const refused = await a.take('key');
    assert.ok(refused);
    assert.equal(refused.allowed, false);
    assert.equal(refused.remaining, 0);
    assert.ok(refused.retryAfterSeconds > 0 && refused.retryAfterSeconds <= 12);
    assert.ok(refused.resetSeconds > 48 && refused.resetSeconds <= 60);
    assert.equal((await a.take('another key'))?.allowed, true);
  });

  it('takes back what shall not count, and forgets keys by itself', async () => {
    const { limiter: one, redis } = limiter(2, 'back');
    await one.giveBack('key');
    for (let i = 0; i < 5; i++) {
      assert.equal((await one.take('key'))?.remaining, 1);
      await one.giveBack('key');
    }
    assert.equal(await redis.exists('back:key'), 0);
    for (const allowed of [true, true, false]) assert.equal((await one.take('key'))?.allowed, allowed);
    await one.giveBack('key');
    for (const allowed of [true, false]) assert.equal((await one.take('key'))?.allowed, allowed);
    const left = await redis.pttl('back:key');
    assert.ok(left > 50_000 && left <= 60_000);
  });

  it('lets no more guesses through than its limit, in several processes at once', async () => {
    const processes = [limiter(20, 'guesses'), limiter(20, 'guesses')].map((one) =>
      createFailedAuthLimiter(one.limiter),
    );
    let lookedUp = 0;
    const guesses = Array.from({ length: 400 }, (_, i) =>
      processes[i % 2]!.attempt('address', async () => {
        lookedUp++;
        await setImmediate();
      }).then(
        () => 401,
        (error: unknown) => (error instanceof TooManyRequests ? 429 : error),
      ),
    );
    const answers = await Promise.all(guesses);
    assert.equal(lookedUp, 20);
    assert.equal(answers.filter((answer) => answer === 401).length, 20);
    assert.equal(answers.filter((answer) => answer === 429).length, 380);
  });

  it('falls back to the process when Redis is gone, and logs it once', async () => {
    const { limiter: one, lines } = limiter(2, 'gone');
    assert.equal((await one.take('key'))?.remaining, 1);
    await server.kill();
    const verdicts = [await one.take('key'), await one.take('key'), await one.take('key')];
    assert.deepEqual(
      verdicts.map((verdict) => verdict?.allowed),
      [true, true, false],
    );
    assert.equal(lines.length, 1);
    await server.start();
  });
});
