import assert from 'node:assert/strict';
import { calibrate, checkReport, type Report } from '../../../src/features/investigations/report/index.ts';
import { sampleReport } from '../../support/report.ts';
import { storedEvidence } from '../../support/tool-context.ts';

function ranking(confidence: number, services = ['db', 'web']) {
  return storedEvidence(
    1,
    'rank_root_causes',
    JSON.stringify({
      alert: { service: 'web', at: '2026-03-01T12:00:00Z' },
      onset: null,
      considered: { services: 4, series: 9 },
      causes: services.map((service, index) => ({
        rank: index + 1,
        service,
        own_score: 4 - index,
        reason: 'It moved.',
        evidence: [{ kind: 'edge_time', statement: `Calls to \`${service}\` wait 401 ms, 0.8 ms before.` }],
        signals: [],
      })),
      confidence,
    }),
  );
}
const report = (service: string | null, confidence: number): Report =>
  sampleReport({
    root_cause: { service, statement: 'Its pool is full [1].' },
    hypotheses: [{ statement: 'A deploy broke it.', verdict: 'supported', reasoning: 'It came before [1].' }],
    citations: [{ n: 1, evidence: 1, excerpts: ['"rank":1'] }],
    confidence,
  });

describe('confidence of a report', () => {
  it('is the measured frequency where the model is surer, and its own number where it is lower', () => {
    const shown = (stated: number, measured: number) => {
      const { report: bounded, confidenceBasis } = calibrate(report('db', stated), [ranking(measured)]);
      return [bounded.confidence, confidenceBasis, bounded.root_cause.service];
    };
    assert.deepEqual(shown(0.95, 0.8), [0.8, 'measured', 'db']);
    assert.deepEqual(shown(0.6, 0.8), [0.6, 'stated', 'db']);
    assert.deepEqual(shown(0.5, 0.8), [0.5, 'stated', 'db']);
    assert.deepEqual(shown(0.49, 0.8), [0.49, 'stated', null]);
  });

  it('leaves another cause no more than the first one of the ranking leaves', () => {
    const { report: bounded, confidenceBasis } = calibrate(report('web', 0.95), [ranking(0.25)]);
    assert.deepEqual([bounded.confidence, confidenceBasis, bounded.root_cause.service], [0.75, 'stated', 'web']);
    assert.equal(calibrate(report('web', 0.95), [ranking(0.75)]).report.root_cause.service, null);
  });

  it('takes the last ranking of the run, and the word of the model if there is none', () => {
    const [early, late] = [ranking(0.9), { ...ranking(0.6), evidence: 2 }];
    assert.equal(calibrate(report('db', 1), [early, late]).report.confidence, 0.6);
    assert.deepEqual(calibrate(report('db', 0.7), []), { report: report('db', 0.7), confidenceBasis: 'stated' });
  });

  it('establishes no cause below an even chance, and says what would decide between the candidates', () => {
    const evidence = [ranking(0.4)];
    const { report: open } = calibrate(report('db', 0.9), evidence);
    assert.equal(open.root_cause.service, null);
    assert.equal(open.title, 'No cause established; candidates: db, web');
    assert.match(
      open.root_cause.statement,
      /^No cause is established: the chance that `db` is at fault is only 40 %; other candidates are `web` \[2\]\.$/,
    );
    assert.deepEqual(
      open.hypotheses.map(({ statement, verdict, reasoning }) => [statement, verdict, reasoning]),
      [
        ['`db` is at fault.', 'open', 'Its pool is full [1].'],
        ['`web` is at fault.', 'open', 'Calls to `web` wait 401 ms, 0.8 ms before. [3]'],
        ['A deploy broke it.', 'open', 'It came before [1].'],
      ],
    );
    assert.match(open.recommended_change.summary, /bad request to `web` through `db` and `web` .* is at fault\.$/);
    const checked = checkReport(open, (n) => evidence.find((stored) => stored.evidence === n));
    assert.ok(checked.citations.every(({ excerpts }) => excerpts.every(({ verified }) => verified)));
    assert.deepEqual(
      checked.unverifiedClaims.filter(({ where }) => where === 'root_cause.statement'),
      [],
    );
  });

  it('leaves a report that names no service as it is', () => {
    const { report: same } = calibrate(report(null, 0.1), [ranking(0.4)]);
    assert.deepEqual(same, report(null, 0.1));
  });
});
