/** What agents are told from outside, carried out by their real workflows. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { Finding, MonitoringSession } from '../../../../src/features/monitoring-agents/entities.ts';
import { Plan } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import { createAgent, notifyAgent } from '../../../../src/features/monitoring-agents/service.ts';
import { createAgentLauncher } from '../../../../src/features/monitoring-agents/launch.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { startHarness, type Harness } from '../../../support/harness.ts';
import { shortInvestigation } from '../../../support/scripts.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';

describe('what comes from outside, carried out', () => {
  const agentId = randomUUID();
  let harness: Harness;
  let teamId: string;
  before(async () => {
    const source = sampleIncident();
    harness = await startHarness({ script: shortInvestigation, sources: [source] });
    teamId = ((await harness.request('GET', '/api/team')).body as { id: string }).id;
    const check = (id: string) => ({
      id,
      title: id,
      schedule: { every_seconds: 7 * 86_400 },
      check: { type: 'service_health' as const, source: source.id },
    });
    const plan = Plan.parse({ checks: [check('one'), check('two')] });
    const wanted = { id: agentId, title: 'shop watch', active: true, channel: null, plan };
    const clock = systemClock;
    await em().transactional(async (tx) => void createAgent({ clock }, tx, { teamId, scopes: [] }, wanted));
    const launcher = createAgentLauncher(harness.temporal, { taskQueue: harness.taskQueue });
    await notifyAgent({ launcher, log: harness.api.deps.log }, em(), agentId);
    await untilSessions('schedule', 2);
  });
  after(() => harness?.stop());

  const em = () => forTeam(harness.database.orm.em, teamId);
  const untilSessions = (trigger: MonitoringSession['trigger'], count: number): Promise<string[]> =>
    waitUntil(
      async () => {
        const ended = await em().find(MonitoringSession, { agentId, trigger, finishedAt: { $ne: null } });
        return ended.length >= count ? ended.map(({ checkId }) => checkId).toSorted() : undefined;
      },
      { what: `${count} checks because of ${trigger}` },
    );
  const post = async (body: unknown, query = '') => {
    const headers = { authorization: `Bearer ${harness.apiKey}` };
    const answer = await harness.request('POST', `/api/monitor${query}`, body, headers);
    assert.equal(answer.status, 200);
    return answer.body as {
      agents: { started: boolean }[];
      alerts: { finding_id: string; investigation_id: string }[];
    };
  };

  it('a deploy has all checks run', async () => {
    const { agents } = await post({ type: 'deploy', service: 'checkout', version: '2' });
    assert.deepEqual(agents, [{ chat_id: agentId, title: 'shop watch', started: true, reason: null }]);
    assert.deepEqual(await untilSessions('deploy', 2), ['one', 'two']);
  });

  it('a request has the checks run that it names', async () => {
    await post({ type: 'check_now', checks: ['two'] }, `?chat_id=${agentId}`);
    assert.deepEqual(await untilSessions('now', 1), ['two']);
  });

  it('an alert for an agent is its finding, is investigated under the id of the answer, and has its checks run', async () => {
    const { alerts } = await post({ type: 'alert', title: 'Payments are declined' }, `?chat_id=${agentId}`);
    const [alert] = alerts;
    assert.ok(alert);
    const finding = await em().findOneOrFail(Finding, { id: alert.finding_id });
    assert.equal(finding.agentId, agentId);
    assert.equal((await harness.untilEnded(alert.investigation_id)).status, 'completed');
    assert.deepEqual(await untilSessions('alert', 2), ['one', 'two']);
  });
});
