/** Sessions, findings and the list of agents over the API; what keys may do; deletion. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import { Finding, MonitoringAgent, MonitoringSession } from '../../../src/features/monitoring-agents/entities.ts';
import { monitoringAgentsRoom } from '../../../src/features/monitoring-agents/index.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { shortInvestigation } from '../../support/scripts.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';
import { callerOf, keyWith, ok, placesOf, type Call, type Json } from './api.ts';
import { gaugeCheck, gaugeSource, startAgent, type DrivenAgent, type Gauge } from './support.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('what monitoring agents did, over the API', () => {
  let harness: Harness;
  let gauge: Gauge;
  let call: Call;
  let teamId: string;
  before(async () => {
    const made = gaugeSource();
    gauge = made.gauge;
    const env = { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' };
    harness = await startHarness({ script: shortInvestigation, sources: [made.source], env });
    call = callerOf(harness.url, harness.apiKey);
    teamId = (await ok(call('GET', '/api/team'))).id;
  });
  after(() => harness?.stop());
  beforeEach(() => {
    Object.assign(gauge, { value: 1, failure: undefined });
  });

  const em = () => forTeam(harness.database.orm.em, teamId);
  const get = (path: string): Promise<Json> => ok(call('GET', path));
  const listed = async ({ id }: { id: string }): Promise<Json> =>
    (await get('/api/monitoring-chat/list')).chats.find(({ chat_id }: Json) => chat_id === id);

  it('lists sessions, the newest first, page by page, of a check or with a status', async () => {
    const agent = await startAgent(harness, [gaugeCheck(), gaugeCheck({ id: 'second' })]);
    await agent.untilSessions(2);
    gauge.value = 500;
    await ok(call('POST', agent.at('/run'), { checks: ['queue'] }));
    await agent.untilSessions(3);
    gauge.failure = 'it is away';
    await ok(call('POST', agent.at('/run'), { checks: ['second'] }));
    await agent.untilSessions(4);
    const all = await get(agent.at('/sessions'));
    assert.deepEqual(all.sessions.map(({ check_id, status }: Json) => `${check_id} ${status}`).slice(0, 2), [
      'second failed',
      'queue finding',
    ]);
    assert.deepEqual([all.page, all.count, all.has_more], [1, 20, false]);
    const pages = [await get(agent.at('/sessions?count=3')), await get(agent.at('/sessions?count=3&page=2'))];
    assert.deepEqual(
      pages.map(({ has_more }) => has_more),
      [true, false],
    );
    assert.deepEqual(
      pages.flatMap(({ sessions }) => sessions),
      all.sessions,
    );
    const only = async (query: string): Promise<string[]> =>
      (await get(agent.at(`/sessions?${query}`))).sessions.map(({ check_id, status }: Json) => `${check_id} ${status}`);
    assert.deepEqual(await only('check_id=queue'), ['queue finding', 'queue ok']);
    assert.deepEqual(await only('status=ok&check_id=second'), ['second ok']);
    assert.deepEqual(await only('check_id=nowhere'), []);
    for (const query of ['status=bad', 'page=0', 'count=101', 'count=x', `check_id=${'x'.repeat(65)}`]) {
      const [place] = placesOf(await call('GET', agent.at(`/sessions?${query}`)));
      assert.equal(place, `query.${query.split('=')[0]}`);
    }
    const [, found] = all.sessions;
    const detail = await get(agent.at(`/sessions/${found.id}`));
    assert.deepEqual({ ...detail, evidence: [], tool_calls: [], workflow_id: null }, { ...found, ...noDetail });
    assert.ok(detail.evidence.length > 0 && detail.evidence[0].source === 'gauge');
    assert.equal(found.observations[0].is_finding, true);
    assert.deepEqual([found.cost, found.model, found.trigger, found.chat_id], [0, null, 'now', agent.id]);
    assert.equal((await call('GET', agent.at(`/sessions/${randomUUID()}`))).status, 404);
    const other = await startAgent(harness, []);
    assert.equal((await call('GET', other.at(`/sessions/${found.id}`))).status, 404, 'of another agent');
  });

  it('lists findings of an agent and of the team, and shows one with its evidence and notifications', async () => {
    const receiver = await startWebhookReceiver(SECRET);
    try {
      const agent = await startAgent(harness, [gaugeCheck({ on_finding: ['notify'], title: 'Queue' })], {
        notification_channel: { type: 'webhook', url: `${receiver.url}/hook`, secret: SECRET },
      });
      await agent.untilSessions(1);
      gauge.value = 500;
      await agent.runNow();
      const delivered = await waitUntil(
        async () => {
          const [open] = (await get(agent.at('/findings?status=open'))).findings;
          const detail = open && (await get(`/api/findings/${open.id}`));
          return detail?.notifications[0]?.status === 'delivered' ? detail : undefined;
        },
        { what: 'a notification' },
      );
      assert.deepEqual(
        [delivered.chat_id, delivered.origin, delivered.severity, delivered.on_finding, delivered.occurrences],
        [agent.id, 'check', 'warning', ['notify'], 1],
      );
      const [notification] = delivered.notifications;
      assert.deepEqual([notification.event, notification.attempts, notification.last_error], ['opened', 1, null]);
      assert.equal(notification.channel.type, 'webhook');
      assert.ok(delivered.evidence.length > 0 && delivered.sources[0].failing);
      assert.equal((await get(agent.at(`/sessions/${delivered.sources[0].session_id}`))).status, 'finding');
      const summary = await listed(agent);
      assert.equal(summary.open_findings, 1);
      assert.equal(summary.temporal.workflow_id, `monitoring-agent-${agent.id}`);

      const ofTeam = await get('/api/findings?status=open&count=1');
      assert.deepEqual([ofTeam.findings.length, ofTeam.page, ofTeam.count], [1, 1, 1]);
      assert.ok(ofTeam.total >= 1);
      const [ofAgent] = (await get(`/api/findings?chat_id=${agent.id}`)).findings;
      assert.deepEqual(ofAgent.agent, { id: agent.id, title: summary.title });
      assert.equal((await get(`/api/findings?chat_id=${randomUUID()}`)).total, 0);
      const totalOf = async (query: string): Promise<number> => (await get(agent.at(`/findings?${query}`))).total;
      assert.deepEqual([await totalOf('severity=warning'), await totalOf('severity=critical')], [1, 0]);
      assert.deepEqual(placesOf(await call('GET', '/api/findings?severity=bad')), ['query.severity']);
      const { service, opened_at: openedAt } = delivered;
      const counted = async (query: Record<string, string>): Promise<number> =>
        (await get(`/api/findings?${new URLSearchParams({ chat_id: agent.id, ...query }).toString()}`)).total;
      assert.deepEqual([await counted({ service }), await counted({ service: 'another' })], [1, 0]);
      assert.deepEqual([await counted({ origin: 'check' }), await counted({ origin: 'alert' })], [1, 0]);
      assert.deepEqual([await counted({ from: openedAt }), await counted({ to: openedAt })], [1, 0]);
      assert.deepEqual(placesOf(await call('GET', '/api/findings?from=yesterday')), ['query.from']);
      gauge.value = 1;
      await agent.runNow();
      await waitUntil(async () => (await get(agent.at('/findings?status=resolved'))).total === 1 || undefined, {
        what: 'the end of the finding',
      });
      assert.equal((await get(agent.at('/findings?status=open'))).total, 0);
      assert.equal((await listed(agent)).open_findings, 0);
      assert.deepEqual(placesOf(await call('GET', '/api/findings?status=bad&page=0')).toSorted(), [
        'query.page',
        'query.status',
      ]);
      assert.equal((await call('GET', `/api/findings/${randomUUID()}`)).status, 404);
      assert.deepEqual(placesOf(await call('GET', '/api/findings/nonsense')), ['path.finding_id']);
    } finally {
      await receiver.stop();
    }
  });

  it('lists agents by their titles: how they stand and why, and that a notification could not be delivered', async () => {
    const receiver = await startWebhookReceiver('whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcg==');
    try {
      const bad = await startAgent(harness, [gaugeCheck({ on_finding: ['notify'] })], {
        title: 'A refused one',
        notification_channel: { type: 'webhook', url: `${receiver.url}/hook`, secret: SECRET },
      });
      await bad.untilSessions(1);
      gauge.value = 500;
      await bad.runNow();
      const refused = await waitUntil(
        async () => {
          const agent = await listed(bad);
          return agent.notification_error ? agent : undefined;
        },
        { what: 'a notification that is refused' },
      );
      assert.match(refused.notification_error, /401/);
      const [finding] = (await get(bad.at('/findings'))).findings;
      const { notifications } = await get(`/api/findings/${finding.id}`);
      assert.match(notifications[0].last_error, /401/);
      const paused = await startAgent(harness, [gaugeCheck()], { title: 'B paused one', active: false });
      const empty = await startAgent(harness, [], { title: 'C empty one' });
      const draft = await listed(empty);
      assert.deepEqual([draft.status, draft.reasons, draft.checks, draft.next_due_at], ['starting', [], 0, null]);
      const { chats, total } = await get('/api/monitoring-chat/list');
      assert.equal(chats.length, total);
      const titles = chats.map(({ title }: Json) => title);
      assert.deepEqual(titles, titles.toSorted());
      const shown = await listed(paused);
      assert.deepEqual([shown.status, shown.reasons, shown.active, shown.next_due_at], ['paused', [], false, null]);
      assert.deepEqual([shown.summary, shown.checks, shown.plan_version], ['The queue of orders', 1, 1]);
      assert.deepEqual(await get(paused.at('')), shown);
    } finally {
      await receiver.stop();
    }
  });

  it('shows a silent agent as degraded, even if nobody is left to notice', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    await waitUntil(async () => (await listed(agent)).status === 'active' || undefined, {
      what: 'an active agent',
    });
    await em().nativeUpdate(MonitoringAgent, { id: agent.id }, { silentAt: new Date(Date.now() - 1_000) });
    const { status, reasons, last_result_at: last } = await listed(agent);
    assert.deepEqual(
      [status, reasons],
      ['degraded', [`A check has had no result since ${last}, for three periods or more.`]],
    );
  });

  it('answers with what each key may do', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    const [reading, writing, triggering, none] = await Promise.all([
      keyWith(call, 'monitoring:read'),
      keyWith(call, 'monitoring:write'),
      keyWith(call, 'monitoring:trigger'),
      keyWith(call, 'chats:read'),
    ]);
    const scopes = { [reading]: 'monitoring:read', [writing]: 'monitoring:write', [triggering]: 'monitoring:trigger' };
    for (const { method, path, operationId, auth } of monitoringAgentsRoom.endpoints) {
      // Slack signs its requests instead.
      if (operationId === 'slackInteraction') continue;
      if (auth === 'none') throw new Error(`${operationId} needs no key`);
      const at = path.replace('{chat_id}', agent.id).replaceAll(/\{\w+\}/g, randomUUID());
      for (const key of [reading, writing, triggering, none]) {
        if (scopes[key] !== undefined && auth.scopes.includes(scopes[key])) continue;
        const body = ['post', 'patch'].includes(method) ? {} : undefined;
        const answer = await call(method.toUpperCase(), at, body, key);
        assert.equal(answer.status, 403, `${operationId} with ${scopes[key] ?? 'no scope'}: ${answer.text}`);
        assert.equal(answer.body.code, 'insufficient_scope');
      }
    }
    assert.equal((await call('GET', agent.at('/plan'), undefined, reading)).status, 200);
    assert.equal((await call('POST', agent.at('/pause'), undefined, writing)).status, 200);
  });

  it('takes triggers with a bearer only', async () => {
    const body = JSON.stringify({ type: 'check_now' });
    const post = (headers: Record<string, string>) =>
      fetch(`${harness.url}/api/monitor`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    for (const headers of [
      {},
      { 'x-api-key': harness.apiKey },
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${harness.apiKey}` },
      { authorization: harness.apiKey },
    ] as Record<string, string>[]) {
      const answer = await post(headers);
      assert.equal(answer.status, 401, JSON.stringify(headers));
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
    }
    const key = await keyWith(call, 'monitoring:trigger');
    assert.equal((await post({ authorization: `Bearer ${key}` })).status, 200);
    assert.equal((await call('POST', `/api/monitor?chat_id=${randomUUID()}`, JSON.parse(body), key)).status, 404);
  });

  it('deletes an agent once, and all that belongs to it; investigations stay', async () => {
    gauge.value = 500;
    const agent = await startAgent(harness, [gaugeCheck()]);
    const investigation = await waitUntil(async () => (await agent.findings())[0]?.investigation?.id, {
      what: 'an investigation',
    });
    // One that is committed and not started yet is the sweeper's.
    const opened = async (id: string) => {
      const { body } = await harness.request('GET', `/api/findings?investigation_id=${id}`);
      return (body as { findings: { investigation: { id: string } }[] }).findings.map((one) => one.investigation.id);
    };
    assert.deepEqual([await opened(investigation), await opened(randomUUID())], [[investigation], []]);
    const workflow = harness.temporal.workflow.getHandle(`investigation-${investigation}`);
    await waitUntil(() => workflow.describe().catch(() => undefined), { what: 'its workflow' });
    assert.deepEqual(await ok(call('DELETE', agent.at(''))), { chat_id: agent.id, deleted: true });
    assert.equal((await call('DELETE', agent.at(''))).status, 404);
    for (const path of ['', '/plan', '/plan/versions', '/config', '/sessions', '/findings']) {
      assert.equal((await call('GET', agent.at(path))).status, 404, path);
    }
    for (const path of ['/pause', '/resume', '/run', '/config/test']) {
      assert.equal((await call('POST', agent.at(path), {})).status, 404, path);
    }
    assert.equal((await call('PATCH', agent.at('/plan'), { active: true })).status, 404);
    assert.equal((await call('PATCH', agent.at('/config'), { title: 'Late' })).status, 404);
    const message = { message: 'Are you there?', chat_id: agent.id };
    assert.equal((await call('POST', '/api/monitoring-chat', message)).status, 404);
    assert.equal(await listed(agent), undefined);
    await waitUntil(async () => (await left(agent)) === 0 || undefined, { what: 'nothing left' });
    assert.equal((await harness.untilEnded(investigation)).status, 'completed');
    assert.equal(await left(agent), 0, 'the end of the investigation brings nothing back');
  });

  const left = async ({ id: agentId }: DrivenAgent): Promise<number> => {
    const counts = await Promise.all([
      em().count(MonitoringAgent, { id: agentId }, { filters: { present: false } }),
      em().count(MonitoringSession, { agentId }),
      em().count(Finding, { agentId }),
      em().count(Effect, { ownerId: agentId }),
    ]);
    return counts.reduce((sum, n) => sum + n, 0);
  };
});

const noDetail = { evidence: [], tool_calls: [], workflow_id: null };
