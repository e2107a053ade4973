import assert from 'node:assert/strict';
import { startOfflineModel, type RunningServer } from '../../packages/offline-model/index.ts';
import type { TelemetrySource } from '../../src/features/sources/port.ts';
import { createModelClient, type ModelClient } from '../../src/platform/anthropic/index.ts';
import { catalogOf, sampleIncident } from '../support/telemetry-source.ts';
import { runInvestigation, type Run } from './support/run-investigation.ts';

describe('offline model: questions about nothing that the sources know', () => {
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  const investigate = (query: string, ...sources: TelemetrySource[]) =>
    runInvestigation(model, { query, sources: catalogOf(...sources) });
  const live = (): TelemetrySource => {
    const incident = sampleIncident();
    const describe: TelemetrySource['describe'] = async (options) => ({
      ...(await incident.describe(options)),
      kind: 'prometheus',
      alerts: [],
    });
    return { ...incident, kind: 'prometheus', describe };
  };
  const ranked = (run: Run): boolean => run.calls.some(({ tool }) => tool === 'rank_root_causes');

  for (const query of [
    'asdf qwerty zxcvb',
    'Why is the billing backend of our Zürich branch red?',
    'Everything is slow',
  ])
    it(`are asked back, with what is known: ${query}`, async () => {
      for (const source of [live(), sampleIncident()]) {
        const run = await investigate(query, source);
        assert.deepEqual([run.report?.root_cause.service, run.report?.confidence], [null, 0]);
        assert.match(run.report?.title ?? '', /^Which service is this about\?/);
        assert.match(run.report?.summary ?? '', /`?web`?/);
        assert.match(run.report?.recommended_change.summary ?? '', /name the affected service, the alert or the time/);
        assert.equal(ranked(run), false, 'nothing is looked for');
        assert.deepEqual(run.checked?.unverifiedClaims, []);
      }
    });

  it('say so if their time is outside of what a recording covers, even if it has the alert', async () => {
    const run = await investigate('WebSlow fired at 2024-01-05T10:00:00Z: web is slow', sampleIncident());
    assert.equal(run.report?.root_cause.service, null);
    assert.match(run.report?.root_cause.statement ?? '', /2024-01-05T10:00:00Z is outside the period that .* covers/);
    assert.equal(ranked(run), false);
    assert.deepEqual(run.checked?.unverifiedClaims, []);
  });

  it('are others than those that name a service, an alert or a time of one', async () => {
    for (const query of ['web is slow', 'WebSlow', 'db: clients wait', 'What happened at 2026-03-01T11:58:00Z?'])
      assert.equal(ranked(await investigate(query, sampleIncident())), true, query);
  });

  it('tick no step that was not done', async () => {
    const run = await investigate('asdf qwerty zxcvb', sampleIncident());
    const last = run.calls.findLast(({ tool }) => tool === 'update_plan')?.input as { items: { status: string }[] };
    assert.deepEqual(
      last.items.map(({ status }) => status),
      ['done', 'skipped', 'skipped', 'skipped', 'done'],
    );
  });
});
