import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { composeRooms, openCore, sweepsOf } from '../src/compose.ts';
import { loadConfig } from '../src/rooms.ts';
import { forTeam } from '../src/db/team-filter.ts';
import { SatelliteRequest } from '../src/features/satellites/entities.ts';
import { createEventLog, type EventLog } from '../src/platform/event-log/index.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const HOUR_MS = 3_600_000;

describe('what a worker sweeps', () => {
  let database: TestDatabase;
  let events: EventLog;
  before(async () => {
    database = await createTestDatabase();
    events = createEventLog({ databaseUrl: database.url, log });
  });
  after(async () => {
    await events?.close();
    await database?.drop();
  });

  it('includes what satellites answered to runs that are long over', async () => {
    const teamId = randomUUID();
    const [old, recent] = [randomUUID(), randomUUID()];
    const em = forTeam(database.orm.em, teamId);
    for (const [id, age] of [
      [old, 25 * HOUR_MS],
      [recent, HOUR_MS],
    ] as const) {
      const createdAt = new Date(Date.now() - age);
      em.create(SatelliteRequest, { id, teamId, satelliteId: id, target: 'db/query', createdAt, updatedAt: createdAt });
      await events.append(`satellite-reply:${id}`, [{ type: 'end', data: {} }]);
    }
    await em.flush();
    const config = loadConfig({
      DATABASE_URL: database.url,
      CASEBOOK_SECRET_KEY: 'ab'.repeat(32),
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    const house = composeRooms({ ...(await openCore(config, log)), orm: database.orm, events });
    await Promise.all(sweepsOf(house).map((sweep) => sweep(new AbortController().signal)));
    await house.closing.disposeAsync();
    assert.deepEqual(await events.read(`satellite-reply:${old}`), []);
    assert.equal((await events.read(`satellite-reply:${recent}`)).length, 1);
    const left = await forTeam(database.orm.em, teamId).find(SatelliteRequest, {});
    assert.deepEqual(
      left.map(({ id }) => id),
      [recent],
    );
  });
});
