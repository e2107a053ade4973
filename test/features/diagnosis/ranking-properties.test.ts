import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  type MetricSeries,
  rankRootCauses,
  type RankingInput,
  seriesAnomaly,
} from '../../../src/features/diagnosis/index.ts';
import { END, FAULT_AT, slowDatabase, START, syntheticSeries } from './incident.ts';

const windows = { baseline: { from: START, to: FAULT_AT }, incident: { from: FAULT_AT, to: END } };
const runs = { numRuns: 100 };

function mapValues(series: MetricSeries, change: (value: number, index: number) => number): MetricSeries {
  return { ...series, values: series.values.map(change) };
}

const sample = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -1e6, max: 1e6, noNaN: true }) },
  { weight: 2, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY) },
  { weight: 2, arbitrary: fc.constant(0) },
);
const service = fc.constantFrom('a', 'b', 'c', 'd_client', 'e_remote', 'x.elb.amazonaws.com_remote');
const metric = fc.constantFrom('latency', 'errors', 'availability', 'cpu', 'requests', 'weather');

const arbitraryInput: fc.Arbitrary<RankingInput> = fc.record(
  {
    series: fc.array(
      fc.record({ service, metric, values: fc.array(sample, { maxLength: 40 }) }).map(({ values, ...rest }) => ({
        ...rest,
        values,
        timestamps: values.map((_, index) => START + index * 60),
      })),
      { maxLength: 12 },
    ),
    edges: fc.array(fc.record({ caller: service, callee: service }, { noNullPrototype: true }), { maxLength: 15 }),
    alert: fc
      .record({ service, metric, at: fc.integer({ min: START - 600, max: START + 3000 }) })
      .map((alert) => ({ ...alert })),
    incident: fc
      .record({ from: fc.integer({ min: START, max: START + 2400 }), length: fc.integer({ min: 1, max: 1200 }) })
      .map(({ from, length }) => ({ from, to: from + length })),
  },
  { requiredKeys: ['series', 'edges'], noNullPrototype: true },
);

describe('ranking properties', () => {
  it('ranks every service once with finite scores in order, whatever the gaps, cycles and infinities', () => {
    fc.assert(
      fc.property(arbitraryInput, (input) => {
        const { causes } = rankRootCauses(input);
        const services = new Set([
          ...input.series.map((one) => one.service),
          ...input.edges.flatMap(({ caller, callee }) => [caller, callee]),
        ]);
        assert.deepEqual(new Set(causes.map((cause) => cause.service)), services);
        assert.equal(causes.length, services.size);
        causes.forEach((cause, index) => {
          assert.ok(Number.isFinite(cause.score) && cause.ownScore >= 0);
          assert.ok(index === 0 || causes[index - 1]!.score >= cause.score);
          assert.ok(cause.signals.length <= 5);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('depends neither on the order of series and edges nor on being asked before', () => {
    const shuffled = arbitraryInput.chain((input) => {
      // Two series under one name are two instances; which of them is named first is all that order may decide.
      const unique = [...new Map(input.series.map((one) => [`${one.service} ${one.metric}`, one])).values()];
      return fc.tuple(
        fc.constant({ ...input, series: unique }),
        fc.shuffledSubarray(unique, { minLength: unique.length }),
        fc.shuffledSubarray(input.edges, { minLength: input.edges.length }),
      );
    });
    fc.assert(
      fc.property(shuffled, ([input, series, edges]) => {
        const expected = rankRootCauses(input);
        assert.deepEqual(rankRootCauses({ ...input, series, edges }), expected);
        assert.deepEqual(rankRootCauses(input), expected);
      }),
      runs,
    );
  });

  it('does not change its input', () => {
    fc.assert(
      fc.property(arbitraryInput, (input) => {
        const copy = structuredClone(input);
        rankRootCauses(input);
        assert.deepEqual(input, copy);
      }),
      runs,
    );
  });

  it('does not depend on the unit of any series', () => {
    const factors = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 4, maxLength: 4 });
    const expected = rankRootCauses(slowDatabase());
    fc.assert(
      fc.property(factors, (powers) => {
        const input = slowDatabase();
        // Powers of two are exact, so that equality can be asked for.
        input.series = input.series.map((one, index) => mapValues(one, (value) => value * 2 ** powers[index]!));
        const { causes } = rankRootCauses(input);
        assert.deepEqual(
          causes.map((cause) => [cause.service, cause.score]),
          expected.causes.map((cause) => [cause.service, cause.score]),
        );
      }),
      runs,
    );
  });

  it('scores a series the same on a shifted scale while its spread is above the floor', () => {
    const [series] = syntheticSeries([{ service: 'a', metric: 'latency', level: 0, noise: 8, change: 40 }]);
    const expected = seriesAnomaly(series!, windows).score;
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 100 }), (shift) => {
        const { score } = seriesAnomaly(
          mapValues(series!, (value) => value + shift),
          windows,
        );
        assert.ok(Math.abs(score - expected) < 1e-9 * Math.abs(expected));
      }),
      runs,
    );
  });

  it('never ranks the cause lower for a larger fault', () => {
    const place = (change: number): number =>
      rankRootCauses(slowDatabase(change)).causes.findIndex((cause) => cause.service === 'orders-db');
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 500, noNaN: true }),
        fc.double({ min: 1, max: 10, noNaN: true }),
        (a, more) => {
          assert.ok(place(a * more) <= place(a));
        },
      ),
      runs,
    );
  });

  it('scores more for more harm, and the opposite for the opposite', () => {
    const score = (metricName: string, change: number): number =>
      seriesAnomaly(syntheticSeries([{ service: 'a', metric: metricName, level: 50, change }])[0]!, windows).score;
    const size = fc.double({ min: 1, max: 1000, noNaN: true });
    fc.assert(
      fc.property(size, size, (one, more) => {
        assert.ok(score('latency', one + more) > score('latency', one));
        assert.ok(score('availability', -(one + more)) > score('availability', -one));
        assert.ok(score('latency', -more - 10) < 0);
      }),
      runs,
    );
  });

  it('keeps the cause first when up to a third of all samples are missing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 0.33, noNaN: true }),
        (seed, share) => {
          let state = seed;
          const input = slowDatabase();
          input.series = input.series.map((one) =>
            mapValues(one, (value) => {
              state = (state * 48_271) % 2_147_483_647;
              return state / 2_147_483_647 < share ? Number.NaN : value;
            }),
          );
          assert.equal(rankRootCauses(input).causes[0]?.service, 'orders-db');
        },
      ),
      runs,
    );
  });
});
