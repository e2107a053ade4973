import { startRedis, type TestRedis } from '../../test/support/redis.ts';

/** Measures on a Redis of its own where Redis is installed, and says so where it is not. */
export async function withRedis<T>(
  { say }: { say(line: string): void },
  work: (redis: TestRedis) => Promise<T>,
): Promise<T | undefined> {
  let redis: TestRedis;
  try {
    redis = await startRedis('always');
  } catch (error) {
    say(`not measured on Redis: ${String(error)}`);
    return undefined;
  }
  try {
    return await work(redis);
  } finally {
    await redis.stop();
  }
}
