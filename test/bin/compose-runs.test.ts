import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { composeRuns } from '../../src/bin/compose-runs.ts';
import { loadConfig } from '../../src/config.ts';
import { forTeam } from '../../src/db/team-filter.ts';
import { createExcerptMatcher, type ExcerptMatcher } from '../../src/features/citations/index.ts';
import { SatelliteRequest } from '../../src/features/satellites/entities.ts';
import { createModelClient } from '../../src/platform/anthropic/index.ts';
import { createEventLog, type EventLog } from '../../src/platform/event-log/index.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createSecretBox } from '../../src/platform/secrets/index.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { catalogOf } from '../support/telemetry-source.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const HOUR_MS = 3_600_000;

describe('what a worker sweeps', () => {
  let database: TestDatabase;
  let events: EventLog;
  let matcher: ExcerptMatcher;
  before(async () => {
    database = await createTestDatabase();
    events = createEventLog({ databaseUrl: database.url, log });
    matcher = createExcerptMatcher();
  });
  after(async () => {
    await matcher?.close();
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
    const client = createTemporalClient({ address: '127.0.0.1:1', namespace: 'default' });
    const { sweeps } = composeRuns({
      config: loadConfig({ DATABASE_URL: database.url }),
      orm: database.orm,
      events,
      client,
      model: createModelClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'test', model: 'test' }),
      sources: catalogOf(),
      log,
      matcher,
      secrets: createSecretBox([randomBytes(32)]),
    });
    await Promise.all(sweeps.map((sweep) => sweep()));
    assert.deepEqual(await events.read(`satellite-reply:${old}`), []);
    assert.equal((await events.read(`satellite-reply:${recent}`)).length, 1);
    const left = await forTeam(database.orm.em, teamId).find(SatelliteRequest, {});
    assert.deepEqual(
      left.map(({ id }) => id),
      [recent],
    );
    await client.connection.close();
  });
});
