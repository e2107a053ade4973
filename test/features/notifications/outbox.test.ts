import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import {
  DeliveryError,
  deliverNotification,
  enterNotification,
  notificationOf,
  threadOf,
  type Deliver,
  type StoredChannel,
} from '../../../src/features/notifications/index.ts';
import { systemClock as clock } from '../../../src/platform/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { message } from './delivery.ts';

const { signal } = new AbortController();
const channel: StoredChannel = { type: 'slack', label: '#ops in Slack', sealed: 'sealed' };
const other: StoredChannel = { ...channel, label: '#shop in Slack' };

describe('the outbox of notifications', () => {
  let database: TestDatabase;
  const [teamId, ownerId] = [randomUUID(), randomUUID()];
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  const em = () => forTeam(database.orm.em, teamId);
  const enter = (subjectId: string, to: StoredChannel | null = channel): Promise<Effect> =>
    enterNotification(em(), { teamId, key: randomUUID(), ownerId, subjectId, message: message(), channel: to });
  const send = (effect: Effect, deliver: Deliver, to = channel, giveUpAfterMs = 86_400_000) =>
    deliverNotification({ orm: database.orm, clock, deliver, giveUpAfterMs }, effect, to, { signal });
  const again = async ({ key }: Effect) => {
    const given = { teamId, key, ownerId, message: message({ title: 'another' }), channel };
    return notificationOf(await enterNotification(em(), given));
  };

  it('delivers once under the key of the row, however many workers try, and keeps what was said first', async () => {
    const effect = await enter(randomUUID());
    const keys: string[] = [];
    const deliver: Deliver = async (_stored, _teamId, delivery) => {
      keys.push(delivery.idempotencyKey);
      await sleep(50);
      return { receipt: `took ${delivery.message.title}` };
    };
    const receipts = await Promise.all([1, 2, 3].map(() => send(effect, deliver)));
    assert.deepEqual(keys, [effect.key]);
    assert.equal(new Set(receipts.map(({ receipt }) => receipt)).size, 1);
    const row = await again(effect);
    assert.deepEqual([row.status, row.attempts, row.message.title], ['delivered', 1, message().title]);
    assert.deepEqual(row.channel, { type: 'slack', label: '#ops in Slack' });
  });

  it('shows each failure in the row, takes the channel of the attempt, and gives up after a day', async () => {
    const effect = await enter(randomUUID());
    const refuse: Deliver = async () => {
      throw new DeliveryError('not now', { retryable: true, retryAfterMs: 5 });
    };
    await assert.rejects(send(effect, refuse), { name: 'DeliveryError', retryable: true, retryAfterMs: 5 });
    const failing = await again(effect);
    assert.deepEqual([failing.status, failing.lastError, failing.attempts], ['pending', 'not now', 1]);
    await assert.rejects(send(effect, refuse, other, 0), { name: 'DeliveryError', retryable: false });
    const failed = await again(effect);
    assert.deepEqual([failed.status, failed.attempts, failed.channel?.label], ['failed', 2, other.label]);
    await assert.rejects(
      send(effect, () => assert.fail('again')),
      /not now/,
    );
  });

  it('waits after a timeout before it sends again, as what was sent may still arrive, but not after a refusal', async () => {
    for (const timedOut of [true, false]) {
      const effect = await enter(randomUUID());
      const fail: Deliver = async () => {
        throw new DeliveryError('no', { retryable: true, timedOut });
      };
      await assert.rejects(send(effect, fail), { name: 'DeliveryError', timedOut });
      const { leasedUntil } = await em().findOneOrFail(Effect, { id: effect.id });
      assert.equal(leasedUntil !== null && leasedUntil.getTime() > Date.now(), timedOut);
    }
  });

  it('skips for good what has no channel when it is entered', async () => {
    const effect = await enter(randomUUID(), null);
    assert.equal(notificationOf(effect).status, 'skipped');
    assert.equal((await again(effect)).status, 'skipped');
  });

  it('ties a notification to the first about the same thing at the same place', async () => {
    const subject = randomUUID();
    assert.equal(await threadOf(em(), subject, channel), undefined);
    const took =
      (id: string): Deliver =>
      async () => ({ receipt: 'took it', thread: { id } });
    await send(await enter(subject), async () => ({ receipt: 'without a thread' }));
    for (const id of ['a', 'b']) await send(await enter(subject), took(id));
    await send(await enter(subject), took('c'), other);
    assert.deepEqual(await threadOf(em(), subject, channel), { id: 'a' });
    assert.deepEqual(await threadOf(em(), subject, other), { id: 'c' });
    assert.equal(await threadOf(em(), randomUUID(), channel), undefined);
  });
});
