/** What a crash between two systems leaves behind of agents is repaired; what is old or deleted goes. */
import assert from 'node:assert/strict';
import { forTeam } from '../../../src/db/team-filter.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createEventLog } from '../../../src/platform/event-log/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { agentQuery, monitoringAgentWorkflowId } from '../../../src/features/monitoring-agents/contract.ts';
import {
  Finding,
  MonitoringAgent,
  MonitoringPlanVersion,
  MonitoringSession,
} from '../../../src/features/monitoring-agents/entities.ts';
import { evictSessions, sweepAgents } from '../../../src/features/monitoring-agents/index.ts';
import { Chat } from '../../../src/features/chats/index.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { shortInvestigation } from '../../support/scripts.ts';
import { callerOf, ok, startIdleApi, type Call } from './api.ts';
import { findingRow, sessionRow } from './rows.ts';
import { gaugeCheck, gaugeSource, startAgent, type Gauge } from './support.ts';

type SweepDeps = Parameters<typeof sweepAgents>[0];

describe('sweeping monitoring agents', () => {
  let harness: Harness;
  let gauge: Gauge;
  let call: Call;
  let teamId: string;
  let deps: SweepDeps;
  before(async () => {
    const made = gaugeSource();
    gauge = made.gauge;
    harness = await startHarness({ script: shortInvestigation, sources: [made.source] });
    call = callerOf(harness.url, harness.apiKey);
    teamId = (await ok(call('GET', '/api/team'))).id;
    const { api, database } = harness;
    const { log, monitoring, events, chats } = api.deps;
    const sources = (): never => assert.fail('a sweep asks no source');
    deps = {
      orm: database.orm,
      clock: systemClock,
      log,
      events,
      drafts: chats.drafts,
      findings: monitoring.findings,
      launcher: monitoring.launcher,
      sources,
      teamTools: sources,
    };
  });
  after(() => harness?.stop());
  beforeEach(() => {
    gauge.value = 1;
  });

  const em = () => forTeam(harness.database.orm.em, teamId);
  const rowOf = ({ id }: { id: string }) => em().findOneOrFail(MonitoringAgent, { id });
  const workflow = ({ id }: { id: string }) => harness.temporal.workflow.getHandle(monitoringAgentWorkflowId(id));
  /** Which run of the workflow there is, and what it was told. */
  const heard = async (agent: { id: string }) => {
    const { runId } = await workflow(agent).describe();
    return { runId, ...(await workflow(agent).query(agentQuery)).signals };
  };
  const set = (agent: { id: string }, data: object) =>
    em().nativeUpdate(MonitoringAgent, { id: agent.id }, data, { filters: { present: false } });
  const longAgo = new Date(Date.now() - 3_600_000);
  /** The agents of other tests are well. */
  const sweep = () => sweepAgents(deps);

  it('does nothing for agents that are well', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    await waitUntil(async () => (await rowOf(agent)).health === 'healthy' || undefined, {
      what: 'a healthy agent',
    });
    const before = await heard(agent);
    assert.equal(await sweep(), 0);
    assert.deepEqual(await heard(agent), before);
  });

  it('signals a workflow what it missed, once', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    const { revision } = await rowOf(agent);
    await set(agent, { title: 'Renamed', revision: revision + 1, updatedAt: longAgo });
    assert.equal(await sweep(), 1);
    const { settings } = await workflow(agent).query(agentQuery);
    assert.deepEqual([settings.title, settings.revision], ['Renamed', revision + 1]);
    assert.equal((await rowOf(agent)).signalledRevision, revision + 1);
    assert.equal(await sweep(), 0);
  });

  it('leaves a change alone that is being signalled', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    const { revision } = await rowOf(agent);
    await set(agent, { revision: revision + 1, updatedAt: new Date(Date.now() + 60_000) });
    assert.equal(await sweep(), 0);
    await set(agent, { signalledRevision: revision + 1 });
  });

  it('restarts a missing workflow, which resumes where its sessions left off', async () => {
    const agent = await startAgent(harness, [gaugeCheck({ schedule: { every_seconds: 3_600 } })]);
    const [first] = await agent.untilSessions(1);
    await workflow(agent).terminate('as if it was lost');
    assert.equal(await sweep(), 0, 'nothing is due yet');
    await set(agent, { nextDueAt: longAgo, updatedAt: longAgo });
    assert.equal(await sweep(), 1);
    const state = await waitUntil(
      async () => {
        const { checks } = await workflow(agent).query(agentQuery);
        return checks[0]?.dueAt ? checks[0] : undefined;
      },
      { what: 'a planned check' },
    );
    assert.ok(state.dueAt! > Date.now(), 'it ran within this hour');
    assert.deepEqual(
      (await agent.sessions()).map(({ id }) => id),
      [first!.id],
    );
    await agent.runNow();
    await agent.untilSessions(2);
  });

  it('does not touch the workflow of an agent whose check is overdue because workers are busy', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    await waitUntil(async () => (await rowOf(agent)).health === 'healthy' || undefined, {
      what: 'a healthy agent',
    });
    const before = await heard(agent);
    await set(agent, { nextDueAt: longAgo, updatedAt: longAgo });
    assert.equal(await sweep(), 1);
    assert.deepEqual(await heard(agent), before);
    assert.equal(await sweep(), 0, 'it was looked after a moment ago');
  });

  it('starts an agent that was committed before its workflow was', async () => {
    const { id } = await startAgent(harness, [gaugeCheck()], { active: false });
    await workflow({ id }).terminate('as if it had never been');
    await set({ id }, { active: true, revision: 2, signalledRevision: 0, updatedAt: longAgo });
    assert.equal(await sweep(), 1);
    await waitUntil(async () => (await em().count(MonitoringSession, { agentId: id, status: 'ok' })) || undefined, {
      what: 'a session',
    });
  });

  it('ends what is left of an agent that was deleted, and deletes its rows when nothing works on them any more', async () => {
    const idle = await startIdleApi(harness);
    const plan = { checks: [gaugeCheck()] };
    const { chat_id: id } = await ok(idle.call('POST', '/api/monitoring-chat', { message: 'Watch.', plan }));
    const rows = em();
    rows.create(MonitoringSession, sessionRow({ id, teamId }, new Date()));
    rows.create(Finding, findingRow({ id, teamId }));
    await rows.flush();
    await ok(idle.call('DELETE', `/api/monitoring-chat/${id}`));
    await idle.stop();
    assert.equal((await call('DELETE', `/api/monitoring-chat/${id}`)).status, 404, 'it is gone for everybody');
    const { findings } = await ok(call('GET', '/api/findings?count=100'));
    assert.ok(!findings.some(({ chat_id }: { chat_id: string }) => chat_id === id));
    await set({ id }, { deletedAt: longAgo, updatedAt: longAgo });
    assert.equal(await sweep(), 1);
    assert.equal(await left(id), 4, 'all but the chat: its workflow is there, and would delete them itself');
    await workflow({ id }).terminate('as if it was lost');
    await set({ id }, { updatedAt: longAgo });
    assert.equal(await sweep(), 1);
    assert.equal(await left(id), 0);
    assert.equal(await sweep(), 0);
  });

  it('brings back an agent whose workflow somebody cancelled by hand', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    await workflow(agent).cancel();
    await assert.rejects(workflow(agent).result(), /cancel/i);
    assert.equal((await agent.plan()).version, 1, 'nothing of it was deleted');
    await set(agent, { nextDueAt: longAgo, updatedAt: longAgo });
    assert.equal(await sweep(), 1);
    assert.equal((await workflow(agent).describe()).status.name, 'RUNNING');
  });

  it('deletes sessions that are older than the agent keeps them; a finding keeps its evidence', async () => {
    gauge.value = 500;
    const agent = await startAgent(harness, [gaugeCheck()], { eviction_hours: 2 });
    const [found] = await agent.untilSessions(1);
    assert.equal(found?.status, 'finding');
    const others = await startAgent(harness, [gaugeCheck({ id: 'other' })], { eviction_hours: 4 });
    await others.untilSessions(1);
    const ago = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
    const events = createEventLog({ databaseUrl: harness.database.url, log: harness.api.deps.log });
    try {
      const evict = () => evictSessions({ orm: harness.database.orm, clock: systemClock, events });
      await em().nativeUpdate(MonitoringSession, { id: found.id }, { startedAt: ago(1.9) });
      await em().nativeUpdate(MonitoringSession, { agentId: others.id }, { startedAt: ago(3) });
      assert.equal(await evict(), 0);
      const running = {
        ...sessionRow({ id: agent.id, teamId }, ago(1.5)),
        status: 'running' as const,
        finishedAt: null,
      };
      const lost = { ...sessionRow({ id: others.id, teamId }, ago(2.1)), status: 'running' as const, finishedAt: null };
      const rows = em();
      for (const row of [running, lost]) rows.create(MonitoringSession, row);
      await rows.flush();
      await em().nativeUpdate(MonitoringSession, { id: found.id }, { startedAt: ago(2.1) });
      assert.equal(await evict(), 1);
      assert.equal((await call('GET', agent.at(`/sessions/${found.id}`))).status, 404);
      assert.deepEqual(
        (await agent.sessions()).map(({ status }) => status),
        ['running'],
      );
      const ended = (await others.sessions()).find(({ status }) => status === 'failed');
      assert.match(ended?.summary ?? '', /process that ran it was lost/);
      const [open] = (await ok(call('GET', agent.at('/findings?status=open')))).findings;
      const detail = await ok(call('GET', `/api/findings/${open.id}`));
      assert.ok(detail.evidence.length > 0);
      assert.equal(detail.sources[0].session_id, found.id);
      await ok(call('PATCH', others.at('/config'), { eviction_hours: 1 }));
      assert.equal(await evict(), 2, 'the new bound counts at once');
      // What models cost is counted over a day: a session that cost something stays for as long.
      const cost = { ...sessionRow({ id: others.id, teamId }, ago(5)), costUsd: 0.5 };
      const paid = em();
      const { id } = paid.create(MonitoringSession, cost);
      await paid.flush();
      assert.equal(await evict(), 0);
      await em().nativeUpdate(MonitoringSession, { id }, { startedAt: ago(25) });
      assert.equal(await evict(), 1);
    } finally {
      await events.close();
    }
  });

  const left = async (id: string): Promise<number> => {
    const anyhow = { filters: { present: false } };
    const counts = await Promise.all([
      em().count(MonitoringAgent, { id }, anyhow),
      em().count(Chat, { id }, anyhow),
      em().count(MonitoringSession, { agentId: id }),
      em().count(Finding, { agentId: id }),
      em().count(MonitoringPlanVersion, { agentId: id }),
    ]);
    return counts.reduce((sum, n) => sum + n, 0);
  };
});
