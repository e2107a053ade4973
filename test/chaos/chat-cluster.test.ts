/** Several API processes and workers at once: a stream that begins on one goes on on the other. */
import assert from 'node:assert/strict';
import { checkAnswered, playChats, startHeldChat, type ChatPlace } from '../support/chat-cases.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { questionOf } from '../features/chats/script.ts';

const CHATS = 6;

describe('two APIs and two workers @never-forgiven', () => {
  const redis: TestRedis[] = [];
  const clusters = new Map<string, Cluster>();

  before(async () => {
    const start = (env: Record<string, string> = {}): Promise<Cluster> =>
      startCluster({ script: playChats, apis: 2, workers: 2, env });
    clusters.set('PostgreSQL', await start());
    redis.push(await startRedis());
    clusters.set('Redis', await start({ REDIS_URL: redis[0]!.url }));
  });
  after(async () => {
    await Promise.all([...clusters.values()].map((cluster) => cluster.stop()));
    await Promise.all(redis.map((server) => server.stop()));
  });

  it('one API and one worker die: their streams go on at the other, their turns are taken over', async () => {
    // With either event log; most of it is waiting, which both do at once.
    const runs = [...clusters].map(([log, cluster]) =>
      loseHalf(cluster, log.toLowerCase()).catch((error: unknown) => {
        throw new Error(`With the event log in ${log}`, { cause: error });
      }),
    );
    await Promise.allSettled(runs);
    await Promise.all(runs);
  });
});

async function loseHalf({ apis, workers, model, apiKey }: Cluster, prefix: string): Promise<void> {
  const [dying, staying] = apis;
  assert.ok(dying && staying);
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(staying.url + path, { headers: { 'x-api-key': apiKey } });
    return (await response.json()) as T;
  };
  const moves = (connections: number): string => (connections === 0 ? dying : staying).url;
  const stays = (): string => staying.url;
  const places: ChatPlace[] = Array.from({ length: CHATS }, (_, n) => {
    const [asker, watcher] = n % 2 === 0 ? [moves, stays] : [stays, moves];
    return { model, apiKey, get, urls: { asker, watcher, replay: stays } };
  });
  const chats = await Promise.all(places.map((place, n) => startHeldChat(place, `${prefix}-${n}`)));

  await Promise.all([dying.kill(), workers[0]!.kill()]);
  // The model hears of closed connections before it answers a request that comes after.
  await fetch(`${model.url}/_requests`);
  for (const chat of chats) chat.release();
  for (const [n, chat] of chats.entries()) {
    await checkAnswered(places[n]!, chat);
    const { asker, watcher } = chat;
    const [moved, stayed] = n % 2 === 0 ? [asker, watcher] : [watcher, asker];
    assert.deepEqual([moved.connections, stayed.connections], [[dying.url, staying.url], [staying.url]]);
    // Asked again for what the dead worker was being told, and for nothing else.
    const cutOff = model.requests.filter(({ body, aborted }) => aborted && questionOf(body).name === chat.name);
    assert.deepEqual(chat.asked(), [1, 1 + cutOff.length]);
    assert.equal(chat.answered(), 2);
  }
}
