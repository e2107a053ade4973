/** What a run of a check leaves, also when it was taken for lost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { MonitoringPlanVersion, MonitoringSession } from '../../../src/features/monitoring-agents/entities.ts';
import { beginInstructionCheck, evictSessions } from '../../../src/features/monitoring-agents/index.ts';
import { checkRuns } from '../../../src/features/monitoring-agents/instruction/index.ts';
import { Plan, type Check } from '../../../src/features/monitoring-agents/plan/schema.ts';
import { runChecks } from '../../../src/features/monitoring-agents/sessions/run-checks.ts';
import { beginSessions } from '../../../src/features/monitoring-agents/sessions/begin-session.ts';
import { endSession } from '../../../src/features/monitoring-agents/sessions/end-session.ts';
import { Run, sweepRuns } from '../../../src/features/runs/index.ts';
import { createEventLog } from '../../../src/platform/event-log/index.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { checkOf, findingsOf, resultOf, seen, storeAgent, type StoredAgent } from './findings/support.ts';

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
    rows.create(MonitoringPlanVersion, versionOf(stored, [check]));
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

  it('end when a check cannot be carried out at all: the others of its batch are not to wait for it', async () => {
    const { orm } = database;
    const stored = await storeAgent(orm);
    const { id: agentId, teamId } = stored;
    const rows = forTeam(orm.em, teamId);
    rows.create(MonitoringPlanVersion, versionOf(stored, [checkOf()]));
    await rows.flush();
    const log = createLogger({ name: 'test', level: 'silent' });
    const none = (): never => assert.fail('nothing else is asked');
    const deps = { orm, clock: systemClock, log, teamTools: none, findings: { orm, log, launcher: { notify: none } } };
    const sources = () => Promise.reject(new Error('the secret of a source cannot be opened'));
    const run = {
      checkId: 'latency',
      sessionId: randomUUID(),
      scheduledAt: 0,
      trigger: 'schedule' as const,
      missed: 0,
    };
    const { results } = await runChecks(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a cheap check needs
      { ...deps, sources } as unknown as Parameters<typeof runChecks>[0],
      { agentId, teamId, planVersion: 1, runs: [run], others: { dueAt: null, silentAt: null } },
      { signal: new AbortController().signal, cancelRequested: () => false },
      Date.now,
    );
    assert.equal(results[0]?.result.status, 'failed');
    assert.match(results[0]?.result.digest ?? '', /cannot be opened/);
  });

  it('fail with the run whose workflow ended in Temporal without recording a result', async () => {
    const { orm } = database;
    const stored = await storeAgent(orm);
    const { id: agentId, teamId } = stored;
    const check = checkOf({ check: { type: 'instruction', instruction: 'Is the pool full?' } });
    const em = () => forTeam(orm.em, teamId);
    const rows = em();
    rows.create(MonitoringPlanVersion, versionOf(stored, [check]));
    await rows.flush();
    const log = createLogger({ name: 'test', level: 'silent' });
    const none = (): never => assert.fail('nothing else is asked');
    const launcher = {
      start: none,
      cancel: none,
      messageAdded: none,
      progress: none,
      state: async () => ({ closed: 'TERMINATED' }),
    };
    const events = createEventLog({ databaseUrl: database.url, log });
    const deps = {
      orm,
      events,
      clock: systemClock,
      log,
      launcher,
      findings: { orm, log, launcher: { notify: async () => undefined, state: none } },
      checkBudget: { maxSteps: 5, maxCostUsd: 1, maxWallSeconds: 60, toolTimeoutSeconds: 10, approvalSeconds: 60 },
    };
    const id = randomUUID();
    const run = { checkId: check.id, sessionId: id, scheduledAt: 0, trigger: 'schedule' as const, missed: 0 };
    try {
      await beginInstructionCheck(deps, { agentId, teamId, planVersion: 1, run });
      const swept = () => sweepRuns(deps, checkRuns, { graceMs: 0, silenceMs: 60_000, batch: 10 });
      assert.equal(await swept(), 0, 'it said something a moment ago');
      await em().nativeUpdate(Run, { id }, { updatedAt: new Date(Date.now() - 61_000) });
      assert.deepEqual([await swept(), await swept()], [1, 0]);
    } finally {
      await events.close();
    }
    assert.equal((await em().findOneOrFail(Run, { id })).status, 'failed');
    const session = await em().findOneOrFail(MonitoringSession, { id });
    assert.equal(session.status, 'failed');
    assert.match(session.summary ?? '', /ended in Temporal without recording its result \(terminated\)/);
  });
});

const versionOf = ({ id: agentId, teamId }: StoredAgent, checks: Check[]) => ({
  teamId,
  agentId,
  version: 1,
  plan: Plan.parse({ checks }),
  reason: 'test',
  createdByCredentialId: null,
  createdByUserId: null,
  turnId: null,
  scopes: [],
});
