/** {@link loseHalf} with the event log in Redis. */
import type { Cluster } from '../support/cluster.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { loseHalf, startTwoOfEach } from './support/lose-half.ts';

describe('two APIs and two workers with Redis @never-forgiven', () => {
  let redis: TestRedis;
  let cluster: Cluster;
  before(async () => {
    redis = await startRedis();
    cluster = await startTwoOfEach({ REDIS_URL: redis.url });
  });
  after(async () => {
    await cluster?.stop();
    await redis?.stop();
  });

  it('one API and one worker die: their streams go on at the other, their turns are taken over', () =>
    loseHalf(cluster));
});
