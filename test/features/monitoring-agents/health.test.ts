/** How lists show an agent that no worker has taken up. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { createAgent } from '../../../src/features/monitoring-agents/service.ts';
import { healthOf } from '../../../src/features/monitoring-agents/agent/health.ts';
import { MonitoringAgent } from '../../../src/features/monitoring-agents/entities.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

describe('an agent that no worker has taken up', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());

  const later = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
  it('is degraded if its plan is not drafted in time', async () => {
    const teamId = randomUUID();
    const em = () => forTeam(database.orm.em, teamId);
    const id = randomUUID();
    await em().transactional(async (tx) => {
      createAgent(
        { clock: systemClock },
        tx,
        { teamId, scopes: [] },
        { id, title: 'New', active: true, channel: null },
      );
    });
    const status = async (minutes: number) =>
      healthOf(await em().findOneOrFail(MonitoringAgent, { id }), later(minutes)).status;
    assert.equal(await status(1), 'starting');
    assert.equal(await status(11), 'degraded');
  });
});
