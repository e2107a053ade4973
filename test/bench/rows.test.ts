import assert from 'node:assert/strict';
import { Client } from 'pg';
import { fillChats } from '../../bench/support/fill-chats.ts';
import { commitAgents, greenPlan } from '../../bench/support/monitoring-fleet.ts';
import { commitRunningTurns } from '../../bench/support/running-turns.ts';
import { ChatTurn } from '../../src/features/chats/entities.ts';
import { anyTeam } from '../../src/db/team-filter.ts';
import { MonitoringPlanVersion } from '../../src/features/monitoring-agents/entities.ts';
import { Team } from '../../src/features/identity/entities.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('rows that benchmarks write without the product', () => {
  let database: TestDatabase;
  let client: Client;
  let teamId: string;

  before(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    const em = database.orm.em.fork();
    teamId = em.create(Team, { name: 'Bench' }).id;
    await em.flush();
  });

  after(async () => {
    await client.end();
    await database.drop();
  });

  it('are chats with an ended turn each', async () => {
    await fillChats(client, { teamId, credentialId: crypto.randomUUID(), userId: null }, 10);
    assert.equal(await database.orm.em.fork().count(ChatTurn, { teamId, status: 'completed' }, anyTeam), 10);
  });

  it('are chats with a running turn each', async () => {
    const turns = await commitRunningTurns(client, teamId, 3);
    const ids = turns.map(({ turnId }) => turnId);
    const where = { id: { $in: ids }, status: 'processing' as const };
    assert.equal(await database.orm.em.fork().count(ChatTurn, where, anyTeam), 3);
  });

  it('are monitoring agents with a plan each', async () => {
    await commitAgents(client, teamId, [crypto.randomUUID(), crypto.randomUUID()], greenPlan(1, 300));
    assert.equal(await database.orm.em.fork().count(MonitoringPlanVersion, { teamId, version: 1 }, anyTeam), 2);
  });
});
