/** The API node that holds the satellite's connection ends, while the other one waits for an answer. */
import assert from 'node:assert/strict';
import type { Place } from '../support/satellite-places.ts';
import { checkAnswered } from './check.ts';

export async function killed(place: Place): Promise<void> {
  const { satellite, act, askHeld, untilHeld, asked, held, balancer, cluster, untilStatus } = place;
  const [first] = cluster.apis;
  const moved = await satellite('moved', { acting: true });
  const { answer: during } = await askHeld(moved, 'moved-during');
  const { answer: after } = await askHeld(moved, 'moved-after');
  const acted = act(moved, 'moved-acting');
  await untilHeld('moved-acting', acted);
  // One answer is complete before there is a connection again, the others after.
  balancer.refuse();
  await first!.kill();
  held.release('moved-during');
  await moved.untilSaid('query');
  balancer.accept();
  checkAnswered(await during);
  for (const gate of ['moved-after', 'moved-acting']) held.release(gate);
  checkAnswered(await after);
  const { status, json } = await acted;
  assert.equal(status, 200, JSON.stringify(json));
  for (const gate of ['moved-during', 'moved-after', 'moved-acting']) assert.equal(asked(gate).length, 1, gate);
  await untilStatus(moved, 'online');
  first!.start();
  await first!.untilReady();
}

export async function askedToEnd({ satellite, askHeld, asked, held, cluster }: Place): Promise<void> {
  const [first] = cluster.apis;
  const sent = await satellite('sent-away');
  const { answer } = await askHeld(sent, 'sent-away');
  await first!.terminate();
  const lost = await sent.untilSaid('not connected');
  assert.match(lost.reason!, /closed \(1012\): This node is stopping; reconnect/);
  await sent.untilSaid('connected', 2);
  assert.equal(sent.log().filter(({ msg }) => msg === 'not connected').length, 1);
  held.release('sent-away');
  checkAnswered(await answer);
  assert.equal(asked('sent-away').length, 1);
  first!.start();
  await first!.untilReady();
}
