import assert from 'node:assert/strict';
import { rankRootCauses, type RankingInput } from '../../../src/features/diagnosis/index.ts';
import { END, FAULT_AT, INTERVAL, slowDatabase } from './incident.ts';

const symptomIn = (input: RankingInput) => rankRootCauses(input).symptom;
const lastSample = END - INTERVAL;

/** As if the fault had ended then. */
function healedAt(time: number): RankingInput {
  const input = slowDatabase();
  const series = input.series.map((one) => ({
    ...one,
    values: one.values.map((value, i) => (one.timestamps[i]! >= time ? one.values[0]! : value)),
  }));
  return { ...input, series };
}

describe('the symptom at the end of the data', () => {
  it('lasts, or is over', () => {
    assert.deepEqual(symptomIn(slowDatabase()), { isOngoing: true, asOf: lastSample });
    assert.deepEqual(symptomIn(healedAt(FAULT_AT + 300)), { isOngoing: false, asOf: lastSample });
    assert.deepEqual(symptomIn(healedAt(lastSample)), { isOngoing: true, asOf: lastSample }, 'one sample tells little');
  });

  it('is not known without a metric of the alerting service that shows one', () => {
    const input = slowDatabase();
    assert.equal(symptomIn({ ...input, alert: { service: 'cart', at: FAULT_AT } }), undefined);
    assert.equal(symptomIn({ ...input, alert: { service: 'nobody', at: FAULT_AT } }), undefined);
    assert.equal(symptomIn(slowDatabase(0)), undefined);
  });

  it('ends with the last sample that is there', () => {
    const input = slowDatabase();
    for (const one of input.series) one.values[one.values.length - 1] = Number.NaN;
    assert.equal(symptomIn(input)?.asOf, lastSample - INTERVAL);
  });
});

describe('an alert on a counter of requests', () => {
  /** A service just started: its rates rise for a while, then its requests fail. */
  const started = (failing: number): RankingInput => {
    const timestamps = Array.from({ length: 60 }, (_, second) => second);
    const series = (service: string, metric: string, value: (second: number) => number) => ({
      service,
      metric,
      timestamps,
      values: timestamps.map(value),
    });
    const requests = (second: number): number => Math.min(second, 3) + (second % 2) / 10;
    const error = (second: number): number => (second >= 40 ? failing : 0);
    return {
      series: [
        series('shop', 'http_requests_total', requests),
        series('shop', 'http_requests_total:error_ratio', error),
        series('db', 'http_requests_total', requests),
        series('db', 'db_pool_waiting', (second) => (second >= 39 ? 8 * failing : 0)),
      ],
      edges: [{ caller: 'shop', callee: 'db' }],
      alert: { service: 'shop', metric: 'http_requests_total', at: 42 },
    };
  };

  it('is about those that fail', () => {
    const { onset, causes, symptom } = rankRootCauses(started(0.5));
    assert.equal(onset, 40);
    assert.equal(causes[0]?.service, 'db');
    assert.deepEqual(symptom, { isOngoing: true, asOf: 59 });
  });

  it('is about their number if none fails, and does not begin when the data does', () => {
    const { onset, baseline } = rankRootCauses(started(0));
    assert.equal(onset, 42);
    assert.ok(baseline.to > 25 && baseline.to < 42, String(baseline.to));
  });
});
