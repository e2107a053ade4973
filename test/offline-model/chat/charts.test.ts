import assert from 'node:assert/strict';
import { chartOf, drawChart } from '../../../src/features/charts/index.ts';
import { systemPrompt } from '../../../src/features/chats/turns/prompt.ts';
import { errorOutput, sharedTools } from '../../../src/features/tools/index.ts';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { storedEvidence } from '../../support/tool-context.ts';
import { catalogOf, sampleIncident } from '../../support/telemetry-source.ts';
import { openChat, type ChatOptions } from '../support/run-chat.ts';

describe('offline model: charts', () => {
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  const open = (options: Partial<ChatOptions> = {}) =>
    openChat(model, { sources: catalogOf(sampleIncident()), tools: [...sharedTools, drawChart], ...options });

  it('draws the metric that is asked for', async () => {
    const chat = open();
    const { text, calls } = await chat.ask('Plot the latency of db');
    assert.deepEqual(
      calls.slice(-2).map(({ tool }) => tool),
      ['query_metric', 'draw_chart'],
    );
    const [query, drawn] = calls.slice(-2);
    assert.deepEqual(query?.input, { source: 'shop', metric: 'latency_seconds', service: 'db' });
    assert.deepEqual(drawn?.input, { evidence: query?.evidence, title: 'latency_seconds of db' });
    assert.ok(chartOf(chat.evidence.at(-1)?.content ?? ''));
    assert.equal(
      text,
      `Chart \`latency_seconds of db\` with 60 points [${drawn?.evidence}], from query_metric [${query?.evidence}].`,
    );
  });

  it('draws what was read last about the cause, and what is named by its number', async () => {
    const chat = open();
    await chat.ask('Why is web slow?');
    const it = await chat.ask('plot it');
    assert.deepEqual(
      it.calls.map(({ tool }) => tool),
      ['draw_chart'],
    );
    assert.match(it.text, /^Chart `\w+ \(p95\) of db`/);
    const first = chat.evidence.find(({ tool }) => tool === 'recent_changes')?.evidence;
    const named = await chat.ask(`chart [${first}]`);
    assert.deepEqual(named.calls[0]?.input, { evidence: first, title: 'recent changes' });
  });

  it('draws the result that the chat names by its id, also of another chat', async () => {
    const chat = open();
    const id = '7b0e1c52-6d0c-4d5b-9c1f-3a9f0f3f6c11';
    const content = JSON.stringify({ rows: [1, 2, 3].map((n) => ({ at: `2026-03-01T12:0${n}:00Z`, n })) });
    chat.evidence.push({ ...storedEvidence(900, 'promql', content), toolCallId: id });
    const { text, calls } = await chat.ask('Draw a chart of this tool result.', {
      context: `The chart is to show the tool result with tool_id ${id}.`,
    });
    assert.deepEqual(
      calls.map(({ tool, input, isError }) => [tool, input, isError]),
      [['draw_chart', { tool_id: id }, false]],
    );
    assert.match(text, /^Chart with 3 points/);
  });

  it('draws in a turn that is for a chart, whatever words ask for it', async () => {
    const system = systemPrompt('chart', null);
    const latency = await open({ system }).ask('latency of db');
    assert.deepEqual(latency.calls.at(-1)?.input['title'], 'latency_seconds of db');
    const changes = await open({ system }).ask('deploys of the last day');
    assert.deepEqual(changes.calls.map(({ tool, isError }) => [tool, isError]).slice(-2), [
      ['recent_changes', false],
      ['draw_chart', false],
    ]);
    const words = await open().ask('latency of db?');
    assert.ok(!words.calls.some(({ tool }) => tool === 'draw_chart'));
  });

  it('says why a chart could not be drawn', async () => {
    const { text } = await open({
      intercept: (tool) => (tool === 'draw_chart' ? errorOutput('Table not found.') : undefined),
    }).ask('Plot the latency of db');
    assert.match(text, /could not be drawn: `Table not found\.` \[\d+\]/);
  });

  it('says so where there is nothing to draw, or no tool for it', async () => {
    assert.match((await open({ sources: catalogOf() }).ask('plot it')).text, /^Nothing to chart\./);
    assert.match(
      (await open({ tools: sharedTools }).ask('plot the latency of db')).text,
      /draw_chart\) is not available in this chat/,
    );
  });
});
