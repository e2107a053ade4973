/** Plans over the API: what they become, what is refused, who is shown to have changed them. */
import assert from 'node:assert/strict';
import { forTeam } from '../../../src/db/team-filter.ts';
import { MonitoringPlanVersion } from '../../../src/features/monitoring-agents/entities.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { byTurn } from '../../support/scripted-model/index.ts';
import { callerOf, keyWith, ok, placesOf, startIdleApi, type Call, type Json } from './api.ts';
import { gaugeCheck, gaugeSource, startAgent, type DrivenAgent } from './support.ts';

const changesThreshold = byTurn([
  {
    text: 'I raise it.',
    toolUses: [
      {
        name: 'update_monitoring_plan',
        input: { patch: { checks: [{ id: 'queue', severity: 'critical' }] }, reason: 'Ann asked for it.' },
      },
    ],
  },
  { text: 'It is critical now.' },
]);

describe('plans of monitoring agents over the API', () => {
  let harness: Harness;
  let call: Call;
  before(async () => {
    harness = await startHarness({ script: changesThreshold, sources: [gaugeSource().source] });
    call = callerOf(harness.url, harness.apiKey);
  });
  after(() => harness?.stop());

  const agentWith = (...checks: object[]): Promise<DrivenAgent> => startAgent(harness, checks);
  const versionsOf = (agent: DrivenAgent, query = ''): Promise<Json> =>
    ok(call('GET', agent.at(`/plan/versions${query}`)));
  const second = () => gaugeCheck({ id: 'second', title: 'Another' });

  it('merges: what is not named stays, null takes a member out, a check is removed by name, another is added', async () => {
    const agent = await agentWith(gaugeCheck({ severity: 'critical', check: { ...labelled } }), second());
    const changed = await ok(
      call('PATCH', agent.at('/plan'), {
        plan: {
          summary: 'Queues',
          checks: [
            { id: 'queue', check: { condition: { value: 5 }, labels: null }, severity: null },
            { id: 'second', remove: true },
            gaugeCheck({ id: 'third' }),
          ],
        },
        version: 1,
      }),
    );
    assert.equal(changed.version, 2);
    assert.deepEqual(
      changed.plan.checks.map(({ id }: Json) => id),
      ['queue', 'third'],
    );
    const [queue] = changed.plan.checks;
    assert.deepEqual(queue.check.condition, { type: 'threshold', operator: '>', value: 5 });
    assert.equal(queue.check.metric, 'queue_length');
    assert.deepEqual([queue.check.labels, queue.severity, changed.plan.summary], [undefined, 'warning', 'Queues']);
    const seen = await agent.untilPlan('what the workflow carries out', (plan) =>
      plan.answered_by === 'workflow' && plan.version === 2 ? plan : undefined,
    );
    assert.deepEqual((seen as Json).plan, changed.plan);
  });

  it('replaces the whole plan when asked to', async () => {
    const agent = await agentWith(gaugeCheck(), second());
    const plan = { summary: 'New', checks: [gaugeCheck({ id: 'only' })] };
    const changed = await ok(call('PATCH', agent.at('/plan'), { plan, replace: true }));
    assert.deepEqual([changed.version, changed.plan.summary, changed.checks.length], [2, 'New', 1]);
    const emptied = await ok(call('PATCH', agent.at('/plan'), { plan: { checks: [] }, replace: true }));
    assert.deepEqual([emptied.version, emptied.plan], [3, { summary: '', checks: [] }]);
  });

  it('a change for another version is a conflict that says which it is, and changes nothing', async () => {
    const agent = await agentWith(gaugeCheck());
    await ok(call('PATCH', agent.at('/plan'), { plan: { summary: 'Second' }, version: 1 }));
    const late = await call('PATCH', agent.at('/plan'), { plan: { summary: 'Third' }, active: false, version: 1 });
    assert.equal(late.status, 409);
    assert.deepEqual([late.body.code, late.body.plan_version], ['plan_version_conflict', 2]);
    const { version, plan, active } = (await agent.plan()) as Json;
    assert.deepEqual([version, plan.summary, active], [2, 'Second', true]);
  });

  it('of changes for one version that come at once one is made', async () => {
    const agent = await agentWith(gaugeCheck());
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => call('PATCH', agent.at('/plan'), { plan: { summary: `${n}` }, version: 1 })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ body }) => body.code === 'plan_version_conflict').length, 7);
    assert.equal((await agent.plan()).version, 2);
  });

  it('a plan that is not valid is refused with every reason where it is, and nothing is changed', async () => {
    const agent = await agentWith(gaugeCheck());
    const checks = [
      { id: 'Bad Id', title: '', schedule: { every_seconds: 1 }, check: { type: 'metric', source: 'gauge' } },
      { ...gaugeCheck(), id: 'both', schedule: { every_seconds: 60, cron: '* * * * *' } },
      { ...gaugeCheck(), id: 'never', schedule: { cron: '0 0 30 2 *' }, dedup_key: '{host}' },
    ];
    const expected = [
      'body.plan.checks.0.id',
      'body.plan.checks.0.title',
      'body.plan.checks.0.schedule.every_seconds',
      'body.plan.checks.0.check.condition',
      'body.plan.checks.1.schedule',
      'body.plan.checks.2.dedup_key',
      'body.plan.colour',
    ];
    for (const [replace, dry] of [
      [true, ''],
      [false, ''],
      [true, '?dry_run=true'],
      [false, '?dry_run=true'],
    ] as const) {
      const answer = await call('PATCH', agent.at(`/plan${dry}`), {
        plan: { checks, colour: 'red' },
        replace,
        active: false,
        reason: 'Why not',
      });
      const places = placesOf(answer);
      for (const place of expected) assert.ok(places.includes(place), `${place} is not in ${places.join(', ')}`);
      assert.ok(places.some((place) => place.startsWith('body.plan.checks.2.schedule')));
      for (const issue of answer.body.detail) {
        assert.deepEqual([typeof issue.type, typeof issue.msg, 'input' in issue], ['string', 'string', true]);
      }
    }
    const made = await call('POST', '/api/monitoring-chat', { message: 'Watch.', plan: { checks, colour: 'red' } });
    for (const place of expected) assert.ok(placesOf(made).includes(place), `${place}: ${made.text}`);
    const { version, active } = await agent.plan();
    assert.deepEqual([version, active, (await versionsOf(agent)).total], [1, true, 1]);
  });

  it('tries a change on request: answers with the plan that would be, and changes nothing', async () => {
    const agent = await agentWith(gaugeCheck());
    const planNow = (): Promise<Json> => ok(call('GET', agent.at('/plan')));
    const before = await planNow();
    const body = { plan: { summary: 'Something else.' }, active: false, version: 1 };
    const tried = await ok(call('PATCH', agent.at('/plan?dry_run=true'), body));
    assert.deepEqual([tried.plan.summary, tried.active, tried.version], ['Something else.', false, 2]);
    assert.equal(tried.plan.checks.length, 1);
    const { plan, active, version } = await planNow();
    assert.deepEqual([plan, active, version], [before.plan, true, 1]);
    assert.equal((await versionsOf(agent)).total, 1);
    const other = await call('PATCH', agent.at('/plan?dry_run=true'), { ...body, version: 7 });
    assert.equal(other.status, 409);
  });

  it('says what else is wrong with a change', async () => {
    const agent = await agentWith(gaugeCheck());
    const patch = (body: unknown) => call('PATCH', agent.at('/plan'), body);
    assert.deepEqual(placesOf(await patch({})), ['body']);
    assert.deepEqual(placesOf(await patch({ replace: true, active: true })), ['body']);
    assert.deepEqual(placesOf(await patch({ active: 'no', version: 0, reason: ' ', surprise: 1 })).toSorted(), [
      'body.active',
      'body.reason',
      'body.surprise',
      'body.version',
    ]);
    assert.deepEqual(placesOf(await patch({ plan: null })), ['body.plan']);
    assert.deepEqual(placesOf(await patch({ plan: { checks: [{ id: 'x', remove: true }] } })), [
      'body.plan.checks.0.id',
    ]);
    assert.equal((await agent.plan()).version, 1);
  });

  it('what changes nothing makes no version', async () => {
    const agent = await agentWith(gaugeCheck());
    const { plan } = (await agent.plan()) as Json;
    for (const body of [
      { plan: {} },
      { plan: { checks: [{ id: 'queue', severity: 'warning', enabled: null }] } },
      { plan, replace: true },
      { active: true },
    ]) {
      assert.equal((await ok(call('PATCH', agent.at('/plan'), { ...body, reason: 'Nothing' }))).version, 1);
    }
    assert.equal((await versionsOf(agent)).total, 1);
  });

  it('keeps who changed what, and why', async () => {
    const agent = await agentWith(gaugeCheck());
    const key = await keyWith(call, 'monitoring:write', 'monitoring:read');
    const member = await ok(call('POST', '/api/team/members', { email: `${agent.id}@example.org`, name: 'Ann' }));
    const ofAnn = await ok(
      call('POST', '/api/api-keys', { name: 'Ann', user_id: member.user_id, scopes: ['monitoring:write'] }),
    );
    await ok(call('PATCH', agent.at('/plan'), { plan: { summary: 'Orders' }, reason: 'A better name' }, key));
    await ok(call('PATCH', agent.at('/plan'), { plan: { checks: [second()] } }, ofAnn.api_key));
    const said = { message: 'Make it critical.', chat_id: agent.id };
    assert.equal((await ok(call('POST', '/api/monitoring-chat', said, ofAnn.api_key))).plan_version, 4);
    const { versions, total, page, count } = await versionsOf(agent);
    assert.deepEqual([total, page, count], [4, 1, 20]);
    const [byChat, byUser, byKey, first] = versions;
    assert.deepEqual(
      versions.map(({ version, reason }: Json) => [version, reason]),
      [
        [4, 'Ann asked for it.'],
        [3, 'Changed through the API.'],
        [2, 'A better name'],
        [1, 'Agent created with this plan.'],
      ],
    );
    assert.deepEqual(
      [byChat, byUser, byKey].map((one) => one.changed_by),
      ['chat', 'user', 'key'],
    );
    assert.deepEqual([byUser.user_id, byChat.user_id], [member.user_id, member.user_id]);
    assert.deepEqual([byKey.user_id, byKey.turn_id, typeof byKey.api_key_id], [null, null, 'string']);
    assert.ok(byChat.turn_id);
    assert.deepEqual(byChat.changes, ['Changed queue: severity "warning" -> "critical"']);
    assert.match(byUser.changes.join(), /^Added second: /);
    assert.deepEqual(byKey.changes, ['Changed the summary: "The queue of orders" -> "Orders"']);
    assert.equal(first.plan.checks.length, 1);
    const paged = await versionsOf(agent, '?page=2&count=2');
    assert.deepEqual([paged.versions, paged.total, paged.page], [[byKey, first], 4, 2]);
    assert.deepEqual((await versionsOf(agent, '?page=9')).versions, []);
  });

  it('pauses and resumes, once and again, with the same answer', async () => {
    const agent = await agentWith(gaugeCheck());
    for (const path of ['/pause', '/pause']) {
      assert.deepEqual(await ok(call('POST', agent.at(path))), { chat_id: agent.id, status: 'paused', active: false });
    }
    assert.equal((await call('POST', agent.at('/run'), {})).body.code, 'monitoring_agent_paused');
    const em = forTeam(harness.database.orm.em, (await ok(call('GET', '/api/team'))).id);
    for (const path of ['/resume', '/resume']) {
      const { status, active } = await ok(call('POST', agent.at(path)));
      assert.deepEqual([active, ['active', 'starting'].includes(status)], [true, true], status);
    }
    assert.equal(await em.count(MonitoringPlanVersion, { agentId: agent.id }), 1);
    const paused = await ok(call('PATCH', agent.at('/plan'), { active: false, plan: { summary: 'Later' } }));
    assert.deepEqual([paused.active, paused.status, paused.version], [false, 'paused', 2]);
  });

  it('runs the checks that are named, and says which there are', async () => {
    const agent = await agentWith(gaugeCheck(), second(), gaugeCheck({ id: 'off', enabled: false }));
    await agent.untilSessions(2);
    assert.deepEqual((await ok(call('POST', agent.at('/run'), {}))).checks, ['queue', 'second']);
    await agent.untilSessions(4);
    assert.deepEqual(await ok(call('POST', agent.at('/run'), { checks: ['second'] })), {
      chat_id: agent.id,
      checks: ['second'],
    });
    const sessions = await agent.untilSessions(5);
    assert.deepEqual([sessions[4]?.check_id, sessions[4]?.trigger], ['second', 'now']);
    const unknown = await call('POST', agent.at('/run'), { checks: ['queue', 'off'] });
    assert.deepEqual(placesOf(unknown), ['body.checks.1']);
    assert.match(unknown.text, /it has queue, second/);
    await ok(call('PATCH', agent.at('/plan'), { plan: { checks: [] }, replace: true }));
    assert.deepEqual((await call('POST', agent.at('/run'), {})).body.code, 'monitoring_plan_empty');
  });

  it('answers from the database where no worker answers, and notices the silence', async () => {
    const idle = await startIdleApi(harness);
    try {
      const { chat_id: id } = await ok(
        idle.call('POST', '/api/monitoring-chat', {
          message: 'Watch.',
          plan: { checks: [gaugeCheck({ schedule: { every_seconds: 60 } })] },
        }),
      );
      const plan = await ok(idle.call('GET', `/api/monitoring-chat/${id}/plan`));
      assert.deepEqual([plan.answered_by, plan.version, plan.status], ['database', 1, 'starting']);
      assert.deepEqual(
        plan.checks.map(({ due_at, last, running }: Json) => [due_at, last, running]),
        [[null, null, false]],
      );
      const [row] = await harness.database.orm.em
        .fork()
        .execute<{ silent_at: string }[]>('select silent_at from monitoring_agents where id = ?', [id]);
      const inMinutes = (new Date(row!.silent_at).getTime() - Date.now()) / 60_000;
      assert.ok(inMinutes > 1.9 && inMinutes < 4, `silent in ${inMinutes} minutes`);
      await harness.database.orm.em
        .fork()
        .execute(`update monitoring_agents set silent_at = now() - interval '1 second' where id = ?`, [id]);
      const silent = await ok(idle.call('GET', `/api/monitoring-chat/${id}`));
      assert.equal(silent.status, 'degraded');
      assert.match(silent.reasons.join(), /no result yet, for three periods or more/);
      await ok(idle.call('DELETE', `/api/monitoring-chat/${id}`));
    } finally {
      await idle.stop();
    }
  });
});

const { check: labelledCheck } = gaugeCheck() as Json;
const labelled = { ...labelledCheck, labels: { region: 'eu' } };
