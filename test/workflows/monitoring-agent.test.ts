import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  agentQuery,
  checkNowSignal,
  monitoringAgentWorkflowId,
} from '../../src/features/monitoring-agents/contract.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  gaugeCheck,
  gaugeSource,
  startAgent,
  type DrivenAgent,
  type Gauge,
} from '../features/monitoring-agents/support.ts';
import { startHarness, type Harness } from '../support/harness.ts';
import { shortInvestigation } from '../support/scripts.ts';

describe('workflow of a monitoring agent', () => {
  let harness: Harness;
  let gauge: Gauge;
  before(async () => {
    const made = gaugeSource();
    gauge = made.gauge;
    harness = await startHarness({ script: shortInvestigation, sources: [made.source] });
  });
  after(() => harness?.stop());
  beforeEach(() => {
    Object.assign(gauge, { value: 1, failure: undefined, delayMs: undefined, held: undefined, garbage: undefined });
  });

  const workflow = ({ id }: DrivenAgent) => harness.temporal.workflow.getHandle(monitoringAgentWorkflowId(id));
  const stateOf = (agent: DrivenAgent) => workflow(agent).query(agentQuery);
  const untilState = async <T>(
    agent: DrivenAgent,
    what: string,
    wanted: (state: Awaited<ReturnType<typeof stateOf>>) => T,
  ) => waitUntil(async () => wanted(await stateOf(agent)) || undefined, { what });

  it('runs a check at once, leaves a session, and asks no model while all is well', async () => {
    const asked = harness.model.requests.length;
    const agent = await startAgent(harness, [gaugeCheck()]);
    const [session] = await agent.untilSessions(1);
    assert.equal(session?.status, 'ok');
    assert.equal(session?.trigger, 'schedule');
    assert.equal(harness.model.requests.length, asked);
    const plan = await agent.untilPlan('an answer of the workflow', (one) =>
      one.answered_by === 'workflow' && one.status === 'active' ? one : undefined,
    );
    assert.equal(plan.version, 1);
  });

  it('opens an investigation for a finding as a child that outlives it, once, and resolves it', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    gauge.value = 500;
    await agent.runNow();
    await agent.runNow();
    const investigationId = await waitUntil(async () => (await agent.findings())[0]?.investigation?.id, {
      what: 'an investigation',
    });
    const child = harness.temporal.workflow.getHandle(`investigation-${investigationId}`);
    const described = await waitUntil(() => child.describe().catch(() => undefined), {
      what: 'its workflow',
    });
    assert.match(described.raw.workflowExecutionInfo?.parentExecution?.workflowId ?? '', /^finding-/);
    const { status } = await harness.untilEnded(investigationId);
    assert.equal(status, 'completed');
    gauge.value = 1;
    await agent.runNow();
    await waitUntil(async () => (await agent.findings())[0]?.status === 'resolved' || undefined, {
      what: 'the end of the finding',
    });
    const findings = await agent.findings();
    assert.equal(findings.length, 1);
    assert.equal(findings[0]?.investigation?.id, investigationId);
  });

  it('takes a new plan in the middle of a check: the run is stopped, reports nothing, and the new check runs', async () => {
    gauge.value = 500;
    gauge.delayMs = 60_000;
    const { asked } = gauge;
    const agent = await startAgent(harness, [gaugeCheck()]);
    await waitUntil(() => gauge.asked > asked || undefined, { what: 'a check that waits for its answer' });
    gauge.delayMs = undefined;
    const { status } = await agent.patchPlan({
      plan: { checks: [{ id: 'queue', check: { condition: { type: 'threshold', operator: '>', value: 1_000 } } }] },
      reason: 'It was too tight.',
    });
    assert.equal(status, 200);
    await untilState(agent, 'a result of the changed check', ({ checks }) => checks[0]?.last?.status === 'ok');
    const ended = await agent.untilSessions(2);
    assert.deepEqual(new Set(ended.map((session) => session.status)), new Set(['cancelled', 'ok']));
    assert.deepEqual(await agent.findings(), []);
  });

  it('lets the other checks that run together with one that is changed go on', async () => {
    const answers = Promise.withResolvers<void>();
    gauge.held = answers.promise;
    const agent = await startAgent(harness, [gaugeCheck(), gaugeCheck({ id: 'daily' })]);
    // Before the first plan is applied there are none, of which every one would be running.
    await untilState(agent, 'two running checks', ({ checks }) => checks.filter(({ running }) => running).length === 2);
    await agent.patchPlan({ plan: { checks: [{ id: 'queue', title: 'Other' }] }, reason: 'It has a better name.' });
    // The plan is stored before the workflow knows of it: until then the answer would end the check that is to be stopped.
    await untilState(agent, 'the new plan', ({ settings }) => settings.planVersion === 2);
    answers.resolve();
    const ended = await agent.untilSessions(3);
    assert.deepEqual(ended.map((session) => `${session.check_id} ${session.status}`).toSorted(), [
      'daily ok',
      'queue cancelled',
      'queue ok',
    ]);
  });

  it('stops what runs when it is paused, begins nothing, and checks at once when it is resumed', async () => {
    gauge.value = 500;
    gauge.delayMs = 60_000;
    const agent = await startAgent(harness, [gaugeCheck()]);
    await untilState(agent, 'a running check', ({ checks }) => checks[0]?.running);
    await harness.request('POST', agent.at('/pause'), {});
    await untilState(agent, 'the pause', ({ settings, checks }) => !settings.active && !checks[0]?.running);
    const [session] = await agent.untilSessions(1);
    assert.equal(session?.status, 'cancelled');
    assert.equal((await harness.request('POST', agent.at('/run'), {})).status, 409);
    Object.assign(gauge, { value: 1, delayMs: undefined });
    await harness.request('POST', agent.at('/resume'), {});
    const sessions = await agent.untilSessions(2);
    assert.equal(sessions[1]?.status, 'ok');
    assert.deepEqual(await agent.findings(), []);
  });

  it('is degraded when its source fails or answers garbage, says why, and is well again by itself', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    gauge.failure = 'the queue service does not answer';
    await agent.runNow();
    await agent.untilSessions(2);
    gauge.failure = undefined;
    gauge.garbage = [{ timestamps: 'never', values: { now: [null] } }];
    await agent.runNow();
    const sessions = await agent.untilSessions(3);
    assert.deepEqual(
      sessions.map(({ status }) => status),
      ['ok', 'failed', 'failed'],
    );
    const degraded = await agent.untilPlan('degraded', (plan) => (plan.status === 'degraded' ? plan : undefined));
    assert.match(degraded.reasons.join(), /cannot run: /);
    const listed = await waitUntil(
      async () => {
        const { body } = await harness.request('GET', '/api/monitoring-chat/list');
        const { chats } = body as { chats: { chat_id: string; status: string; reasons: string[] }[] };
        return chats.find(({ chat_id: id, status }) => id === agent.id && status === 'degraded');
      },
      { what: 'the degraded agent in the list' },
    );
    assert.deepEqual(listed.reasons, degraded.reasons);
    const described = await workflow(agent).describe();
    assert.equal(described.searchAttributes?.['CasebookOutcome']?.[0], 'degraded');
    gauge.garbage = undefined;
    await agent.runNow();
    await agent.untilPlan('well again', (plan) => (plan.status === 'active' ? plan : undefined));
    await waitUntil(
      async () =>
        (await agent.findings()).find(
          ({ status, title }) => status === 'resolved' && /some checks can’t run/.test(title),
        ),
      {
        what: 'the end of the finding about the agent itself',
      },
    );
  });

  it('is degraded when its model budget is spent, and goes on with what needs no model', async () => {
    const agent = await startAgent(harness, [gaugeCheck({ judge: true })], { model_budget_usd_per_day: 0 });
    const degraded = await agent.untilPlan('degraded', (plan) => (plan.status === 'degraded' ? plan : undefined));
    assert.match(degraded.reasons.join(), /model budget of \$0 a day is exhausted: .* model reviews are paused/);
    const [session] = await agent.untilSessions(1);
    assert.equal(session?.status, 'ok');
    await harness.request('PATCH', agent.at('/config'), { model_budget_usd_per_day: 1 });
    await agent.runNow();
    await agent.untilPlan('well again', (plan) => (plan.status === 'active' ? plan : undefined));
  });

  it('deletes everything in the middle of a check, and nothing comes back', async () => {
    gauge.value = 500;
    gauge.delayMs = 60_000;
    const agent = await startAgent(harness, [gaugeCheck()]);
    await untilState(agent, 'a running check', ({ checks }) => checks[0]?.running);
    const { status } = await harness.request('DELETE', agent.at(''));
    assert.equal(status, 200);
    assert.equal((await harness.request('GET', agent.at('/plan'))).status, 404);
    assert.equal((await harness.request('GET', `/api/chat/${agent.id}`)).status, 404);
    await assert.rejects(workflow(agent).result(), /cancel/i);
    const left = await waitUntil(
      async () => {
        const [row] = await harness.database.orm.em.fork().execute<{ n: number }[]>(
          `select (select count(*) from monitoring_agents where id = ?)::int + (select count(*) from monitoring_sessions where agent_id = ?)::int
                + (select count(*) from monitoring_plan_versions where agent_id = ?)::int + (select count(*) from chats where id = ?)::int
                + (select count(*) from monitoring_findings where agent_id = ?)::int as n`,
          [agent.id, agent.id, agent.id, agent.id, agent.id],
        );
        return row?.n === 0 ? row : undefined;
      },
      { what: 'nothing of the agent' },
    );
    assert.equal(left.n, 0);
  });

  it('is called as its chat is, whichever of the two is renamed', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    const titleOf = async (path: string): Promise<string> =>
      ((await harness.request('GET', path)).body as { title: string }).title;
    await harness.request('PATCH', `/api/chat/${agent.id}/title`, { title: 'Queue of orders' });
    assert.equal(await titleOf(agent.at('')), 'Queue of orders');
    await untilState(agent, 'the new title', ({ settings }) => settings.title === 'Queue of orders');
    await harness.request('PATCH', agent.at('/config'), { title: 'Orders, all of them' });
    assert.equal(await titleOf(`/api/chat/${agent.id}`), 'Orders, all of them');
  });

  it('takes triggers of a kind once each, and a wish to check now while it checks leads to one more run', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    const triggerId = randomUUID();
    for (let sent = 0; sent < 3; sent += 1)
      await workflow(agent).signal(checkNowSignal, { triggerId, trigger: 'deploy' });
    const sessions = await agent.untilSessions(2);
    assert.equal(sessions[1]?.trigger, 'deploy');
    const { signals } = await untilState(agent, 'all signals', (state) =>
      state.signals.repeated === 2 ? state : undefined,
    ).then(() => stateOf(agent));
    assert.equal(signals.repeated, 2);
    assert.equal((await agent.sessions()).length, 2);
  });
});
