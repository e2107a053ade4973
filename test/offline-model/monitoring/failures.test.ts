/** What the agent could not look at is told wherever it tells what it found. */
import assert from 'node:assert/strict';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { catalogOf, sampleIncident } from '../../support/telemetry-source.ts';
import { openChat } from '../support/run-chat.ts';
import { agentTools, newAgent, type Agent } from './agent-tools.ts';
import { shopSources } from './shop.ts';

const run = (id: string, status: string, minute: number, summary: string) => ({
  check_id: id,
  title: id,
  status,
  summary,
  started_at: `2026-11-20T08:${String(minute).padStart(2, '0')}:00.000Z`,
  cost: 0,
});
const NO_DATA = 'no data of latency p95 in the last 5 min';

describe('offline model: checks that could not say', () => {
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  async function ask(agent: Agent, ...messages: string[]): Promise<string> {
    const chat = openChat(model, { sources: shopSources(), tools: agentTools(agent) });
    await chat.ask('watch p95 latency of checkout every 5 minutes; error rate of payments above 5%');
    let text = '';
    for (const message of messages) ({ text } = await chat.ask(message));
    return text;
  }

  for (const question of [
    'Did you find anything?',
    'anything?',
    'what are you watching?',
    'is it working?',
    'why did you not tell me about checkout?',
    'how did the last runs go?',
  ]) {
    it(`are told of: ${question}`, async () => {
      const agent = newAgent({
        reasons: ['"p95 latency of checkout" could not be checked 2 times in a row'],
        sessions: [
          run('checkout-latency-p95', 'failed', 50, NO_DATA),
          run('payment-errors', 'ok', 49, 'nothing'),
          run('checkout-latency-p95', 'failed', 45, NO_DATA),
          run('checkout-latency-p95', 'ok', 40, 'nothing'),
        ],
      });
      const text = await ask(agent, question);
      assert.match(text, /degraded/);
      assert.match(text, /`no data of latency p95 in the last 5 min`/);
      assert.match(text, /2 times in a row since 2026-11-20 08:45:00 UTC/);
      assert.doesNotMatch(text, /\(`payment-errors`\): `/);
    });
  }

  it('make no good news of nothing found', async () => {
    const sessions = ['checkout-latency-p95', 'payment-errors'].map((id) => run(id, 'failed', 50, NO_DATA));
    const text = await ask(newAgent({ sessions }), 'Did you find anything?');
    assert.match(text, /\*\*I cannot say:\*\*[\s\S]*none of my checks could look/);
    assert.match(text, /No check has had a result yet/);
    assert.doesNotMatch(text, /found nothing so far/);
  });

  it('are found also behind the many runs of another check', async () => {
    const many = Array.from({ length: 40 }, (_, index) => run('payment-errors', 'ok', 59 - (index % 10), 'nothing'));
    const text = await ask(
      newAgent({ sessions: [...many, run('checkout-latency-p95', 'failed', 10, NO_DATA)] }),
      'all good?',
    );
    assert.match(text, /found nothing so far[^\n]*could not look at everything/);
    assert.match(text, /\(`checkout-latency-p95`\): `no data/);
  });

  it('are told in the answer that also makes a change', async () => {
    const agent = newAgent({ sessions: [run('checkout-latency-p95', 'failed', 50, NO_DATA)] });
    const text = await ask(agent, 'Check every minute instead. What did you find?');
    assert.match(text, /Changed[\s\S]*no data of latency/);
    assert.equal(agent.plan.checks[0]?.schedule.every_seconds, 60);
  });

  it('are foretold where there is only a recording', async () => {
    const agent = newAgent();
    const chat = openChat(model, { sources: catalogOf(sampleIncident()), tools: agentTools(agent) });
    const { text } = await chat.ask('watch the latency of web every minute');
    assert.equal(agent.plan.checks.length, 1, text);
    assert.equal(agent.plan.checks[0]?.enabled, true);
    assert.match(text, /Its checks will fail: there is no new data/);
    assert.doesNotMatch(text, /nothing to be found now/);
  });
});
