import assert from 'node:assert/strict';
import { DESCRIPTION } from '../../../demo/monitoring/description.ts';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient } from '../../../src/platform/anthropic/index.ts';
import { openChat } from '../support/run-chat.ts';
import { agentTools, newAgent } from './agent-tools.ts';
import { shopSources } from './shop.ts';

describe('offline model: what the demo says to its monitoring agent', () => {
  let server: RunningServer;
  before(async () => {
    server = await startOfflineModel();
  });
  after(() => server.stop());

  it('is in the plan, every word of it', async () => {
    const agent = newAgent();
    const model = createModelClient({ offlineBaseUrl: server.url });
    const { text } = await openChat(model, { sources: shopSources(), tools: agentTools(agent) }).ask(DESCRIPTION);
    const [planned, ...others] = agent.plan.checks;
    assert.ok(planned, text);
    assert.deepEqual(others, []);
    const {
      check,
      schedule,
      confirmations,
      cool_down_seconds: coolDown,
      dedup_key: key,
      on_finding: actions,
    } = planned;
    assert.equal(check.type, 'service_health');
    assert.deepEqual([check.window_seconds, check.history_seconds], [30, 300]);
    assert.equal(schedule.every_seconds, 10);
    assert.deepEqual({ confirmations, coolDown, key }, { confirmations: 2, coolDown: 60, key: '{check}' });
    assert.deepEqual(actions, ['notify', 'investigate']);
  });
});
