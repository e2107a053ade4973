/**
 * `kill -9` in the middle of a streamed answer, of every process there is, with either event log: the answer is given,
 * and whoever follows it has it in the end as it is stored, without a gap and without a word twice.
 */
import assert from 'node:assert/strict';
import { waitUntil } from '../support/wait-until.ts';
import { chatTurnWorkflowId } from '../../src/features/chats/contract.ts';
import { ask } from '../features/chats/script.ts';
import { SdkChat } from '../support/chat-ai-sdk.ts';
import { mostAttemptsOn, withoutGivenUp } from '../support/given-up.ts';
import { checkAnswered, playChats, startHeldChat, type ChatPlace, type HeldChat } from '../support/chat-cases.ts';
import { startInstallation, type Installation } from '../support/installation/index.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

interface Place extends ChatPlace {
  installation: Installation;
  redis?: TestRedis;
}

async function startPlace(redis?: TestRedis): Promise<Place> {
  const env: Record<string, string> = redis ? { REDIS_URL: redis.url } : {};
  const installation = await startInstallation({ script: playChats, env });
  const { model, headers, apiUrl } = installation;
  const apiKey = headers['x-api-key']!;
  const url = (): string => apiUrl;
  const urls = { asker: url, watcher: url, replay: url };
  return { installation, redis, model, apiKey, urls, get: (path) => installation.get(path) };
}

/** Once for each step, or as often as given, and more only where Temporal gave the attempt up. */
async function checkAsked({ installation }: Place, chat: HeldChat, wanted = [1, 1]): Promise<void> {
  const workflowId = chatTurnWorkflowId(chat.turnId);
  const target = { address: installation.temporalAddress, namespace: 'default' };
  const { modelTurn } = await mostAttemptsOn(target, workflowId, 'modelTurn');
  assert.deepEqual(withoutGivenUp(chat.asked(), wanted, modelTurn), wanted);
  assert.equal(chat.answered(), 2);
}

describe('kill -9 in the middle of a chat’s answer @never-forgiven', () => {
  const places = new Map<string, Place>();

  before(async () => {
    await Promise.all([
      startPlace().then((place) => places.set('PostgreSQL', place)),
      startRedis().then(async (redis) => places.set('Redis', await startPlace(redis))),
    ]);
  });
  after(async () => {
    await Promise.all(
      [...places.values()].map(async ({ installation, redis }) => {
        await installation.stop();
        await redis?.stop();
      }),
    );
  });
  afterEach(async function () {
    for (const [log, { installation }] of places) {
      if (this.currentTest?.state === 'failed') console.error(`Event log in ${log}:\n${installation.errors()}`);
      await installation.untilReady();
    }
  });

  /** Most of each test is waiting, which both installations do at once. */
  const withEitherLog = (test: (place: Place) => Promise<void>) => async (): Promise<void> => {
    const runs = [...places].map(([log, place]) =>
      test(place).catch((error: unknown) => {
        throw new Error(`With the event log in ${log}`, { cause: error });
      }),
    );
    await Promise.allSettled(runs);
    await Promise.all(runs);
  };

  it(
    'the worker: only the answer that was cut off is asked for again, and may be another one',
    withEitherLog(async (place) => {
      const [same, other] = [await startHeldChat(place, 'worker-same'), await startHeldChat(place, 'worker-other')];
      await place.installation.kill('worker');
      await checkAnswered(place, same, 1);
      await checkAnswered(place, other, 1);
      for (const chat of [same, other]) {
        await checkAsked(place, chat, [1, 2]);
        assert.equal(chat.asker.connections.length, 1);
      }
      const resets = ({ asker, watcher }: HeldChat): number =>
        [asker, watcher]
          .flatMap(({ events }) => events)
          .filter(({ data }) => JSON.stringify(data).includes('reset-step')).length;
      assert.deepEqual([resets(same), resets(other)], [0, 2]);
    }),
  );

  it(
    'the API: clients come back to the next one',
    withEitherLog(async (place) => {
      const { installation } = place;
      const chat = await startHeldChat(place, 'api');
      const sdk = new SdkChat({ url: () => installation.apiUrl, apiKey: place.apiKey });
      const sending = sdk.sendMessage({ text: ask('api-sdk') });
      await sdk.shows('it is the pool');
      await installation.kill('api');
      // What is said while nobody can be told must be told afterwards.
      chat.release();
      await sending;
      assert.equal(sdk.finishes[0]?.isDisconnect, true);
      await checkAnswered(place, chat);
      await checkAsked(place, chat);
      assert.deepEqual([chat.asker.connections.length, chat.watcher.connections.length], [2, 2]);

      const resuming = sdk.resumeStream();
      await sdk.shows('it is the pool');
      installation.model.release('api-sdk');
      await resuming;
      const path = `/api/chat/${sdk.chatId}`;
      const { messages } = await place.get<{ messages: { turn: { text: string } | null }[] }>(path);
      assert.equal(sdk.status, 'ready', sdk.error?.message);
      assert.equal(sdk.text, messages.at(-1)?.turn?.text);
    }),
  );

  it(
    'PostgreSQL, while the rest of the answer comes',
    withEitherLog(async (place) => {
      const chat = await startHeldChat(place, 'postgres');
      await place.installation.kill('postgres');
      chat.release();
      await checkAnswered(place, chat);
      await checkAsked(place, chat);
    }),
  );

  it(
    'Temporal: what goes on in the worker is not lost',
    withEitherLog(async (place) => {
      const chat = await startHeldChat(place, 'temporal');
      await place.installation.kill('temporal');
      chat.release();
      await checkAnswered(place, chat);
      // Whether the worker could go on depends on how soon Temporal heard of it again.
      assert.equal(chat.asked()[0], 1);
      assert.ok(chat.asked()[1]! <= 2);
    }),
  );

  it('Redis, while the rest of the answer comes', async () => {
    const place = places.get('Redis')!;
    const chat = await startHeldChat(place, 'redis');
    await place.redis!.kill();
    chat.release();
    await waitUntil(() => chat.answered() === 2 || undefined, { what: 'the answer' });
    await place.redis!.start();
    await checkAnswered(place, chat);
    await checkAsked(place, chat);
  });

  it(
    'everything in the same moment',
    withEitherLog(async (place) => {
      const chat = await startHeldChat(place, 'everything-other');
      await Promise.all([place.installation.kill('worker', 'api', 'postgres', 'temporal'), place.redis?.kill()]);
      await place.redis?.start();
      await checkAnswered(place, chat, 1);
      await checkAsked(place, chat, [1, 2]);
    }),
  );
});
