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
