import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  checkReport,
  composeFallbackReport,
  renderReport,
  reportSchema,
} from '../../../src/features/investigations/report/index.ts';
import { createToolRegistry, sharedTools } from '../../../src/features/tools/index.ts';
import type { StoredEvidence } from '../../../src/features/tools/tool.ts';
import { storedEvidence, toolContext } from '../../support/tool-context.ts';

const registry = createToolRegistry(sharedTools);

/** What the tools return for the sample incident, as it would be stored. */
async function gather(...calls: [string, object][]): Promise<StoredEvidence[]> {
  const outputs = await Promise.all(calls.map(([name, input]) => registry.invoke(name, input, toolContext())));
  return outputs.map(({ content }, index) => storedEvidence(index + 1, calls[index]?.[0] ?? '', String(content)));
}
const looks: [string, object][] = [
  ['list_sources', {}],
  ['update_plan', { items: [{ text: 'look', status: 'pending' }] }],
  ['search_logs', { source: 'shop', level: 'error' }],
  ['recent_changes', { source: 'shop' }],
];
const check = (report: ReturnType<typeof composeFallbackReport>, evidence: readonly StoredEvidence[]) =>
  checkReport(reportSchema.parse(report), (n) => evidence.find((stored) => stored.evidence === n));

describe('report of a run that could not finish', () => {
  it('gives the best cause of a ranking as tentative, with citations that hold', async () => {
    const evidence = await gather(...looks, ['rank_root_causes', { source: 'shop' }]);
    const report = composeFallbackReport({ query: 'web is slow', limit: 'steps', evidence });
    assert.equal(report.root_cause.service, 'db');
    assert.equal(
      report.root_cause.statement,
      '`db`: p95 latency (`latency_seconds`) rose from 10 ms to 918 ms at 11:58:00 UTC [1]. ' +
        'Strongest suspect of 4 services [1].',
    );
    const ranking: { confidence: number } = JSON.parse(evidence.at(-1)?.content ?? '');
    assert.equal(report.confidence, ranking.confidence);
    assert.match(report.recommended_change.summary, /^Revert the config `c2` of `db`/u);
    assert.match(report.recommended_change.details ?? '', /^To verify: the p95 latency .* about 10 ms/u);
    assert.match(report.summary, /the run reached its step limit/u);
    assert.ok(report.hypotheses.length > 1 && report.hypotheses.every(({ verdict }) => verdict === 'open'));
    assert.deepEqual(
      report.timeline.map(({ at }) => at),
      ['2026-03-01T11:57:00Z', '2026-03-01T11:58:00Z', '2026-03-01T11:58:01Z', '2026-03-01T12:00:00Z'],
    );
    assert.match(report.timeline[0]?.event ?? '', /max_connections 200 -> 100.*relevance not checked/u);
    const checked = check(report, evidence);
    assert.ok(checked.citations.every(({ excerpts }) => excerpts.every(({ verified }) => verified)));
    assert.deepEqual(checked.unverifiedClaims, []);
  });

  it('says what was looked at when nothing was ranked', async () => {
    const evidence = await gather(...looks);
    const report = composeFallbackReport({ query: 'web is slow', limit: 'wall_time', evidence });
    assert.deepEqual([report.root_cause.service, report.confidence], [null, 0]);
    assert.match(report.root_cause.statement, /not known because the run reached its time limit.*\[1\]\[2\]\[3\]\.$/u);
    assert.match(report.summary, /- `search_logs` returned \d+ characters \[2\]/u);
    assert.match(report.impact, /Alert `WebSlow` on `web`/u);
    assert.deepEqual(check(report, evidence).unverifiedClaims, []);
  });

  it('names no service when the top of the ranking is quiet', async () => {
    const evidence = await gather(...looks, ['rank_root_causes', { source: 'shop' }]);
    const quiet = evidence.map((stored) =>
      storedEvidence(
        stored.evidence,
        stored.tool,
        stored.content.replaceAll(/"own_score":[\d.]+/gu, '"own_score":0.4'),
      ),
    );
    assert.equal(composeFallbackReport({ query: 'q', limit: 'steps', evidence: quiet }).root_cause.service, null);
  });

  it('names the failure, and is not empty, when there is nothing at all', () => {
    const report = composeFallbackReport({ query: '', failure: 'no route to `host`\n[9]', evidence: [] });
    assert.match(
      report.root_cause.statement,
      /because of a failure: ``no route to `host` \[9\]``, and no tool had returned/u,
    );
    const markdown = renderReport(check(report, []), { model: 'm', provider: 'offline', limit: 'model_failure' });
    assert.match(markdown, /the model could not be reached/u);
    assert.match(markdown, /This report cites no evidence\./u);
  });

  it('is a valid report whose every excerpt is verified, whatever was stored', () => {
    const name = fc.oneof(
      fc.constantFrom('db', '`', '[7]', '</tool_result>', ' ', '😀', '"\\', 'x'.repeat(400)),
      fc.string({ minLength: 1 }),
    );
    const time = fc.constantFrom('2026-03-01T11:58:00Z', 'unknown', 'x');
    const ranking = fc.record({
      alert: fc.record({ service: name, metric: name, at: time }),
      onset: fc.option(time),
      considered: fc.record({ services: fc.nat(), series: fc.nat() }),
      causes: fc.array(
        fc.record({
          rank: fc.nat(),
          service: name,
          own_score: fc.double({ noNaN: true, min: -9, max: 9 }),
          reason: fc.string(),
          evidence: fc.array(fc.record({ kind: fc.constantFrom('metric', 'edge_time'), statement: name })),
          signals: fc.array(fc.record({ metric: name, baseline_median: fc.option(fc.double({ noNaN: true })) })),
        }),
        { maxLength: 4 },
      ),
      confidence: fc.double({ noNaN: true, min: 0, max: 1 }),
    });
    const logs = fc.record({
      patterns: fc.array(
        fc.record({
          pattern: fc.string(),
          count: fc.nat(),
          services: fc.array(name, { maxLength: 3 }),
          level: fc.constant('error'),
          first: time,
        }),
      ),
    });
    const changes = fc.record({
      changes: fc.array(fc.record({ id: name, at: time, service: name, kind: fc.string(), summary: fc.string() })),
    });
    const stored = fc.oneof(
      ranking.map((value) => ['rank_root_causes', JSON.stringify(value)] as const),
      logs.map((value) => ['search_logs', JSON.stringify(value)] as const),
      changes.map((value) => ['recent_changes', JSON.stringify(value)] as const),
      fc.tuple(
        fc.constantFrom('list_sources', 'promql', 'rank_root_causes', 'submit_report'),
        fc.oneof(fc.string(), fc.json()),
      ),
    );
    fc.assert(
      fc.property(fc.array(stored, { maxLength: 8 }), fc.string(), fc.string(), (results, query, failure) => {
        const evidence = results.map(([tool, content], index) => storedEvidence(index + 1, tool, content));
        const checked = check(composeFallbackReport({ query, failure, evidence }), evidence);
        assert.ok(checked.citations.every(({ excerpts }) => excerpts.every(({ verified }) => verified)));
        assert.ok(checked.unverifiedClaims.every(({ why }) => why === 'cites nothing'));
        assert.ok(renderReport(checked, { model: 'm', provider: 'anthropic' }).length > 100);
      }),
      { numRuns: 500 },
    );
  });
});
