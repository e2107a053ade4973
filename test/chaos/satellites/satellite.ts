/** The satellite itself is killed, frozen, or sent away, while it works on a query. */
import assert from 'node:assert/strict';
import { waitUntil } from '../../support/wait-until.ts';
import type { Place } from '../support/satellite-places.ts';
import { checkAnswered, checkOffline } from './check.ts';

export async function killedAndStartedAgain({ satellite, ask, askHeld, asked, held }: Place): Promise<void> {
  const killed = await satellite('killed');
  const { answer } = await askHeld(killed, 'killed');
  await killed.kill();
  killed.start();
  await waitUntil(() => asked('killed').length === 2 || undefined, { what: 'the second request' });
  // The answer may take its time: longer than another question that is given up meanwhile.
  const late = await ask(killed, 'killed-late', { timeoutSeconds: 1 });
  assert.equal(late.status, 504, JSON.stringify(late.json));
  held.release('killed');
  checkAnswered(await answer);
  assert.deepEqual(
    asked('killed').map(({ aborted }) => aborted),
    [true, false],
  );
}

export async function killedForGood({ satellite, ask, askHeld, asked, untilStatus }: Place): Promise<void> {
  const gone = await satellite('gone');
  // Long enough that the satellite is killed before it would say that its own time is over.
  const { answer } = await askHeld(gone, 'gone', { timeoutSeconds: 15 });
  const killedAt = Date.now();
  await gone.kill();
  await untilStatus(gone, 'offline');
  const reply = await answer;
  checkOffline(reply, /"gone" lost its connection and did not come back in time/);
  const seen = Date.parse(reply.json.last_seen);
  assert.ok(seen <= killedAt && seen > killedAt - 30_000, reply.json.last_seen);
  assert.equal(asked('gone').length, 1);
  const later = await ask(gone, 'gone');
  checkOffline(later, /"gone" is offline; it was last seen at/);
  assert.equal(later.json.last_seen, reply.json.last_seen);
}

export async function frozenAndThawed({ satellite, askHeld, asked, held, untilStatus }: Place): Promise<void> {
  const frozen = await satellite('frozen');
  await untilStatus(frozen, 'online');
  const { answer } = await askHeld(frozen, 'frozen', { timeoutSeconds: 90 });
  frozen.freeze();
  await untilStatus(frozen, 'offline');
  held.release('frozen');
  frozen.thaw();
  checkAnswered(await answer);
  assert.equal(asked('frozen').length, 1);
  await untilStatus(frozen, 'online');
}

const REFUSED = 'Casebook refuses this satellite: check its token and name';

export async function sentAwayForItsToken({ satellite, token, call, untilStatus }: Place): Promise<void> {
  const [old, fresh] = [await token(), await token()];
  const [patient, restarted] = await Promise.all(
    ['token-file', 'token-restart'].map((name) => satellite(name, { token: old.token })),
  );
  const { status } = await call('DELETE', `/api/satellite-tokens/${old.id}`);
  assert.equal(status, 200);
  for (const one of [patient!, restarted!]) {
    const closed = await one.untilSaid(REFUSED);
    assert.match(closed.reason!, /closed \(4401\): .*revoked/);
    const refused = await one.untilSaid(REFUSED, 2);
    assert.match(refused.reason!, /answered 401: .*revoked/);
    // It tried once, and will try again later than that.
    assert.ok(refused.nextAttemptInMs! > closed.nextAttemptInMs!, JSON.stringify([closed, refused]));
    await untilStatus(one, 'offline');
    await one.writeToken(fresh.token);
  }
  await restarted!.kill();
  restarted!.start();
  await Promise.all([restarted!.untilSaid('connected'), patient!.untilSaid('connected', 2)]);
  for (const one of [patient!, restarted!]) await untilStatus(one, 'online');
}
