/** `kill -9` of the only worker of monitoring agents, which do not notice more than that time has passed. */
import assert from 'node:assert/strict';
import { waitUntil } from '../support/wait-until.ts';
import {
  agentQuery,
  findingWorkflowId,
  monitoringAgentWorkflowId,
} from '../../src/features/monitoring-agents/contract.ts';
import { gaugeCheck, watch, type WatchedSession } from './support/watched-agent.ts';
import { useWatching } from './support/watching.ts';

const PERIOD_MS = 5_000;
const often = { schedule: { every_seconds: PERIOD_MS / 1_000 } };

describe('kill -9 of the worker of monitoring agents', () => {
  const watching = useWatching();

  const ask = (name: string) => watching().held.queries.filter(({ expr }) => expr.includes(`gauge="${name}"`));
  const untilAsked = async (name: string, count: number): Promise<void> => {
    await waitUntil(() => ask(name).length >= count || undefined, { what: `question ${count}` });
  };
  const dueAt = ({ scheduled_at: at }: WatchedSession): number => Date.parse(at);

  it('away for several periods: it is shown as degraded meanwhile, and one run catches up, not a storm', async () => {
    const { call, worker } = watching();
    const agent = await watch(watching(), 'away', { checks: [gaugeCheck('away', '', often)] });
    // Between two runs: one that is cut in the middle is the one that is repeated.
    const inAPause = async (): Promise<true | undefined> => {
      const before = (await agent.sessions()).filter(({ status }) => status === 'ok');
      const { body } = await call('GET', agent.at('/plan'));
      const [check] = body.checks;
      if (before.length < 3 || body.answered_by !== 'workflow' || check.running) return undefined;
      return check.last?.session_id === before.at(-1)?.id || undefined;
    };
    const killed = async (): Promise<WatchedSession[]> => {
      await waitUntil(inAPause, { what: 'a pause between two runs', intervalMs: 20 });
      await worker.kill();
      return agent.sessions();
    };
    let before = await killed();
    // A machine that stood still came too late.
    while (before.at(-1)?.status === 'running') {
      worker.start();
      before = await killed();
    }

    const reasons = await agent.untilListed('degraded');
    assert.match(reasons.join(), /has had no result since .*, for three periods or more/);
    assert.deepEqual(await agent.sessions(), before);

    worker.start();
    const after = (
      await agent.untilSessions('three runs after it was away', (all) => all.length >= before.length + 3)
    ).slice(before.length);
    const [first, ...next] = after as [WatchedSession, ...WatchedSession[]];
    assert.ok(first.missed >= 3, `missed ${first.missed}`);
    assert.equal((dueAt(first) - dueAt(before.at(-1)!)) % PERIOD_MS, 0);
    for (const one of next) assert.equal((dueAt(one) - dueAt(first)) % PERIOD_MS, 0, 'the rhythm is as before');
    assert.ok(
      dueAt(next[0]!) >= dueAt(first) + (first.missed + 1) * PERIOD_MS,
      'nothing that was missed is made up for',
    );
    const times = after.map(dueAt);
    assert.equal(new Set(times).size, times.length);

    await agent.untilListed('active');
    const health = await agent.untilFinding('the end of the finding', ({ status }) => status === 'resolved');
    assert.equal(health.origin, 'health');
    await agent.untilTold(health.id, 'opened', 'resolved');
    assert.equal((await agent.findings()).length, 1);
    assert.equal((await call('DELETE', agent.at(''))).status, 200);
  });

  it('in the middle of a check, of a notification and of the investigation: each is there once @never-forgiven', async () => {
    const { call, cluster, held, worker } = watching();
    const agent = await watch(watching(), 'hold-middle', {
      checks: [gaugeCheck('hold-middle', ',gate="middle"')],
      value: 500,
    });
    for (const count of [1, 2]) {
      await untilAsked('hold-middle', count);
      await worker.kill();
      worker.start();
    }
    await untilAsked('hold-middle', 3);
    // It is taken, and whoever sent it never hears of that.
    agent.receiver.next('lost');
    held.release('middle');
    await Promise.all([
      cluster.model.waitForHold('hold-middle'),
      waitUntil(() => agent.receiver.requests.length > 0 || undefined, { what: 'the message' }),
    ]);
    await worker.kill();
    cluster.model.release('hold-middle');
    worker.start();

    const finding = await agent.untilFinding('an investigation', ({ investigation }) => investigation !== null);
    await agent.untilTold(finding.id, 'opened', 'report');
    agent.set(1);
    await agent.runNow();
    await agent.untilTold(finding.id, 'opened', 'report', 'resolved');

    const sessions = await agent.sessions();
    assert.deepEqual(
      sessions.map(({ status }) => status),
      ['finding', 'ok'],
    );
    const findings = await agent.findings();
    assert.deepEqual(
      findings.map(({ id, occurrences }) => [id, occurrences]),
      [[finding.id, 1]],
    );
    const { body } = await call('GET', '/api/investigations');
    const opened = body.items.filter(({ query }: { query: string }) => query.includes('hold-middle'));
    assert.deepEqual(
      opened.map(({ id, status }: { id: string; status: string }) => [id, status]),
      [[finding.investigation!.id, 'completed']],
    );
    const keys = agent.receiver.requests.map(({ headers }) => headers['idempotency-key']);
    assert.equal(new Set(keys).size, 3, 'at least once, and never by a second key');
    assert.ok(keys.length > 3, 'the one whose answer was lost came again');
  });

  it('deleted in the middle of a check, with nobody to clean up: nothing is left, and nothing comes back', async () => {
    const { call, cluster, held, temporal, worker } = watching();
    const agent = await watch(watching(), 'deleted', {
      checks: [
        gaugeCheck('deleted', '', { on_finding: ['notify'] }),
        gaugeCheck('gone', ',gate="gone"', { id: 'slow', on_finding: ['notify'] }),
      ],
      value: 500,
    });
    held.set('gone', 500);
    await agent.untilSessions('a result', (all) => all.some(({ status }) => status === 'finding'));
    const finding = await agent.untilFinding('the finding', ({ status }) => status === 'open');
    await agent.untilTold(finding.id, 'opened');
    await untilAsked('gone', 1);
    // Of itself its workflow would not look again for a day.
    const ofFinding = temporal.workflow.getHandle(findingWorkflowId(finding.id));
    const rests = async (): Promise<true | undefined> => {
      const { pendingActivities, pendingWorkflowTask } = (await ofFinding.describe()).raw;
      const isNotified = (await agent.notifications(finding.id))[0]?.status === 'delivered';
      return (isNotified && pendingActivities?.length === 0 && !pendingWorkflowTask) || undefined;
    };
    await waitUntil(rests, { what: 'a finding of which nothing is to be done' });
    await worker.kill();
    assert.equal((await call('DELETE', agent.at(''))).status, 200);
    assert.equal((await call('GET', agent.at(''))).status, 404);
    assert.equal((await call('GET', `/api/findings/${finding.id}`)).status, 404);
    held.release('gone');
    worker.start();

    const workflow = temporal.workflow.getHandle(monitoringAgentWorkflowId(agent.id));
    await assert.rejects(workflow.result(), /cancel/i);
    await waitUntil(async () => (await ofFinding.describe()).status.name !== 'RUNNING' || undefined, {
      what: "the end of the finding's workflow",
    });
    assert.deepEqual(await ofFinding.result(), { status: 'gone' });
    const left = async (): Promise<number> => {
      const rows = ['monitoring_sessions', 'monitoring_plan_versions', 'monitoring_findings'].map(
        (table) => `(select count(*) from ${table} where agent_id = ?)`,
      );
      const notifications = '(select count(*) from effects where owner_id = ?)';
      const sql = `select (select count(*) from monitoring_agents where id = ?) + (select count(*) from chats where id = ?) + ${[...rows, notifications].join(' + ')} as n`;
      const [row] = await cluster.database.orm.em.fork().execute<{ n: string }[]>(
        sql,
        Array.from({ length: 6 }, () => agent.id),
      );
      return Number(row!.n);
    };
    await waitUntil(async () => (await left()) === 0 || undefined, { what: 'nothing' });
    // What was under way has ended as well, so that nothing can come back: a later agent's check was run.
    const later = await watch(watching(), 'later');
    await later.untilSessions('a run of another agent', (all) => all.some(({ status }) => status === 'ok'));
    assert.equal(await left(), 0);
    assert.deepEqual(agent.told(finding.id), ['opened']);
    assert.equal(agent.receiver.events.length, 1);
  });

  it('while the plan is changed, paused and resumed: all of it holds at once, and is carried out when it is back', async () => {
    const { call, temporal, worker } = watching();
    const agent = await watch(watching(), 'changed');
    await agent.untilSessions('the first run', (all) => all.some(({ status }) => status === 'ok'));
    await worker.kill();
    agent.set(500);

    const limit = (value: number) => ({
      plan: { checks: [{ id: 'queue', check: { condition: { type: 'threshold', operator: '>', value } } }] },
      reason: `A limit of ${value}.`,
    });
    const send = async (method: string, path: string, body: object = {}): Promise<void> => {
      const { status, body: answer } = await call(method, agent.at(path), body);
      assert.equal(status, 200, JSON.stringify(answer));
      const { body: plan } = await call('GET', agent.at('/plan'));
      seen.push([plan.answered_by, plan.version, plan.active]);
    };
    const seen: unknown[] = [];
    await send('PATCH', '/plan', limit(200));
    await send('POST', '/pause');
    await send('PATCH', '/plan', limit(300));
    await send('POST', '/resume');
    await send('PATCH', '/plan', { ...limit(1_000), version: 3 });
    assert.deepEqual(seen, [
      ['database', 2, true],
      ['database', 2, false],
      ['database', 3, false],
      ['database', 3, true],
      ['database', 4, true],
    ]);

    worker.start();
    const sessions = await agent.untilSessions(
      'a run of the new plan',
      (all) => all.at(-1)?.plan_version === 4 && all.at(-1)?.status !== 'running',
    );
    assert.deepEqual(
      sessions.map(({ plan_version: version, status }) => [version, status]),
      [
        [1, 'ok'],
        [4, 'ok'],
      ],
    );
    assert.deepEqual(await agent.findings(), [], 'no plan in between was carried out');
    const { settings, signals } = await temporal.workflow
      .getHandle(monitoringAgentWorkflowId(agent.id))
      .query(agentQuery);
    assert.deepEqual([settings.revision, settings.planVersion, settings.active], [6, 4, true]);
    assert.equal(signals.applied, 6, 'each of the five that were sent, and the one it began with');
    const plan = await waitUntil(
      async () => {
        const { body } = await call('GET', agent.at('/plan'));
        return body.answered_by === 'workflow' ? body : undefined;
      },
      { what: 'an answer of the workflow' },
    );
    assert.deepEqual([plan.version, plan.active], [4, true]);
    const { body: history } = await call('GET', agent.at('/plan/versions'));
    assert.deepEqual(
      history.versions.map(({ reason }: { reason: string }) => reason),
      ['A limit of 1000.', 'A limit of 300.', 'A limit of 200.', 'Agent created with this plan.'],
    );
  });
});
