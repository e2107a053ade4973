/** The workflow of a finding, with its own activities, a real Temporal server and PostgreSQL. */
import { Run } from '../../src/features/runs/index.ts';
import assert from 'node:assert/strict';
import { Effect } from '../../src/features/effects/index.ts';
import { waitUntil } from '../support/wait-until.ts';
import { forTeam } from '../../src/db/team-filter.ts';
import { Investigation } from '../../src/features/investigations/index.ts';
import { investigationWorkflowId } from '../../src/features/investigations/contract.ts';
import { findingWorkflowId } from '../../src/features/monitoring-agents/contract.ts';
import { MonitoringAgent, type Finding } from '../../src/features/monitoring-agents/entities.ts';
import {
  actOnFinding,
  commitFindingInvestigation,
  judgingCostSince,
  type WantedAct,
} from '../../src/features/monitoring-agents/findings/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { DeliveryError } from '../../src/features/notifications/port.ts';
import type { Check } from '../../src/features/monitoring-agents/plan/schema.ts';
import { taskOf } from '../features/chats/script.ts';
import {
  checkOf,
  findingsOf,
  notificationsOf,
  observe,
  observeOutside,
  resultOf,
  seen,
  storeAgent,
  type StoredAgent,
} from '../features/monitoring-agents/findings/support.ts';
import { changeFinding, startFindingWorkflows, type FindingWorkflows } from '../support/finding-workflows.ts';
import { shortInvestigation } from '../support/scripts.ts';
import type { ScriptedStep } from '../support/scripted-model/index.ts';

describe('the workflow of a finding', () => {
  let workflows: FindingWorkflows;
  let agent: StoredAgent;
  /** What a model says of a finding. */
  let judged: ScriptedStep = {};
  before(async () => {
    workflows = await startFindingWorkflows({
      script: async (context) =>
        taskOf(context.request) === 'finding_judgement'
          ? judged
          : typeof shortInvestigation === 'function'
            ? shortInvestigation(context)
            : {},
    });
  });
  after(() => workflows?.stop());
  beforeEach(async () => {
    agent = await storeAgent(workflows.database.orm);
    workflows.sent.length = 0;
    workflows.attempts.length = 0;
    workflows.channel.deliver = async ({ idempotencyKey }) => ({
      receipt: 'took it',
      thread: { first: idempotencyKey },
    });
  });

  const quick = { recoveries: 1, cool_down_seconds: 600 };
  const say = async (check: Check, isFinding: boolean, agoMs = 0): Promise<Finding> => {
    const at = new Date(Date.now() - agoMs);
    const changed = await observe(workflows.database.orm, agent, check, resultOf(seen('cart', isFinding)), { at });
    await workflows.tell(changed);
    const [finding] = await findingsOf(workflows.database.orm, agent);
    assert.ok(finding);
    return finding;
  };
  const stored = (): ReturnType<typeof notificationsOf> => notificationsOf(workflows.database.orm, agent);
  const states = async (): Promise<string[]> =>
    (await stored()).map(({ event, status, attempts }) => `${event} ${status} ${attempts}`);
  /** What was sent is stored as delivered a moment later. */
  const untilDelivered = async (count: number): Promise<void> => {
    const delivered = async (): Promise<true | undefined> =>
      (await stored()).filter(({ status }) => status === 'delivered').length >= count || undefined;
    await waitUntil(delivered, { what: `${count} as delivered` });
  };
  /** Its cool-down is over by now. */
  const pass = async (finding: Finding): Promise<void> => {
    const { id } = finding;
    await workflows.until(id, 'it is resolved', ({ status }) => status === 'resolved');
    await changeFinding(workflows.database, finding, { resolvedAt: new Date(Date.now() - 3_600_000) });
    await workflows.temporal.workflow
      .getHandle(findingWorkflowId(id))
      .signal('finding_changed', { revision: 0, status: 'resolved' });
  };

  it('tells people, has it investigated, reports in the same thread, says that it is over, and ends', async () => {
    const finding = await say(checkOf(quick), true);
    assert.deepEqual(await workflows.untilSent(2), ['opened', 'report']);
    const { investigationId } = await workflows.until(
      finding.id,
      'an investigation',
      (row) => row.investigationId !== null,
    );
    const child = await workflows.temporal.workflow.getHandle(investigationWorkflowId(investigationId!)).describe();
    assert.equal(child.parentExecution?.workflowId, findingWorkflowId(finding.id));
    assert.match((await child.staticSummary()) ?? '', /Watches the shop/);

    await say(checkOf(quick), false);
    assert.deepEqual(await workflows.untilSent(3), ['opened', 'report', 'resolved']);
    const [opened, report, resolved] = workflows.sent;
    assert.equal(opened?.thread, undefined);
    assert.deepEqual(
      [report?.thread, resolved?.thread],
      [{ first: opened?.idempotencyKey }, { first: opened?.idempotencyKey }],
    );
    assert.match(opened?.message.text ?? '', /p95 of cart is 1.9 s, usual are 0.2 s/);
    assert.equal(report?.message.title, 'Report: payment: connection pool exhausted');
    assert.match(report.message.markdown ?? '', /The pool of payment is exhausted/);
    assert.deepEqual(report.message.links, [
      { label: 'Investigation', url: `https://casebook.example/investigation/${investigationId}` },
      { label: 'Monitoring agent', url: `https://casebook.example/monitoring/${agent.id}` },
    ]);
    assert.match(resolved?.message.title ?? '', /^Resolved: /);

    await pass(finding);
    assert.deepEqual(await workflows.untilEnded(finding.id), { status: 'closed' });
    assert.deepEqual(await states(), ['opened delivered 1', 'report delivered 1', 'resolved delivered 1']);
    const { closedAt, revision, signalledRevision } = await workflows.until(
      finding.id,
      'closed',
      ({ status }) => status === 'closed',
    );
    assert.ok(closedAt);
    assert.equal(signalledRevision, revision);
  });

  it('tries a channel that fails until it takes it, and shows the failure meanwhile; the investigation does not wait', async () => {
    const shown: (string | null)[] = [];
    const em = () => forTeam(workflows.database.orm.em, agent.teamId);
    workflows.channel.deliver = async ({ attempt }) => {
      const [row] = await stored();
      shown.push(row?.lastError ?? null);
      const isInvestigated = (await em().count(Investigation, { status: 'completed' })) > 0;
      if (attempt > 3 && isInvestigated) return { receipt: 'took it in the end' };
      if (row?.status === 'delivered') return { receipt: 'took this as well' };
      throw new DeliveryError(`refused ${attempt}`, { retryable: true, retryAfterMs: 300 });
    };
    await say(checkOf(quick), true);
    assert.deepEqual(await workflows.untilSent(2), ['opened', 'report']);
    await untilDelivered(2);
    assert.deepEqual(shown.slice(0, 4), [null, 'refused 1', 'refused 2', 'refused 3']);
    const [opened] = await stored();
    assert.deepEqual(await states(), [`opened delivered ${opened?.attempts}`, 'report delivered 1']);
    const tried = workflows.attempts.slice(0, opened?.attempts).map(({ idempotencyKey }) => idempotencyKey);
    assert.equal(new Set(tried).size, 1);
    const [first] = await stored();
    assert.deepEqual([first?.lastError, first?.delivered?.receipt], [null, 'took it in the end']);
  });

  it('gives a channel up that can never take it, and goes on with what else is to be done', async () => {
    workflows.channel.deliver = () => Promise.reject(new DeliveryError('no such channel', { retryable: false }));
    const finding = await say(checkOf(quick), true);
    const done = async (): Promise<true | undefined> => (await states()).length === 2 || undefined;
    await waitUntil(done, { what: 'both notifications' });
    await waitUntil(async () => (await states()).every((one) => one.includes('failed')) || undefined, {
      what: 'both failures',
    });
    assert.deepEqual(await states(), ['opened failed 1', 'report failed 1']);
    assert.equal((await stored())[0]?.lastError, 'no such channel');
    const { investigationId } = await workflows.until(
      finding.id,
      'an investigation',
      (row) => row.investigationId !== null,
    );
    const em = forTeam(workflows.database.orm.em, agent.teamId);
    assert.equal((await em.findOneOrFail(Investigation, { id: investigationId! })).status, 'completed');
  });

  it('gives a channel up after a day', async () => {
    workflows.channel.deliver = async ({ attempt }) => {
      if (attempt === 1) {
        const em = forTeam(workflows.database.orm.em, agent.teamId);
        const createdAt = new Date(Date.now() - 25 * 3_600_000);
        await em.nativeUpdate(Effect, { ownerId: agent.id }, { createdAt });
      }
      throw new DeliveryError(`attempt ${attempt}`, { retryable: true, retryAfterMs: 100 });
    };
    await say(checkOf({ ...quick, on_finding: ['notify'] }), true);
    const failed = async (): Promise<true | undefined> => (await states())[0]?.startsWith('opened failed') || undefined;
    await waitUntil(failed, { what: 'that it is given up' });
    assert.deepEqual(await states(), ['opened failed 2']);
  });

  it('notes that there is no channel', async () => {
    await forTeam(workflows.database.orm.em, agent.teamId).nativeUpdate(
      MonitoringAgent,
      { id: agent.id },
      { channel: null },
    );
    await say(checkOf({ ...quick, on_finding: ['notify'] }), true);
    await waitUntil(async () => (await states()).length > 0 || undefined, { what: 'the note' });
    assert.deepEqual(await states(), ['opened skipped 0']);
  });

  describe('that a model judges first', () => {
    const judging = { ...quick, judge: true };

    it('tells nobody what is not worth it, and keeps why', async () => {
      judged = {
        text: '```json\n{"worth_telling": false, "title": "A blip", "reason": "It is over in a second."}\n```',
      };
      const finding = await say(checkOf(judging), true);
      const { judgement } = await workflows.until(finding.id, 'a judgement', (row) => row.judgement !== null);
      assert.deepEqual([judgement?.isWorthIt, judgement?.reason], [false, 'It is over in a second.']);
      await say(checkOf(judging), false);
      await pass(finding);
      assert.deepEqual(await workflows.untilEnded(finding.id), { status: 'closed' });
      assert.deepEqual(await states(), []);
      const [row] = await findingsOf(workflows.database.orm, agent);
      assert.equal(row?.investigationId, null);
      const em = forTeam(workflows.database.orm.em, agent.teamId);
      const cost = await judgingCostSince(em, agent.id, new Date(Date.now() - 60_000));
      assert.ok(cost > 0);
      assert.equal(cost, judgement?.costUsd);
      assert.equal(await judgingCostSince(em, agent.id, new Date(Date.now() + 60_000)), 0);
    });

    it('tells what is worth it under the name that the model gave it', async () => {
      judged = { text: '{"worth_telling": true, "title": "cart is slow: 1.9 s", "reason": "Users wait."}' };
      await say(checkOf({ ...judging, on_finding: ['notify'] }), true);
      await workflows.untilSent(1);
      assert.equal(workflows.sent[0]?.message.title, 'cart is slow: 1.9 s');
      assert.match(workflows.sent[0].message.text, /Users wait/);
    });

    it('tells it when the answer cannot be read', async () => {
      judged = { text: 'I would say so.' };
      await say(checkOf({ ...judging, on_finding: ['notify'] }), true);
      await workflows.untilSent(1);
      assert.match(workflows.sent[0]?.message.text ?? '', /could not be read/);
    });

    it('tells it when the model fails, and says so', async () => {
      judged = { error: { status: 401, type: 'authentication_error', message: 'wrong key' } };
      await say(checkOf({ ...judging, on_finding: ['notify'] }), true);
      await workflows.untilSent(1);
      assert.match(workflows.sent[0]?.message.text ?? '', /without model review\. The model could not be asked/);
    });
  });

  it('says that it is back, in the same thread', async () => {
    const check = checkOf({ ...quick, on_finding: ['notify'] });
    await say(check, true, 4_000);
    await workflows.untilSent(1);
    await say(check, false, 3_000);
    await workflows.untilSent(2);
    await say(check, true, 2_000);
    assert.deepEqual(await workflows.untilSent(3), ['opened', 'resolved', 'reopened']);
    assert.deepEqual(workflows.sent[2]?.thread, { first: workflows.sent[0]?.idempotencyKey });
  });

  it('says once that it is flapping, and is silent then', async () => {
    const check = checkOf({ ...quick, on_finding: ['notify'] });
    for (let step = 0; step < 7; step += 1) {
      await say(check, step % 2 === 0, 10_000 - step * 1_000);
      await workflows.untilSent(step + 1);
    }
    const finding = await say(check, false, 2_000);
    await say(check, true, 1_000);
    const told = await workflows.until(finding.id, 'that it is told', (row) => row.signalledRevision === row.revision);
    assert.ok(told.isFlapping);
    // It was read after the last change: nothing more is due.
    const before = await reads(finding.id);
    await workflows.tell([told]);
    await waitUntil(async () => (await reads(finding.id)) > before || undefined, {
      what: 'another look',
    });
    assert.deepEqual(
      (await states()).map((one) => one.split(' ')[0]),
      ['opened', 'resolved', 'reopened', 'resolved', 'reopened', 'resolved', 'flapping'],
    );
  });

  it('ends when its agent is deleted', async () => {
    const finding = await say(checkOf({ ...quick, on_finding: ['notify'] }), true);
    await workflows.untilSent(1);
    await forTeam(workflows.database.orm.em, agent.teamId).nativeUpdate(
      MonitoringAgent,
      { id: agent.id },
      { deletedAt: new Date() },
    );
    await workflows.tell([finding]);
    assert.deepEqual(await workflows.untilEnded(finding.id), { status: 'gone' });
  });

  it('ends when it is cancelled; the investigation goes on', async () => {
    workflows.channel.deliver = async () => ({ receipt: 'took it' });
    const finding = await say(checkOf(quick), true);
    const { investigationId } = await workflows.until(
      finding.id,
      'an investigation',
      (row) => row.investigationId !== null,
    );
    const child = workflows.temporal.workflow.getHandle(investigationWorkflowId(investigationId!));
    await waitUntil(() => child.describe().catch(() => undefined), { what: 'its workflow' });
    await workflows.temporal.workflow.getHandle(findingWorkflowId(finding.id)).cancel();
    await assert.rejects(workflows.untilEnded(finding.id));
    const { status } = await child.result();
    assert.equal(status, 'completed');
  });

  it('that belongs to no agent is investigated, under the id its maker already knows', async () => {
    const { orm } = workflows.database;
    const { teamId } = agent;
    const alert = {
      fingerprint: 'generic:1',
      source: 'generic' as const,
      title: 'checkout is down',
      summary: '5xx',
      labels: { a: 'b' },
      links: [],
      severity: 'critical' as const,
      status: 'firing' as const,
    };
    const finding = await observeOutside(orm, teamId, alert, new Date());
    assert.ok(finding);
    const id = await forTeam(orm.em, teamId).transactional((em) =>
      commitFindingInvestigation(workflows.deps, em, finding.id),
    );
    await workflows.tell([finding]);
    const ended = async (): Promise<Investigation | undefined> => {
      const row = await forTeam(orm.em, teamId).findOneOrFail(Investigation, { id: id! });
      return row.status === 'processing' ? undefined : row;
    };
    const row = await waitUntil(ended, { what: 'the investigation' });
    assert.equal(row.status, 'completed');
    assert.match(row.query, /checkout is down/);
    assert.equal(await forTeam(orm.em, teamId).count(Effect, { subjectId: finding.id }), 0);
  });

  it('tells nothing twice when its workflow is terminated and started again by the sweeper', async () => {
    const finding = await say(checkOf(quick), true);
    await workflows.untilSent(2);
    await untilDelivered(2);
    await workflows.temporal.workflow.getHandle(findingWorkflowId(finding.id)).terminate('lost');
    await changeFinding(workflows.database, finding, { updatedAt: new Date(Date.now() - 120_000) });
    await workflows.sweep();
    await say(checkOf(quick), false);
    assert.deepEqual(await workflows.untilSent(3), ['opened', 'report', 'resolved']);
    await pass(finding);
    assert.deepEqual(await workflows.untilEnded(finding.id), { status: 'closed' });
    assert.deepEqual(await states(), ['opened delivered 1', 'report delivered 1', 'resolved delivered 1']);
  });

  it('is told by the sweeper what Temporal did not take', async () => {
    const check = checkOf({ ...quick, on_finding: ['notify'] });
    const [finding] = await observe(workflows.database.orm, agent, check, resultOf(seen('cart', true)));
    await changeFinding(workflows.database, finding!, { updatedAt: new Date(Date.now() - 4_000) });
    await workflows.sweep();
    assert.deepEqual(await workflows.untilSent(1), ['opened']);
    const { signalledRevision } = await workflows.until(finding!.id, 'told', (row) => row.signalledRevision === 1);
    assert.equal(signalledRevision, 1);
  });

  describe('with what people do', () => {
    const check = checkOf({ ...quick, on_finding: ['notify'] });
    /** Temporal does not hear of it: the process ends after the commit. */
    const act = async ({ id }: Finding, wanted: WantedAct): Promise<void> => {
      const { orm, log } = workflows.deps;
      const launcher = { notify: () => Promise.reject(new Error('killed')), state: async () => 'running' as const };
      const em = forTeam(orm.em, agent.teamId);
      await actOnFinding(
        { clock: systemClock, findings: { orm, log, launcher } },
        em,
        { teamId: agent.teamId, scopes: [] },
        id,
        wanted,
      );
      await workflows.sweep({ graceMs: -1_000 });
    };

    it('tells it once in the thread, and what an acknowledgement leaves', async () => {
      const finding = await say(check, true, 6_000);
      await workflows.untilSent(1);
      await act(finding, { act: 'acknowledge', acknowledged: true, comment: 'looking' });
      await workflows.untilSent(2);
      const [, acknowledged] = workflows.sent;
      assert.match(acknowledged!.message.title, /^Acknowledged by somebody: Latency is usual: cart/);
      assert.equal(acknowledged!.message.text, 'looking');
      assert.deepEqual(acknowledged!.thread, { first: workflows.sent[0]?.idempotencyKey });
      await workflows.temporal.workflow.getHandle(findingWorkflowId(finding.id)).terminate('lost');
      await say(check, false, 4_000);
      await workflows.untilSent(3);
      assert.match(workflows.sent[2]!.message.text, /Acknowledged by somebody\./);
      await say(check, true, 3_000);
      await act(finding, { act: 'comment', comment: 'again' });
      await workflows.untilSent(4);
      await act(finding, { act: 'close' });
      assert.deepEqual(await workflows.untilSent(5), ['opened', 'acknowledged', 'resolved', 'commented', 'closed']);
      assert.deepEqual(await workflows.untilEnded(finding.id), { status: 'closed' });
      await act(finding, { act: 'comment', comment: 'afterwards' });
      await workflows.untilSent(6);
      assert.deepEqual(await workflows.untilEnded(finding.id), { status: 'closed' });
    });

    it('tells nobody while it is muted, and its state when that ends by itself', async () => {
      const finding = await say(check, true, 6_000);
      await workflows.untilSent(1);
      const until = new Date(Date.now() + 4_000);
      await act(finding, { act: 'mute', until });
      await workflows.untilSent(2);
      await act(finding, { act: 'comment', comment: 'hush' });
      await say(check, false, 1_000);
      assert.deepEqual(await workflows.untilSent(3), ['opened', 'muted', 'resolved']);
      const { mutedUntil } = await workflows.until(finding.id, 'not muted', (row) => row.mutedUntil === null);
      assert.equal(mutedUntil, null);
      const resolved = (await stored()).find(({ event }) => event === 'resolved');
      assert.ok(resolved!.createdAt >= until);
    });
  });

  it('waits for an investigation that the sweeper was faster to start', async () => {
    const finding = await say(checkOf(quick), true);
    await workflows.untilSent(2);
    // The same child is asked for again by a workflow that knows nothing of it.
    await workflows.temporal.workflow.getHandle(findingWorkflowId(finding.id)).terminate('lost');
    const em = forTeam(workflows.database.orm.em, agent.teamId);
    const { investigationId } = (await findingsOf(workflows.database.orm, agent))[0]!;
    await em.nativeUpdate(Run, { id: investigationId! }, { status: 'processing' });
    await em.nativeDelete(Effect, { subjectId: finding.id, key: { $like: '%:report:%' } });
    await workflows.tell([finding]);
    await waitUntil(async () => (await reads(finding.id, 'readInvestigation')) > 1 || undefined, {
      what: 'a second look at the investigation',
    });
    await em.nativeUpdate(Run, { id: investigationId! }, { status: 'cancelled', explanation: 'Asked to stop.' });
    assert.deepEqual(await workflows.untilSent(3), ['opened', 'report', 'report']);
    assert.match(workflows.sent[2]?.message.title ?? '', /^The investigation was cancelled/);
  });

  async function reads(findingId: string, activity = 'readFinding'): Promise<number> {
    const { events } = await workflows.temporal.workflow.getHandle(findingWorkflowId(findingId)).fetchHistory();
    return (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity)
      .length;
  }
});

describe('the workflow of a finding, when it is interrupted', () => {
  it('tells nothing twice, although workers go in the middle of a delivery and it continues as new all the time', async () => {
    const workflows = await startFindingWorkflows({
      script: shortInvestigation,
      launch: { readsPerHistory: 1 },
      workers: 0,
    });
    try {
      const agent = await storeAgent(workflows.database.orm);
      const check = checkOf({ recoveries: 1, cool_down_seconds: 0 });
      const say = async (isFinding: boolean, agoMs: number): Promise<Finding[]> => {
        const at = new Date(Date.now() - agoMs);
        const changed = await observe(workflows.database.orm, agent, check, resultOf(seen('cart', isFinding)), { at });
        await workflows.tell(changed);
        return changed;
      };
      const sending = Promise.withResolvers<void>();
      workflows.channel.deliver = ({ signal }) => {
        sending.resolve();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      };
      const [finding] = await say(true, 2_000);
      const stopFirst = await workflows.startWorker();
      await sending.promise;
      await stopFirst();
      workflows.channel.deliver = async () => ({ receipt: 'took it' });
      const stopSecond = await workflows.startWorker();
      assert.deepEqual(await workflows.untilSent(2), ['opened', 'report']);
      await stopSecond();
      await say(false, 1_000);
      await workflows.startWorker();
      assert.deepEqual(await workflows.untilSent(3), ['opened', 'report', 'resolved']);
      assert.deepEqual(await workflows.untilEnded(finding!.id), { status: 'closed' });
      const events = (await notificationsOf(workflows.database.orm, agent)).map(
        ({ event, status }) => `${event} ${status}`,
      );
      assert.deepEqual(events, ['opened delivered', 'report delivered', 'resolved delivered']);
      assert.equal(workflows.sent.length, 3);
      const runs: string[] = [];
      const query = `WorkflowId = '${findingWorkflowId(finding!.id)}'`;
      for await (const { runId } of workflows.temporal.workflow.list({ query })) runs.push(runId);
      assert.ok(runs.length >= 2, `${runs.length} runs`);
    } finally {
      await workflows.stop();
    }
  });
});
