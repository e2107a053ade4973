import assert from 'node:assert/strict';
import { monitoringAgentWorkflowId } from '../../src/features/monitoring-agents/contract.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';
import { gaugeCheck, gaugeSource, startAgent, type Gauge } from '../features/monitoring-agents/support.ts';
import { startHarness, type Harness } from '../support/harness.ts';
import { shortInvestigation } from '../support/scripts.ts';

describe('workflow of a monitoring agent', () => {
  let harness: Harness;
  let gauge: Gauge;
  before(async () => {
    const made = gaugeSource();
    gauge = made.gauge;
    harness = await startHarness({ script: shortInvestigation, sources: [made.source] });
  });
  after(() => harness?.stop());
  beforeEach(() => {
    Object.assign(gauge, { value: 1, failure: undefined, delayMs: undefined, garbage: undefined });
  });

  it('runs a check at once, leaves a session, and asks no model while all is well', async () => {
    const asked = harness.model.requests.length;
    const agent = await startAgent(harness, [gaugeCheck()]);
    const [session] = await agent.untilSessions(1);
    assert.equal(session?.status, 'ok');
    assert.equal(session?.trigger, 'schedule');
    assert.equal(harness.model.requests.length, asked);
    const plan = await agent.untilPlan('an answer of the workflow', (one) =>
      one.answered_by === 'workflow' && one.status === 'active' ? one : undefined,
    );
    assert.equal(plan.version, 1);
  });
});
