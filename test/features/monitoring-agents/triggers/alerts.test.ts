import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createTemporalClient } from '../../../../temporal/connection.ts';
import { findingWorkflowId } from '../../../../src/features/monitoring-agents/contract.ts';
import { Finding } from '../../../../src/features/monitoring-agents/entities.ts';
import { createFindingLauncher, settleFinding } from '../../../../src/features/monitoring-agents/findings/index.ts';
import { Investigation } from '../../../../src/features/investigations/index.ts';
import { Conversation } from '../../../../src/features/transcripts/index.ts';
import { alertmanager, datadog, grafana, pagerduty } from './payloads.ts';
import { startTriggerApi, type TestTeam, type TriggerApi } from './support.ts';

interface Answered {
  fingerprint: string;
  action: string;
  finding_id: string | null;
  investigation_id: string | null;
}

describe('alerts from outside', () => {
  let api: TriggerApi;
  before(async () => {
    api = await startTriggerApi();
  });
  after(() => api.stop());

  const alertsOf = async (team: TestTeam, body: unknown, chatId?: string): Promise<Answered[]> => {
    const { status, json, text } = await team.post(body, { chatId });
    assert.equal(status, 200, text);
    return json.alerts;
  };
  const only = async (team: TestTeam, body: unknown, chatId?: string): Promise<Answered> => {
    const [alert, ...rest] = await alertsOf(team, body, chatId);
    assert.ok(alert && rest.length === 0);
    return alert;
  };
  const counts = async (team: TestTeam): Promise<number[]> =>
    Promise.all([Finding, Investigation, Conversation].map((entity) => team.em().count(entity as typeof Finding)));

  it('one that fires is a finding and an investigation that can be polled; one that is resolved and was never seen is ignored', async () => {
    const team = api.newTeam();
    const { status, json } = await team.post(alertmanager());
    assert.equal(status, 200);
    const [firing, over] = json.alerts as [Answered, Answered];
    assert.deepEqual(over, {
      fingerprint: 'alertmanager:00aa11bb22cc33dd',
      title: 'PodRestarts: cart-6c5d-x2x',
      status: 'resolved',
      action: 'ignored',
      finding_id: null,
      investigation_id: null,
    });
    const finding = await team.em().findOneOrFail(Finding, { id: firing.finding_id });
    const investigation = await team.em().findOneOrFail(Investigation, { id: firing.investigation_id });
    assert.deepEqual(json, {
      kind: 'alerts',
      source: 'alertmanager',
      reason: null,
      alerts: [
        {
          fingerprint: 'alertmanager:c6eadffa33fcdf37',
          title: 'HighErrorRate: checkout',
          status: 'firing',
          action: 'opened',
          finding_id: finding.id,
          investigation_id: investigation.id,
        },
        over,
      ],
      truncated_alerts: 0,
      agents: [],
      repeated: false,
    });
    assert.deepEqual(
      [finding.status, finding.origin, finding.severity, finding.service, finding.agentId, finding.investigationId],
      ['open', 'alert', 'critical', 'checkout', null, investigation.id],
    );
    assert.equal(investigation.status, 'processing');
    assert.match(investigation.query, /HighErrorRate: checkout/);
    assert.match(investigation.query, /7\.4 % of the requests to checkout fail/);
    assert.ok(investigation.createdByCredentialId, 'whose key it was is known');
    const { status: workflow } = await api.temporal.workflow.getHandle(findingWorkflowId(finding.id)).describe();
    assert.equal(workflow.name, 'RUNNING');
  });

  it('comes again: the same finding; is over: resolved; comes back within the cool-down: reopened; after it: a new one', async () => {
    const team = api.newTeam();
    const first = await only(team, datadog());
    assert.equal(first.action, 'opened');
    for (const transition of ['Re-Triggered', 'Renotify', 'Triggered']) {
      api.clock.advance(60_000);
      const { json } = await team.post(datadog({ alert_transition: transition, body: `again: ${transition}` }));
      assert.equal(json.repeated, true);
      assert.deepEqual({ ...json.alerts[0] }, { ...first, action: 'repeated' });
    }
    api.clock.advance(60_000);
    const over = await only(team, datadog({ alert_transition: 'Recovered' }));
    assert.deepEqual([over.action, over.finding_id], ['resolved', first.finding_id]);
    assert.equal((await only(team, datadog({ alert_transition: 'Recovered' }))).action, 'repeated');
    api.clock.advance(60_000);
    const back = await only(team, datadog());
    assert.deepEqual(
      [back.action, back.finding_id, back.investigation_id],
      ['reopened', first.finding_id, first.investigation_id],
    );
    assert.deepEqual(await counts(team), [1, 1, 1]);

    api.clock.advance(60_000);
    await only(team, datadog({ alert_transition: 'Recovered' }));
    api.clock.advance(24 * 3_600_000);
    const anew = await only(team, datadog());
    assert.equal(anew.action, 'opened');
    assert.notEqual(anew.finding_id, first.finding_id);
    assert.notEqual(anew.investigation_id, first.investigation_id);
    assert.deepEqual(await counts(team), [2, 2, 2]);
  });

  it('twenty at once are one finding and one investigation', async () => {
    const team = api.newTeam();
    const answers = await Promise.all(Array.from({ length: 20 }, () => only(team, pagerduty())));
    assert.equal(answers.filter(({ action }) => action === 'opened').length, 1);
    assert.equal(answers.filter(({ action }) => action === 'repeated').length, 19);
    assert.equal(new Set(answers.map((one) => `${one.finding_id} ${one.investigation_id}`)).size, 1);
    assert.ok(answers[0]?.investigation_id);
    assert.deepEqual(await counts(team), [1, 1, 1]);
  });

  it('teams do not share alerts, and tools do not either', async () => {
    const [team, other] = [api.newTeam(), api.newTeam()];
    const ids = [
      await only(team, grafana()),
      await only(other, grafana()),
      await only(team, { title: 'Queue is growing', fingerprint: 'bc97ff14869b13e3' }),
    ].map(({ finding_id }) => finding_id);
    assert.equal(new Set(ids).size, 3);
  });

  it('two hundred of a request are taken at once, in three investigations; the rest is counted', async () => {
    const team = api.newTeam();
    const alerts = Array.from({ length: 230 }, (_, n) => ({
      status: 'firing',
      labels: { alertname: 'Down', instance: `host-${n}` },
    }));
    const { status, json } = await team.post(alertmanager({ alerts }));
    assert.equal(status, 200);
    assert.equal(json.truncated_alerts, 30);
    assert.equal(json.alerts.length, 200);
    assert.deepEqual(await counts(team), [200, 3, 3]);
    const investigated = new Set((json.alerts as Answered[]).map(({ investigation_id }) => investigation_id));
    assert.ok(investigated.size === 3 && !investigated.has(null));
  });

  it('said twice in one request counts once, by its last word', async () => {
    const team = api.newTeam();
    const [alert] = alertmanager().alerts;
    const say = (...statuses: string[]): Promise<Answered> =>
      only(team, alertmanager({ alerts: statuses.map((status) => ({ ...alert, status })) }));
    const first = await say('firing', 'firing');
    assert.equal(first.action, 'opened');
    assert.deepEqual(await say('resolved', 'firing'), { ...first, action: 'repeated' });
    assert.deepEqual(await say('firing', 'resolved'), { ...first, status: 'resolved', action: 'resolved' });
    const { occurrences } = await team.em().findOneOrFail(Finding, { id: first.finding_id });
    assert.equal(occurrences, 2);
    assert.deepEqual(await counts(team), [1, 1, 1]);
  });

  it('new, known and over in one request each become what they would alone', async () => {
    const team = api.newTeam();
    const alert = (name: string, status = 'firing') => ({ status, fingerprint: name, labels: { alertname: name } });
    const [a, b] = await alertsOf(team, alertmanager({ alerts: [alert('a'), alert('b')] }));
    api.clock.advance(60_000);
    const next = [alert('a'), alert('b', 'resolved'), alert('c'), alert('d', 'resolved')];
    const answers = await alertsOf(team, alertmanager({ alerts: next }));
    assert.deepEqual(Object.fromEntries(answers.map(({ fingerprint, action }) => [fingerprint, action])), {
      'alertmanager:a': 'repeated',
      'alertmanager:b': 'resolved',
      'alertmanager:c': 'opened',
      'alertmanager:d': 'ignored',
    });
    const rows = await team.em().find(Finding, {}, { orderBy: { dedupKey: 'asc' } });
    assert.deepEqual(
      rows.map(({ id, status, occurrences, revision }) => [id, status, occurrences, revision]),
      [
        [a?.finding_id, 'open', 2, 1],
        [b?.finding_id, 'resolved', 1, 2],
        [answers.find(({ action }) => action === 'opened')?.finding_id, 'open', 1, 1],
      ],
    );
  });

  it('come back after their finding was closed: a new one, that knows when the old one opened', async () => {
    const team = api.newTeam();
    const first = await only(team, datadog());
    const opened = api.clock.now().getTime();
    await only(team, datadog({ alert_transition: 'Recovered' }));
    api.clock.advance(20 * 60_000);
    const ref = { findingId: first.finding_id!, teamId: team.id };
    await settleFinding(api.database, { ...ref, at: api.clock.now().getTime() });
    const anew = await only(team, datadog());
    assert.equal(anew.action, 'opened');
    const { opens } = await team.em().findOneOrFail(Finding, { id: anew.finding_id });
    assert.deepEqual(opens, [opened, api.clock.now().getTime()]);
  });

  it('for nobody (severity: none) they are ignored', async () => {
    const team = api.newTeam();
    const watchdog = { status: 'firing', labels: { alertname: 'Watchdog', severity: 'none' }, fingerprint: '1' };
    assert.deepEqual((await only(team, alertmanager({ alerts: [watchdog] }))).action, 'ignored');
    assert.deepEqual(await counts(team), [0, 0, 0]);
  });

  it('events that nothing follows from are answered as ignored', async () => {
    const team = api.newTeam();
    const { status, json } = await team.post(pagerduty('incident.acknowledged'));
    assert.equal(status, 200);
    assert.match(json.reason, /incident\.acknowledged neither starts nor ends/);
    assert.deepEqual(
      { ...json, reason: '' },
      {
        kind: 'ignored',
        source: 'pagerduty',
        reason: '',
        alerts: [],
        truncated_alerts: 0,
        agents: [],
        repeated: false,
      },
    );
  });

  it('for an agent: its finding, and its checks run once each time the alert begins', async () => {
    const team = api.newTeam();
    const chatId = await team.newAgent();
    const first = await only(team, alertmanager({ alerts: alertmanager().alerts.slice(0, 1) }), chatId);
    const { agentId } = await team.em().findOneOrFail(Finding, { id: first.finding_id });
    assert.equal(agentId, chatId);
    const { json } = await team.post(alertmanager(), { chatId });
    assert.deepEqual(json.agents, [
      { chat_id: chatId, title: 'shop watch', started: false, reason: 'It was already notified of these alerts.' },
    ]);
    const [told, ...more] = await team.toldTo(chatId);
    assert.equal(told?.trigger, 'alert');
    assert.equal(more.length, 0);
    const [alert] = alertmanager().alerts;
    api.clock.advance(60_000);
    await only(team, alertmanager({ alerts: [{ ...alert, status: 'resolved' }] }), chatId);
    api.clock.advance(60_000);
    const { json: back } = await team.post(alertmanager({ alerts: [alert] }), { chatId });
    assert.deepEqual(back.agents, [{ chat_id: chatId, title: 'shop watch', started: true, reason: null }]);
    assert.equal(new Set((await team.toldTo(chatId)).map(({ triggerId }) => triggerId)).size, 2);

    const paused = await team.newAgent({ active: false });
    const { json: quiet } = await team.post(alertmanager(), { chatId: paused });
    assert.equal(quiet.alerts[0].action, 'opened', 'an alert is taken whether its agent is paused or not');
    assert.deepEqual(quiet.agents, [
      { chat_id: paused, title: 'shop watch', started: false, reason: 'The agent is paused.' },
    ]);
  });

  it('for an agent that does not exist, or belongs to another team: 404, and nothing is stored @never-forgiven', async () => {
    const [team, other] = [api.newTeam(), api.newTeam()];
    for (const chatId of [randomUUID(), await other.newAgent()]) {
      for (const body of [
        alertmanager(),
        pagerduty('incident.annotated'),
        { type: 'deploy', service: 'x' },
        { type: 'check_now' },
      ])
        assert.equal((await team.post(body, { chatId })).status, 404);
    }
    assert.deepEqual(await counts(team), [0, 0, 0]);
  });

  it('while Temporal is down they are still accepted, and an agent that could not be notified is notified by the repetition', async () => {
    const team = api.newTeam();
    const chatId = await team.newAgent();
    const { findings, launcher } = api.deps;
    const temporal = createTemporalClient({ address: '127.0.0.1:1', namespace: 'default' });
    api.deps.findings = { ...findings, launcher: createFindingLauncher(temporal) };
    api.deps.launcher = {
      checkNow: async () => {
        throw new Error('Temporal is away');
      },
    };
    try {
      const { status, json } = await team.post(grafana(), { chatId });
      assert.equal(status, 200);
      assert.equal(json.alerts[0].action, 'opened');
      assert.match(json.agents[0].reason, /Temporal did not accept/);
      const finding = await team.em().findOneOrFail(Finding, { id: json.alerts[0].finding_id });
      assert.ok(finding.signalledRevision < finding.revision, 'left to the sweeper');
    } finally {
      Object.assign(api.deps, { findings, launcher });
      await temporal.connection.close();
    }
    const { json } = await team.post(grafana(), { chatId });
    assert.equal(json.alerts[0].action, 'repeated');
    assert.equal(json.agents[0].started, true);
  });
});
