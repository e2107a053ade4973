import assert from 'node:assert/strict';
import {
  agentQuery,
  monitoringAgentWorkflowId,
  settingsSignal,
} from '../../src/features/monitoring-agents/contract.ts';
import { waitUntil } from '../support/wait-until.ts';
import { gaugeCheck, gaugeSource, startAgent } from '../features/monitoring-agents/support.ts';
import { startHarness, type Harness } from '../support/harness.ts';
import { shortInvestigation } from '../support/scripts.ts';

describe('workflow of a monitoring agent, over many histories', () => {
  let harness: Harness;
  before(async () => {
    const { source } = gaugeSource();
    harness = await startHarness({ script: shortInvestigation, sources: [source], eventsPerHistory: 200 });
  });
  after(() => harness?.stop());

  it('loses no signal and takes none twice: 10,000 of them, over continue-as-new @never-forgiven', async () => {
    const agent = await startAgent(harness, [gaugeCheck()]);
    await agent.untilSessions(1);
    const handle = harness.temporal.workflow.getHandle(monitoringAgentWorkflowId(agent.id));
    const before = await handle.query(agentQuery);
    const sent = 10_000;
    const width = 5;
    const counted = async (): Promise<number> => {
      const { applied, superseded } = (await handle.query(agentQuery)).signals;
      return applied + superseded - before.signals.applied - before.signals.superseded;
    };
    // The server fails a workflow task when a hundred events come meanwhile. On a busy machine none would end as long as
    // the stream goes on, and all signals would be in one history: what is counted follows what is sent.
    const untilCounted = (count: number): Promise<true> =>
      waitUntil(async () => (await counted()) >= count || undefined, {
        what: `${count} signals`,
      });
    const MAX_BEHIND = 500;
    for (let first = 0; first < sent; first += width) {
      if (first % MAX_BEHIND === 0) await untilCounted(first - MAX_BEHIND);
      await Promise.all(
        Array.from({ length: width }, (_, index) => {
          const revision = before.settings.revision + 1 + first + index;
          return handle.signal(settingsSignal, { ...before.settings, revision, title: `Orders ${revision}` });
        }),
      );
    }
    const last = before.settings.revision + sent;
    await untilCounted(sent);
    const after = await handle.query(agentQuery);
    assert.equal(await counted(), sent);
    assert.equal(after.settings.revision, last);
    assert.equal(after.settings.title, `Orders ${last}`);
    const runs = new Set<string>();
    for await (const run of harness.temporal.workflow.list({
      query: `WorkflowId = "${monitoringAgentWorkflowId(agent.id)}"`,
    })) {
      runs.add(run.runId);
    }
    assert.ok(runs.size > 5, `${runs.size} histories`);
  });
});
