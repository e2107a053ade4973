import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { anyTeam } from '../../../../src/db/team-filter.ts';
import {
  createAgentLauncher,
  createFindingLauncher,
  monitoringTools,
} from '../../../../src/features/monitoring-agents/index.ts';
import { MonitoringAgent, MonitoringPlanVersion } from '../../../../src/features/monitoring-agents/entities.ts';
import { createToolRegistry, type ToolOutput } from '../../../../src/features/tools/index.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { createLogger } from '../../../../src/platform/logger.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';
import { toolContext } from '../../../support/tool-context.ts';
import { Chats } from '../../chats/support.ts';
import { check, tell } from './support.ts';

describe('update_monitoring_plan', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines: {}, sources: [sampleIncident()] });
  });
  after(() => chats?.stop());

  /** One call of the tool, as often as it is attempted. */
  const called = async (input: object) => {
    const { temporal, taskQueue, database } = chats.harness;
    const plan = { checks: [check('a'), check('b')] };
    const { chat_id: agentId } = await tell(chats, { message: 'Watch.', plan, active: false });
    const { orm } = database;
    const { teamId } = await orm.em.fork().findOneOrFail(MonitoringAgent, { id: agentId }, anyTeam);
    const log = createLogger({ name: 'test', level: 'silent' });
    const tools = createToolRegistry(
      monitoringTools({
        orm,
        log,
        clock: systemClock,
        launcher: createAgentLauncher(temporal, { taskQueue }),
        findings: { orm, log, launcher: createFindingLauncher(temporal, { taskQueue }) },
        teamTools: async () => ({ tools: [] }),
      }),
    );
    const asked = systemClock.now();
    const context = {
      ...toolContext(),
      teamId,
      conversationId: agentId,
      runId: randomUUID(),
      toolCallId: randomUUID(),
      clock: { now: () => asked },
    };
    return {
      attempt: (): Promise<ToolOutput> =>
        tools.invoke('update_monitoring_plan', { reason: 'As asked.', ...input }, context),
      versions: () => orm.em.fork().count(MonitoringPlanVersion, { agentId }, anyTeam),
    };
  };

  for (const [what, input] of [
    ['removes a check', { patch: { checks: [{ id: 'b', remove: true }] } }],
    ['was made for a version', { patch: { summary: 'Less.' }, base_version: 1 }],
    ['gives the whole plan', { plan: { checks: [check('c')] }, base_version: 1 }],
  ] as const) {
    it(`that ${what} makes one version, however often it is attempted`, async () => {
      const { attempt, versions } = await called(input);
      const outputs = [await attempt(), await attempt()];
      assert.deepEqual(
        outputs.map(({ isError }) => isError ?? false),
        [false, false],
        JSON.stringify(outputs),
      );
      assert.equal(await versions(), 2);
    });
  }

  for (const [what, input, why] of [
    ['of nothing', {}, /No change given/],
    ['with both a plan and a patch', { plan: {}, patch: {} }, /not both/],
    ['with a patch that is none', { patch: { checks: [{ title: 'x' }] } }, /checks\.0\.id/],
    ['for an earlier version', { patch: { summary: 'x' }, base_version: 7 }, /its version is now 1/],
  ] as const) {
    it(`${what} is refused, and changes nothing`, async () => {
      const { attempt, versions } = await called(input);
      const { isError, content } = await attempt();
      assert.equal(isError, true);
      assert.match(String(content), why);
      assert.equal(await versions(), 1);
    });
  }
});
