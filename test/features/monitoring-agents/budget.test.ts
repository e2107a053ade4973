/** What models of an agent may still cost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { budgetLeft, isBudgetSpent } from '../../../src/features/monitoring-agents/agent/budget.ts';
import { MonitoringSession } from '../../../src/features/monitoring-agents/entities.ts';
import { Conversation, ModelTurn } from '../../../src/features/transcripts/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeAgent } from './findings/support.ts';

describe('the model budget of an agent', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());

  it('counts what has ended within a day, and what runs as well', async () => {
    const agent = await storeAgent(database.orm, { modelBudgetUsdPerDay: 5 });
    const { id: agentId, teamId } = agent;
    const now = new Date();
    const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
    const rows = forTeam(database.orm.em, teamId);
    const session = (status: MonitoringSession['status'], hours: number, costUsd: number): string => {
      const id = randomUUID();
      const at = hoursAgo(hours);
      rows.create(Conversation, { id, teamId, kind: 'check', opening: 'Look.', result: null, summary: null });
      rows.create(MonitoringSession, {
        id,
        teamId,
        agentId,
        checkId: 'look',
        checkType: 'instruction',
        title: 'Look',
        planVersion: 1,
        trigger: 'schedule',
        status,
        scheduledAt: at,
        startedAt: at,
        finishedAt: status === 'running' ? null : at,
        summary: null,
        model: null,
        costUsd,
      });
      return id;
    };
    const turn = (conversationId: string, step: number, costUsd: number): void => {
      const tokens = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
      const said = { note: null, content: [], stopReason: 'end_turn', provider: 'test', model: 'test', attempt: 1 };
      const times = { startedAt: now, finishedAt: now };
      rows.create(ModelTurn, { teamId, conversationId, step, costUsd, ...tokens, ...said, ...times });
    };
    turn(session('ok', 1, 1), 1, 1);
    session('ok', 25, 100);
    const running = session('running', 0.1, 0);
    turn(running, 1, 0.5);
    turn(running, 2, 0.25);
    await rows.flush();
    const em = forTeam(database.orm.em, teamId);
    assert.equal(await budgetLeft(em, agentId, now), 3.25);
    assert.equal(await isBudgetSpent(em, agentId, now), false);
    turn(running, 3, 3.25);
    await rows.flush();
    assert.equal(await isBudgetSpent(em, agentId, now), true);
  });
});
