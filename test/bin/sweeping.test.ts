import assert from 'node:assert/strict';
import { startSweeping } from '../../src/bin/sweeping.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createEventLog, type EventLog } from '../../src/platform/event-log/index.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const log = createLogger({ name: 'test', level: 'silent' });

describe('sweeping of a worker', () => {
  let database: TestDatabase;
  let events: EventLog;
  before(async () => {
    database = await createTestDatabase();
    events = createEventLog({ databaseUrl: database.url, log });
    await events.append('run:old', [{ type: 'run.started', data: {} }]);
  });
  after(async () => {
    await events?.close();
    await database?.drop();
  });

  it('does everything at once, whatever fails or takes long, and ends only when what is under way has ended', async () => {
    const swept = Promise.withResolvers<void>();
    const expired = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<void>();
    const { expire } = events;
    events.expire = async (before) => {
      const streams = await expire.call(events, before);
      expired.resolve();
      return streams;
    };
    const inAMonth = { now: () => new Date(systemClock.now().getTime() + 31 * 24 * 3_600_000) };
    const failing = () => Promise.reject(new Error('Temporal is away'));
    const sweeps = [failing, () => slow.promise, async () => swept.resolve()];
    const sweeping = startSweeping({ clock: inAMonth, events, log }, sweeps, 60_000);
    await Promise.all([swept.promise, expired.promise]);
    assert.deepEqual(await events.read('run:old'), []);

    let stopped = false;
    const stopping = sweeping.stop().then(() => (stopped = true));
    await new Promise(setImmediate);
    assert.equal(stopped, false);
    slow.resolve();
    await stopping;
  });
});
