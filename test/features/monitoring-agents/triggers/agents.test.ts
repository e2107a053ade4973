import assert from 'node:assert/strict';
import { purgeEffects } from '../../../../src/features/effects/index.ts';
import { startTriggerApi, type TestTeam, type TriggerApi } from './support.ts';

const check = (id: string) => ({
  id,
  title: id,
  schedule: { every_seconds: 300 },
  check: { type: 'service_health' as const, source: 'shop' },
});
const away = {
  checkNow: async (): Promise<never> => {
    throw new Error('Temporal is away');
  },
};

describe('deploys, and checks that are wanted now', () => {
  let api: TriggerApi;
  before(async () => {
    api = await startTriggerApi();
  });
  after(() => api.stop());

  const started = (json: { agents: { chat_id: string; started: boolean }[] }): string[] =>
    json.agents.filter((agent) => agent.started).map((agent) => agent.chat_id);
  const idsOf = async (team: TestTeam, agentId: string): Promise<string[]> =>
    (await team.toldTo(agentId)).map(({ triggerId }) => triggerId);

  it('a deploy: all active agents look; reported again within ten minutes it is the same', async () => {
    const team = api.newTeam();
    const [one, two, paused] = [await team.newAgent(), await team.newAgent(), await team.newAgent({ active: false })];
    const deploy = { type: 'deploy', service: 'checkout', version: '1.2.3', environment: 'prod' };
    const { status, json } = await team.post(deploy);
    assert.equal(status, 200);
    assert.deepEqual([json.kind, json.source, json.repeated], ['deploy', 'casebook', false]);
    assert.deepEqual(new Set(started(json)), new Set([one, two]));
    assert.equal(
      json.agents.find((agent: { chat_id: string }) => agent.chat_id === paused).reason,
      'The agent is paused.',
    );
    assert.deepEqual(
      (await team.toldTo(one)).map(({ trigger }) => trigger),
      ['deploy'],
    );

    api.clock.advance(9 * 60_000);
    const again = await team.post({ ...deploy, author: 'ann' });
    assert.deepEqual(again.json, { ...json, repeated: true });
    assert.equal((await idsOf(team, one)).length, 1);
    assert.equal((await team.post({ ...deploy, version: '1.2.4' })).json.repeated, false);
    api.clock.advance(60_000);
    assert.equal((await team.post(deploy)).json.repeated, false, 'ten minutes are over');
    assert.equal(new Set(await idsOf(team, one)).size, 3);
  });

  it('a deploy that is reported ten times at once is one trigger for each agent', async () => {
    const team = api.newTeam();
    const agent = await team.newAgent();
    const answers = await Promise.all(Array.from({ length: 10 }, () => team.post({ type: 'deploy', service: 'cart' })));
    assert.ok(answers.every(({ status, json }) => status === 200 && started(json).length === 1));
    assert.equal(new Set(await idsOf(team, agent)).size, 1);
  });

  it('check now: one agent, or all; with some checks only', async () => {
    const team = api.newTeam();
    const both = await team.newAgent({ plan: { checks: [check('a'), check('b')] } });
    const none = await team.newAgent({ title: 'other' });
    const named = await team.post({ type: 'check_now', checks: ['b', 'a'] }, { chatId: both });
    assert.deepEqual(named.json.agents, [{ chat_id: both, title: 'shop watch', started: true, reason: null }]);
    const [told] = await team.toldTo(both);
    assert.deepEqual([told?.trigger, told?.checkIds], ['now', ['a', 'b']]);

    const all = await team.post({ type: 'check_now', checks: ['a', 'z'] });
    assert.deepEqual(started(all.json), [both]);
    assert.equal(
      all.json.agents.find((agent: { chat_id: string }) => agent.chat_id === none).reason,
      'The plan has none of these checks.',
    );
    assert.deepEqual((await team.toldTo(both))[1]?.checkIds, ['a']);
    assert.deepEqual(new Set(started((await team.post({ type: 'check_now' })).json)), new Set([both, none]));

    const unknown = await team.post({ type: 'check_now', checks: ['a', 'y', 'z'] }, { chatId: both });
    assert.equal(unknown.status, 422);
    assert.deepEqual(
      unknown.json.detail.map(({ loc, input }: { loc: string[]; input: string }) => [...loc, input]),
      [
        ['body', 'checks', 1, 'y'],
        ['body', 'checks', 2, 'z'],
      ],
    );
  });

  it('an agent that is paused: a conflict when it is named, left out when all are meant', async () => {
    const team = api.newTeam();
    const paused = await team.newAgent({ active: false });
    const named = await team.post({ type: 'check_now' }, { chatId: paused });
    assert.deepEqual([named.status, named.json.code], [409, 'monitoring_agent_paused']);
    const all = await team.post({ type: 'check_now' });
    assert.deepEqual([all.status, all.json.agents[0].reason], [200, 'The agent is paused.']);
  });

  it('the same Idempotency-Key has it done once; for another request it is a conflict', async () => {
    const team = api.newTeam();
    const agent = await team.newAgent();
    const headers = { 'idempotency-key': 'k-1' };
    const post = (body: object) => team.post({ type: 'check_now', ...body }, { headers });
    const together = await Promise.all([post({}), post({}), post({})]);
    const last = await post({});
    assert.ok([...together, last].every(({ status }) => status === 200));
    assert.equal(last.json.repeated, true);
    assert.deepEqual(last.json.agents, together[0].json.agents);
    assert.equal(new Set(await idsOf(team, agent)).size, 1);
    const other = await post({ checks: ['a'] });
    assert.deepEqual([other.status, other.json.code], [409, 'idempotency_key_reused']);
    await team.post({ type: 'check_now' });
    await team.post({ type: 'check_now' });
    assert.equal(new Set(await idsOf(team, agent)).size, 3, 'without a key each is one of its own');
  });

  it('while Temporal is away it is a 503, and the repetition does it under the same id', async () => {
    const team = api.newTeam();
    const agent = await team.newAgent();
    const seen: string[] = [];
    const { launcher } = api.deps;
    const deploy = { type: 'deploy', service: 'orders', fingerprint: 'build-7' };
    api.deps.launcher = {
      checkNow: async (_agent, { triggerId }) => {
        seen.push(triggerId);
        return away.checkNow();
      },
    };
    try {
      const { status, json, headers } = await team.post(deploy);
      assert.deepEqual([status, json.code], [503, 'agents_not_told']);
      assert.ok(headers['retry-after']);
      assert.equal((await team.post({ type: 'check_now' })).status, 503);
    } finally {
      api.deps.launcher = launcher;
    }
    const again = await team.post(deploy);
    assert.deepEqual([again.status, again.json.repeated, started(again.json)], [200, false, [agent]]);
    assert.deepEqual(await idsOf(team, agent), [seen[0]]);
  });

  it('some that cannot be notified are listed, the others are notified, and a repetition notifies all', async () => {
    const team = api.newTeam();
    const [good, bad] = [await team.newAgent(), await team.newAgent()];
    const { launcher } = api.deps;
    const headers = { 'idempotency-key': 'k-2' };
    api.deps.launcher = {
      checkNow: (agent, wanted) => (agent.agentId === bad ? away.checkNow() : launcher.checkNow(agent, wanted)),
    };
    try {
      const { status, json } = await team.post({ type: 'check_now' }, { headers });
      assert.equal(status, 200);
      assert.deepEqual(started(json), [good]);
      assert.match(
        json.agents.find((agent: { chat_id: string }) => agent.chat_id === bad).reason,
        /Temporal did not accept/,
      );
    } finally {
      api.deps.launcher = launcher;
    }
    const { json } = await team.post({ type: 'check_now' }, { headers });
    assert.deepEqual(new Set(started(json)), new Set([good, bad]));
    assert.equal(new Set([...(await idsOf(team, good)), ...(await idsOf(team, bad))]).size, 1, 'under one id');
  });

  it('with very many agents and Temporal away, the calls end soon', async () => {
    const team = api.newTeam();
    for (let n = 0; n < 50; n++) await team.newAgent();
    let calls = 0;
    const { launcher } = api.deps;
    api.deps.launcher = {
      checkNow: async () => {
        calls += 1;
        return away.checkNow();
      },
    };
    try {
      assert.equal((await team.post({ type: 'check_now' })).status, 503);
    } finally {
      api.deps.launcher = launcher;
    }
    assert.ok(calls <= 32, `${calls} calls`);
  });

  it('what is old is deleted, of all teams', async () => {
    const team = api.newTeam();
    const deploy = { type: 'deploy', service: 'old' };
    await team.post(deploy);
    assert.equal((await team.post(deploy)).json.repeated, true);
    const now = api.clock.now().getTime();
    assert.ok((await purgeEffects(api.database.orm, new Date(now + 10 * 60_000))) > 0);
    assert.equal((await team.post(deploy)).json.repeated, false);
  });
});

describe('what POST /api/monitor refuses', () => {
  let api: TriggerApi;
  before(async () => {
    api = await startTriggerApi();
  });
  after(() => api.stop());

  it('a key in another header, a wrong one, and none', async () => {
    const team = api.newTeam();
    const call = (headers: Record<string, string>) => team.post({ title: 'x' }, { headers });
    assert.equal((await call({ authorization: '', 'x-api-key': team.key })).status, 401);
    assert.equal((await call({ authorization: 'Bearer wrong' })).status, 401);
  });

  it('issues of query, headers and body come together', async () => {
    const { status, json } = await api
      .newTeam()
      .post({ type: 'deploy', version: 7 }, { chatId: 'nobody', headers: { 'idempotency-key': 'a b' } });
    assert.equal(status, 422);
    assert.deepEqual(
      json.detail.map(({ loc }: { loc: string[] }) => loc.join('.')),
      ['query.chat_id', 'header.idempotency-key', 'body.service', 'body.version'],
    );
  });

  it('hostile bodies, never with a 500', async () => {
    const team = api.newTeam();
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`l${n}`, n]));
    const bodies: [string, number][] = [
      ['', 422],
      ['{', 422],
      ['null', 422],
      ['[]', 422],
      ['"title"', 422],
      ['{"title":"x","__proto__":{"a":1}}', 422],
      ['{"title":"a\\u0000b"}', 422],
      ['{"title":"\\ud800"}', 422],
      [JSON.stringify({ title: 'x', labels }), 200],
      [JSON.stringify({ title: 'x'.repeat(500_000), constructor: { prototype: 1 }, toString: 1 }), 200],
      [JSON.stringify({ title: 'x', labels: { a: 1e308, b: { c: 1 }, d: null }, date: 1e300, status: {} }), 200],
      [`{"title":"x","a":${'['.repeat(200)}${']'.repeat(200)}}`, 422],
      [JSON.stringify({ title: 'x'.repeat(3_000_000) }), 413],
    ];
    for (const [body, expected] of bodies) {
      const { status, text } = await team.post(body);
      assert.equal(status, expected, `${body.slice(0, 60)}: ${text.slice(0, 200)}`);
    }
  });
});
