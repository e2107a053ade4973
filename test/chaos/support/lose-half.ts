/** Two APIs and two workers, of which one each die while chats are answered. */
import assert from 'node:assert/strict';
import { checkAnswered, playChats, startHeldChat, type ChatPlace } from '../../support/chat-cases.ts';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { questionOf } from '../../features/chats/script.ts';

const CHATS = 6;

export const startTwoOfEach = (env: Record<string, string> = {}): Promise<Cluster> =>
  startCluster({ script: playChats, apis: 2, workers: 2, env });

/** Streams go on at what stays, turns are taken over, and nothing but what was cut off is asked again. */
export async function loseHalf({ apis, workers, model, apiKey }: Cluster): Promise<void> {
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
  const chats = await Promise.all(places.map((place, n) => startHeldChat(place, `chat-${n}`)));

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
