import assert from 'node:assert/strict';
import type { MetricSeries, PromqlSeries } from '../../../../src/features/sources/port.ts';
import { aggregateOf } from '../../../../src/features/monitoring-agents/checks/metric-judge.ts';
import { memorySource } from '../../../support/telemetry-source.ts';
import { check, NOW, samples, subjectsOf } from './support.ts';

const ripple = (index: number): number => 1 + 0.05 * Math.sin(index);
const latency = (service: string, valueAt: (at: number, index: number) => number, count = 260): MetricSeries => ({
  service,
  metric: 'latency',
  statistic: 'p95',
  unit: 's',
  ...samples(count, 15, valueAt),
});
const fault = NOW - 300;
const slow = latency('checkout', (at, index) => (at < fault ? 0.21 : 1.9) * ripple(index));
const steady = latency('cart', (_, index) => 0.1 * ripple(index));
const threshold = {
  type: 'metric',
  source: 'memory',
  metric: 'latency',
  condition: { type: 'threshold', operator: '>', value: 1 },
};
const baseline = { ...threshold, condition: { type: 'baseline' } };

describe('checks: metric', () => {
  it('compares each series with a threshold', async () => {
    const result = await check(threshold, { sources: [memorySource({ series: [steady, slow] })] });
    assert.equal(result.status, 'finding');
    assert.deepEqual(subjectsOf(result.observations), ['checkout p95', 'cart p95']);
    const [found, fine] = result.observations;
    assert.deepEqual([found!.isFinding, found!.service, fine!.isFinding], [true, 'checkout', false]);
    assert.ok(Math.abs(found!.value! - 1.9) < 0.05);
    assert.deepEqual([found!.expected, found!.unit], [1, 's']);
    assert.match(found!.text, /^latency p95 of checkout is 1\.\d+ s \(mean of 5 min\), which is above 1 s$/);
    assert.match(result.summary, /^1 of 2 series: latency p95 of checkout/);
    assert.match(JSON.stringify(result.evidence), /2026-03-01T11:55:00Z/);
  });

  it('reduces the points of the window and nothing before it', () => {
    const values = [3, 1, 2, 10];
    assert.deepEqual(
      (['last', 'mean', 'median', 'max', 'min'] as const).map((aggregate) => aggregateOf(values, aggregate)),
      [10, 4, 2.5, 10, 1],
    );
  });

  it('has as the mean of equal values that value, to the last digit', () => {
    for (const value of [1, 0.1, 0.3, 1e308, -7.7]) {
      for (const count of [3, 10, 49, 301]) {
        const values = Array.from({ length: count }, () => value);
        assert.equal(aggregateOf(values, 'mean'), value, `${count} times ${value}`);
      }
    }
  });

  for (const [operator, value, isFinding] of [
    ['>', 5, false],
    ['>=', 5, true],
    ['<', 5, false],
    ['<=', 5, true],
    ['==', 5, true],
    ['!=', 5, false],
    ['<', 6, true],
    ['!=', 6, true],
  ] as const) {
    it(`5 ${operator} ${value} is ${isFinding}`, async () => {
      const series = { service: 'a', metric: 'm', ...samples(10, 10, () => 5) };
      const condition = { type: 'threshold', operator, value };
      const result = await check(
        { ...threshold, metric: 'm', condition },
        { sources: [memorySource({ series: [series] })] },
      );
      assert.equal(result.status, isFinding ? 'finding' : 'ok');
    });
  }

  it('finds what left its own history, and says by how much', async () => {
    const result = await check(baseline, { sources: [memorySource({ series: [steady, slow] })] });
    assert.equal(result.status, 'finding');
    assert.equal(result.observations[0]!.subject, 'checkout p95');
    assert.match(result.observations[0]!.text, /is 1\.9\d* s \(mean of 5 min\), normal: 2\d\d ms \(\d+σ above\)/);
    assert.equal(result.observations[1]!.isFinding, false);
  });

  it('respects direction and minimum change', async () => {
    const of = (condition: object) =>
      check(
        { ...baseline, condition: { type: 'baseline', ...condition } },
        { sources: [memorySource({ series: [slow] })] },
      );
    assert.equal((await of({ direction: 'below' })).status, 'ok');
    assert.equal((await of({ direction: 'both' })).status, 'finding');
    assert.equal((await of({ least_change: 2 })).status, 'ok');
    assert.equal((await of({ deviations: 100 })).status, 'finding');
  });

  it('a steady series is as usual whatever is made of its points', async () => {
    for (const aggregate of ['last', 'mean', 'median', 'max', 'min']) {
      // Heavy tails: one sample in fifty is five times as large.
      const spiky = latency('web', (_, index) => 0.1 * ripple(index) * (index % 50 === 49 ? 5 : 1));
      const result = await check(
        { ...baseline, aggregate, window_seconds: 900, condition: { type: 'baseline', direction: 'both' } },
        { sources: [memorySource({ series: [spiky] })] },
      );
      if (aggregate !== 'last') assert.equal(result.status, 'ok', `${aggregate}: ${result.summary}`);
    }
  });

  it('a steady trend is no deviation, and a fault of most of the history still is one', async () => {
    const rising = latency('a', (at, index) => 10 + (at - NOW + 3_900) / 3_900 + 0.05 * Math.sin(index));
    const trend = await check(baseline, { sources: [memorySource({ series: [rising] })] });
    assert.equal(trend.status, 'ok', trend.summary);
    for (const minutes of [5, 20, 32, 40]) {
      const long = latency('a', (at, index) => (at < NOW - minutes * 60 ? 0.2 : 2) * ripple(index));
      const result = await check(baseline, { sources: [memorySource({ series: [long] })] });
      assert.equal(result.status, 'finding', `${minutes} min: ${result.summary}`);
    }
  });

  it('a constant history has noise of its own size, and zero is left by anything', async () => {
    const of = (usual: number, now: number) =>
      check(baseline, { sources: [memorySource({ series: [latency('a', (at) => (at < fault ? usual : now))] })] });
    assert.equal((await of(100, 102)).status, 'ok');
    assert.equal((await of(100, 110)).status, 'finding');
    const left = await of(0, 0.5);
    assert.equal(left.status, 'finding');
    assert.match(left.summary, /normal: 0 s \(constant\)/);
    assert.equal((await of(0, 0)).status, 'ok');
  });

  it('is learning while the history does not exist yet, and never silently', async () => {
    const young = latency('a', (_, index) => ripple(index), 30);
    const result = await check(baseline, { sources: [memorySource({ series: [young] })] });
    assert.deepEqual([result.status, result.summary, result.observations], ['ok', 'learning: 10 of 20 points', []]);
    const sparse = { ...young, ...samples(4, 900, () => 1) };
    const failed = await check(
      { ...baseline, window_seconds: 1_000 },
      { sources: [memorySource({ series: [sparse] })] },
    );
    assert.equal(failed.status, 'failed');
    assert.match(failed.summary, /history has 3 samples, but the check needs 20/);
  });

  it('judges those that can be judged and counts the others', async () => {
    const young = latency('young', (_, index) => ripple(index), 30);
    const gone = { ...steady, service: 'gone', timestamps: steady.timestamps.map((at) => at - 310) };
    const result = await check(baseline, { sources: [memorySource({ series: [steady, young, gone] })] });
    assert.equal(result.status, 'ok');
    assert.deepEqual(subjectsOf(result.observations), ['cart p95']);
    assert.match(result.summary, /1 without data now; 1 still learning/);
  });

  it('drops what is no sample and keeps the order of time', async () => {
    const at = [NOW - 10, NOW - 30, NOW - 20, NOW - 30, NOW - 15];
    const series = { service: 'a', metric: 'latency', timestamps: at, values: [7, 1, Number.NaN, 3, Infinity] };
    const last = await check({ ...threshold, aggregate: 'last' }, { sources: [memorySource({ series: [series] })] });
    assert.equal(last.observations[0]!.value, 7);
    const mean = await check(threshold, { sources: [memorySource({ series: [series] })] });
    assert.equal(mean.observations[0]!.value, 5);
  });

  for (const values of [[], [Number.NaN, Infinity]]) {
    it(`no data (${values.length} samples) is what the plan says it is`, async () => {
      const timestamps = values.map((_, index) => NOW - 10 - index);
      const sources = [memorySource({ series: [{ service: 'a', metric: 'latency', timestamps, values }] })];
      const failed = await check(threshold, { sources });
      assert.equal(failed.status, 'failed');
      assert.match(failed.summary, /^no data of latency in the last 5 min$/);
      assert.equal((await check({ ...threshold, no_data: 'ok' }, { sources })).status, 'ok');
      const found = await check({ ...threshold, no_data: 'finding' }, { sources });
      assert.equal(found.status, 'finding');
      assert.deepEqual(subjectsOf(found.observations), ['no data']);
    });
  }

  it('data that came back ends a finding that there is none', async () => {
    const result = await check({ ...threshold, no_data: 'finding' }, { sources: [memorySource({ series: [steady] })] });
    assert.deepEqual(
      result.observations.map(({ subject, isFinding }) => [subject, isFinding]),
      [
        ['cart p95', false],
        ['no data', false],
      ],
    );
  });

  it('names the series of a PromQL answer by their labels', async () => {
    const source = memorySource({
      promql: (): PromqlSeries[] => [
        { labels: { service: 'cart', code: '503', __name__: 'x' }, ...samples(5, 10, () => 9) },
        { labels: {}, ...samples(5, 10, () => 0) },
      ],
    });
    const { metric: _metric, ...rest } = threshold;
    const result = await check({ ...rest, promql: 'x' }, { sources: [source] });
    assert.deepEqual(subjectsOf(result.observations), ['code=503,service=cart', 'value']);
    assert.equal(result.observations[0]!.service, 'cart');
  });

  it('gives the worst hundred of many series and says how many there are', async () => {
    const series = Array.from({ length: 250 }, (_, i) => latency(`s${i}`, () => (i % 2 === 0 ? 2 + i : 0.5), 5));
    const result = await check(threshold, { sources: [memorySource({ series })] });
    assert.equal(result.observations.length, 100);
    assert.ok(result.observations.every(({ isFinding }) => isFinding));
    assert.equal(result.observations[0]!.subject, 's248 p95');
    assert.match(result.summary, /^125 of 250 series: latency p95 of s248/);
    assert.ok(JSON.stringify(result.evidence).length < 33_000);
  });

  it('says what a source refuses, and what it does not offer', async () => {
    const sources = [memorySource({ series: [steady] })];
    const unknown = await check({ ...threshold, metric: 'nope' }, { sources });
    assert.deepEqual([unknown.status, unknown.summary], ['failed', 'there is no metric "nope"']);
    const { metric: _metric, ...rest } = threshold;
    const promql = await check(
      { ...rest, promql: 'up' },
      { sources: [...sources, memorySource({ id: 'other', promql: () => [] })] },
    );
    assert.match(promql.summary, /source "memory" does not offer promql; these do: other/);
    const absent = await check({ ...threshold, source: 'nowhere' }, { sources });
    assert.match(absent.summary, /there is no source "nowhere"; the sources are: memory/);
  });
});
