/** The server of the event log dies while a satellite works on a query. */
import assert from 'node:assert/strict';
import { waitUntil } from '../../support/wait-until.ts';
import type { Place } from '../support/satellite-places.ts';
import { checkAnswered } from './check.ts';

export async function redisKilled(place: Place): Promise<void> {
  const { satellite, ask, askHeld, asked, held, redis, untilStatus } = place;
  const kept = await satellite('redis');
  await untilStatus(kept, 'online');
  const { answer } = await askHeld(kept, 'redis');
  await redis!.kill();
  held.release('redis');
  await kept.untilSaid('query');
  const refused = await ask(kept, 'redis-away');
  assert.equal(refused.status, 503, JSON.stringify(refused.json));
  assert.equal(asked('redis-away').length, 0);
  await untilStatus(kept, 'online');
  await redis!.start();
  checkAnswered(await answer);
  assert.equal(asked('redis').length, 1);
  held.release('redis-back');
  checkAnswered(await ask(kept, 'redis-back'));
  assert.equal(kept.log().filter(({ msg }) => msg === 'connected').length, 1);
}

export async function postgresKilled(place: Place): Promise<void> {
  const { satellite, ask, askHeld, asked, held, postgres, untilStatus } = place;
  const kept = await satellite('postgres');
  await untilStatus(kept, 'online');
  const { answer } = await askHeld(kept, 'postgres');
  const { pid } = postgres!;
  process.kill(pid!, 'SIGKILL');
  held.release('postgres');
  const reply = await answer;
  if (reply.status === 200) checkAnswered(reply);
  else assert.equal(reply.status, 503, JSON.stringify(reply.json));
  assert.equal(asked('postgres').length, 1);
  await waitUntil(() => (postgres!.pid !== undefined && postgres!.pid !== pid) || undefined, {
    what: 'PostgreSQL',
  });
  await untilStatus(kept, 'online');
  held.release('postgres-back');
  const next = await waitUntil(
    async () => {
      const { status, json } = await ask(kept, 'postgres-back');
      return status === 503 ? undefined : { status, json };
    },
    { what: 'an answer' },
  );
  checkAnswered(next);
}
