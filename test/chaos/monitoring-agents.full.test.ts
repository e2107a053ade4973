/** What monitoring agents depend on is slow, or away, or ends them: sources, receivers of notifications, operators. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { freePort } from '../../src/embedded/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  agentQuery,
  findingWorkflowId,
  monitoringAgentWorkflowId,
} from '../../src/features/monitoring-agents/contract.ts';
import { gaugeCheck, startReceiver, watch, type WatchedSession } from './support/watched-agent.ts';
import { useWatching } from './support/watching.ts';

const PERIOD_MS = 5_000;
const often = { schedule: { every_seconds: PERIOD_MS / 1_000 } };

describe('monitoring agents whose surroundings fail', () => {
  const watching = useWatching();
  const dueAt = ({ scheduled_at: at }: WatchedSession): number => Date.parse(at);

  it('a source slower than the period: one run at a time, no backlog, and other checks keep their rhythm', async () => {
    const { call, held } = watching();
    const agent = await watch(watching(), 'brisk', {
      checks: [gaugeCheck('brisk', '', often), gaugeCheck('slow', ',lag="12"', { ...often, id: 'slow' })],
    });
    const ofSlow = (all: WatchedSession[]) => all.filter((one) => one.check_id === 'slow' && one.status !== 'running');
    held.set('slow', 1);
    const sessions = await agent.untilSessions('three slow runs', (all) => ofSlow(all).length >= 3);
    assert.equal((await call('DELETE', agent.at(''))).status, 200);

    const slow = ofSlow(sessions);
    for (const [index, one] of slow.entries()) {
      assert.equal(one.status, 'ok');
      const before = slow[index - 1];
      if (!before) continue;
      assert.ok(Date.parse(one.started_at) >= Date.parse(before.finished_at!), 'begun after the one before has ended');
      assert.ok(dueAt(one) - dueAt(before) >= 2 * PERIOD_MS, 'times that passed meanwhile are not made up for');
    }
    const asked = held.queries.filter(({ expr }) => expr.includes('gauge="slow"'));
    for (const [index, one] of asked.entries())
      assert.ok(index === 0 || one.at >= asked[index - 1]!.endedAt!, 'the source is never asked twice at once');

    // The first runs are begun together, before it is known that one is slow.
    const [, second, third] = slow;
    const meanwhile = sessions.filter(
      (one) => one.check_id === 'queue' && dueAt(one) >= dueAt(second!) && dueAt(one) <= dueAt(third!),
    );
    assert.ok(meanwhile.length > 1, `${meanwhile.length} runs beside the slow one`);
    for (const [index, one] of meanwhile.entries()) {
      assert.equal((dueAt(one) - dueAt(second!)) % PERIOD_MS, 0);
      // Only times that pass while it runs itself are left out: on a machine that stands still.
      const before = meanwhile[index - 1];
      assert.ok(!before || dueAt(one) - PERIOD_MS <= Date.parse(before.finished_at!), 'each of its times');
    }
  });

  it('its workflow is terminated: it is started again, goes on with its plan and finding, and repeats nothing @never-forgiven', async () => {
    const { call, temporal } = watching();
    const agent = await watch(watching(), 'terminated', {
      checks: [gaugeCheck('terminated', '', { ...often, on_finding: ['notify'] })],
      value: 500,
    });
    const finding = await agent.untilFinding('the finding', ({ status }) => status === 'open');
    await agent.untilTold(finding.id, 'opened');
    const changed = await call('PATCH', agent.at('/plan'), {
      plan: { checks: [{ id: 'queue', severity: 'critical' }] },
      reason: 'It is serious.',
    });
    assert.equal(changed.body.version, 2);
    await agent.untilSessions('a run of version 2', (all) => all.at(-1)?.plan_version === 2);

    const handle = temporal.workflow.getHandle(monitoringAgentWorkflowId(agent.id));
    const { runId } = (await handle.describe()) as unknown as { runId: string };
    await handle.terminate('by an operator');
    await temporal.workflow.getHandle(findingWorkflowId(finding.id)).terminate('as well');
    const before = (await agent.sessions()).length;
    await waitUntil(async () => (await handle.describe()).runId !== runId || undefined, {
      what: 'another run of the workflow',
    });
    const sessions = await agent.untilSessions('runs that go on', (all) => all.length >= before + 3);
    assert.ok(sessions.some(({ missed }) => missed > 0));
    const { settings } = await handle.query(agentQuery);
    assert.deepEqual([settings.planVersion, settings.active], [2, true]);
    const { body: plan } = await call('GET', agent.at('/plan'));
    assert.deepEqual([plan.answered_by, plan.version, plan.plan.checks[0].severity], ['workflow', 2, 'critical']);

    agent.set(1);
    await agent.untilTold(finding.id, 'opened', 'resolved');
    const own = (await agent.findings()).filter(({ origin }) => origin === 'check');
    assert.deepEqual(
      own.map(({ id, status }) => [id, status]),
      [[finding.id, 'resolved']],
    );
    assert.ok(own[0]!.occurrences > 2, 'it goes on counting');
    assert.equal((await call('DELETE', agent.at(''))).status, 200);
  });

  it('the receiver is away, then fails, then works: it is told once, says why meanwhile, and nothing waits for it', async () => {
    const { call } = watching();
    // Not one that the system gives to connections: it stays free until the receiver is started.
    const port = await freePort();
    const agent = await watch(watching(), 'refused', { value: 500, receiverUrl: `http://127.0.0.1:${port}/hook` });
    const finding = await agent.untilFinding('an investigation', ({ investigation }) => investigation !== null);
    const untilNotified = (what: string, wanted: (one: { attempts: number; last_error: string | null }) => boolean) =>
      waitUntil(
        async () => {
          const [first] = await agent.notifications(finding.id);
          return first && wanted(first) ? first : undefined;
        },
        { what },
      );
    const investigated = async (): Promise<true | undefined> => {
      const { body } = await call('GET', `/api/v1/investigations/${finding.investigation!.id}`);
      return body.status === 'completed' || undefined;
    };
    await waitUntil(investigated, { what: 'the end of the investigation' });
    const refused = await untilNotified('two refusals', ({ attempts, last_error: error }) => attempts >= 2 && !!error);
    assert.equal(refused.status, 'pending');
    assert.match(refused.last_error!, /ECONNREFUSED|refused|connect/i);
    const { body: list } = await call('GET', agent.at(''));
    assert.equal(list.notification_error, refused.last_error);

    const receiver = await startReceiver(port);
    receiver.next(...[1, 2].map(() => (response: ServerResponse) => void response.writeHead(500).end()));
    const failing = await untilNotified('a failure', ({ last_error: error }) => /500/.test(error ?? ''));
    assert.equal(failing.status, 'pending');
    await waitUntil(() => receiver.events.length >= 2 || undefined, { what: 'what was told' });
    assert.deepEqual(
      receiver.events.map(({ event }) => event),
      ['opened', 'report'],
    );
    assert.deepEqual(
      receiver.requests.map(({ headers }) => headers['idempotency-key']!.split(':').at(-2)),
      ['opened', 'opened', 'opened', 'report'],
    );
    const told = await waitUntil(
      async () => {
        const all = await agent.notifications(finding.id);
        return all.length === 2 && all.every(({ status }) => status === 'delivered') ? all : undefined;
      },
      { what: 'both as delivered' },
    );
    assert.deepEqual(
      told.map(({ last_error: error }) => error),
      [null, null],
    );
    assert.equal((await call('GET', agent.at(''))).body.notification_error, null);
  });
});
