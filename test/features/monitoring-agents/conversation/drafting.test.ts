import assert from 'node:assert/strict';
import { sampleIncident } from '../../../support/telemetry-source.ts';
import { ask, Chats, type Lines } from '../../chats/support.ts';
import { check, lastResults, tell, update, use } from './support.ts';

const watched = { summary: 'The shop.', checks: [check('health')] };
/** Wrong in three places. */
const bad = {
  checks: [
    { ...check('health'), severity: 'loud' },
    { ...check('health'), schedule: { cron: 'every noon' } },
  ],
};

const lines: Record<string, Lines> = {
  draft: [
    use('read_monitoring_plan', {}, 'I look first.'),
    update({ plan: bad }),
    update({ plan: watched, base_version: 1 }),
    { text: 'I watch the health of the shop.' },
  ],
  faster: [
    update({ patch: { checks: [{ id: 'health', schedule: { every_seconds: 600 } }, check('errors')] } }),
    { text: 'Every ten minutes now.' },
  ],
  pause: [update({ active: false }), { text: 'I pause.' }],
  stale: [update({ patch: { summary: 'Another.' }, base_version: 1 }), { text: 'Somebody changed it.' }],
  unknown: [update({ patch: { checks: [{ id: 'nothing', remove: true }] } }), { text: 'There is none.' }],
  tried: [
    use('test_monitoring_check', { check: { type: 'service_health', source: 'shop' } }),
    use('test_monitoring_check', { check: { type: 'instruction', instruction: 'Look.' } }),
    use('test_monitoring_check', { check: { type: 'metric', source: 'shop' } }),
    { text: 'Tried.' },
  ],
  seen: [
    { toolUses: [{ name: 'list_monitoring_sessions' }, { name: 'list_monitoring_findings' }] },
    use('run_check_now', { check_ids: ['other'] }),
    { text: 'Nothing yet.' },
  ],
  silent: [{}, {}, {}, {}, {}, {}],
};

describe('a monitoring agent that is talked with', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  it('drafts its plan, and says in words what it watches', async () => {
    const answer = await tell(chats, { description: ask('draft', 'Watch the shop.'), title: 'The shop' });
    assert.equal(answer.title, 'The shop');
    assert.equal(answer.response, 'I look first.\n\nI watch the health of the shop.');
    assert.deepEqual([answer.active, answer.plan_version, answer.notification_channel], [true, 2, null]);
    assert.deepEqual(answer.checks, [{ id: 'health', description: answer.checks[0]?.description }]);
    assert.match(answer.checks[0]?.description ?? '', /every service of shop.*every day/);
    assert.equal(answer.usage.api_calls_count, 4);
    const { versions } = (await chats.call('GET', `/api/monitoring-chat/${answer.chat_id}/plan/versions`)).body as {
      versions: { version: number; reason: string; changed_by: string }[];
    };
    assert.deepEqual(
      versions.map(({ version, reason, changed_by }) => [version, reason, changed_by]),
      [
        [2, 'As asked.', 'chat'],
        [1, 'Agent created.', 'user'],
      ],
    );
  });

  it('learns every reason why a plan is refused', () => {
    const corrected = chats.requests('draft').at(2);
    const read = lastResults(corrected);
    for (const reason of ['checks.1.schedule.cron', 'checks.0.severity', 'Ids of checks should be unique']) {
      assert.ok(read.includes(reason), `${reason} is not in ${read}`);
    }
    assert.match(read, /nothing was changed/);
  });

  it('changes what was asked for, and leaves the rest', async () => {
    const { chat_id, plan_version } = await tell(chats, { message: 'Watch.', plan: watched });
    assert.equal(plan_version, 1);
    const answer = await tell(chats, { message: ask('faster', 'Every ten minutes.'), chat_id });
    assert.deepEqual(
      answer.plan.checks.map(({ id, severity, schedule }) => [id, severity, schedule.every_seconds]),
      [
        ['health', 'warning', 600],
        ['errors', 'warning', 86_400],
      ],
    );
    assert.equal(answer.plan.summary, 'The shop.');
    const paused = await tell(chats, { message: ask('pause', 'Stop for a while.'), chat_id });
    assert.deepEqual([paused.active, paused.status, paused.plan_version], [false, 'paused', 2]);
  });

  it('is refused a change of a plan that somebody else has changed, and of a check that is not there', async () => {
    const { chat_id } = await tell(chats, { message: 'Watch.', plan: watched });
    await tell(chats, { message: ask('faster', 'Every ten minutes.'), chat_id });
    const answer = await tell(chats, { message: ask('stale', 'Call it another.'), chat_id });
    assert.deepEqual([answer.plan.summary, answer.plan_version], ['The shop.', 2]);
    assert.match(lastResults(chats.requests('stale').at(-1)), /its version is now 2/);
    await tell(chats, { message: ask('unknown', 'Remove it.'), chat_id });
    assert.match(lastResults(chats.requests('unknown').at(-1)), /There is no check .{1,4}nothing.{1,4} to remove/);
  });

  it('tries checks before it plans them', async () => {
    const { chat_id } = await tell(chats, { message: 'Watch.', plan: watched });
    await tell(chats, { message: ask('tried', 'Try them.'), chat_id });
    const [tested, ofInstruction, incomplete] = [1, 2, 3].map((at) => lastResults(chats.requests('tried').at(at)));
    assert.match(tested ?? '', /\\"status\\":\\"(ok|finding|failed)\\"/);
    assert.match(ofInstruction ?? '', /cannot be tested/);
    assert.match(incomplete ?? '', /This is not a check.*condition/);
  });

  it('answers from its sessions and findings', async () => {
    const { chat_id } = await tell(chats, { message: 'Watch.', plan: watched, active: false });
    await tell(chats, { message: ask('seen', 'What did you see?'), chat_id });
    assert.match(lastResults(chats.requests('seen').at(1)), /sessions.*findings/s);
    assert.match(lastResults(chats.requests('seen').at(2)), /no enabled check other/);
  });

  it('stays, without a plan, when no plan could be drafted', async () => {
    const said = await chats.call('POST', '/api/monitoring-chat', { message: ask('silent', 'Watch the shop.') });
    const { code, chat_id } = said.body as { code: string; chat_id: string };
    assert.deepEqual([said.status, code], [502, 'turn_failed']);
    const { body } = await chats.call('GET', `/api/monitoring-chat/${chat_id}/plan`);
    assert.deepEqual((body as { plan: object }).plan, { summary: '', checks: [] });
  });

  it('has the tools that read and its own, and none that changes anything outside', () => {
    const names = chats.requests('draft')[0]?.body.tools?.map(({ name }) => name) ?? [];
    for (const name of ['list_sources', 'update_monitoring_plan', 'read_investigation'])
      assert.ok(names.includes(name), name);
    for (const name of ['write_file', 'submit_report', 'submit_check_result']) assert.ok(!names.includes(name), name);
  });
});
