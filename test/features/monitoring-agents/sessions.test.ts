/** What a run of a check leaves, also when it was taken for lost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { MonitoringPlanVersion, MonitoringSession } from '../../../src/features/monitoring-agents/entities.ts';
import { evictSessions } from '../../../src/features/monitoring-agents/index.ts';
import { Plan } from '../../../src/features/monitoring-agents/plan/schema.ts';
import { beginSessions } from '../../../src/features/monitoring-agents/sessions/begin-session.ts';
import { endSession } from '../../../src/features/monitoring-agents/sessions/end-session.ts';
import { createEventLog } from '../../../src/platform/event-log/index.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { checkOf, findingsOf, resultOf, seen, storeAgent } from './findings/support.ts';

describe('sessions of checks', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());

  it('are gone on with after workers were away for hours, although they were taken for lost', async () => {
    const { orm } = database;
    const stored = await storeAgent(orm);
    const check = checkOf();
    const agent = { agentId: stored.id, teamId: stored.teamId };
    const em = () => forTeam(orm.em, stored.teamId);
    const rows = em();
    rows.create(MonitoringPlanVersion, {
      teamId: stored.teamId,
      agentId: stored.id,
      version: 1,
      plan: Plan.parse({ checks: [check] }),
      reason: 'test',
      changedByKeyId: null,
      changedByUserId: null,
      turnId: null,
    });
    await rows.flush();
    const sessionId = randomUUID();
    const run = { checkId: check.id, sessionId, scheduledAt: 0, trigger: 'schedule' as const, missed: 0 };
    const begin = (at: Date) => beginSessions({ orm }, { agent, planVersion: 1, runs: [{ check, run }], at });
    assert.deepEqual(await begin(new Date(Date.now() - 3 * 3_600_000)), []);
    const events = createEventLog({ databaseUrl: database.url, log: createLogger({ name: 'test', level: 'silent' }) });
    try {
      await evictSessions({ orm, clock: systemClock, events });
    } finally {
      await events.close();
    }
    assert.equal((await em().findOneOrFail(MonitoringSession, { id: sessionId })).status, 'failed');

    assert.deepEqual(await begin(new Date()), [], 'the next attempt runs the check');
    const result = resultOf(seen('checkout', true));
    const { result: ended } = await endSession({ orm }, { agent, sessionId, check, result, at: new Date() });
    assert.equal(ended.status, 'finding');
    assert.deepEqual(
      (await findingsOf(orm, stored)).map(({ status }) => status),
      ['open'],
    );
  });
});
