import assert from 'node:assert/strict';
import { faultlessTime, historyOf } from '../../../../src/features/monitoring-agents/checks/reference.ts';
import type { LogLine, MetricSeries, ServiceEdge } from '../../../../src/features/sources/port.ts';
import { memorySource } from '../../../support/telemetry-source.ts';
import { check, NOW, subjectsOf } from './support.ts';

const DAY = 86_400;
const HOUR = 3_600;
const ripple = (index: number): number => 1 + 0.05 * Math.sin(index);

/** A sample a minute, from `days` ago until now. */
function series(days: number, valueAt: (at: number) => number, more: Partial<MetricSeries> = {}): MetricSeries {
  const count = Math.round((days * DAY) / 60);
  const timestamps = Array.from({ length: count }, (_, index) => NOW - (count - index) * 60);
  const values = timestamps.map((at, index) => valueAt(at) * ripple(index));
  return { service: 'web', metric: 'latency', unit: 's', timestamps, values, ...more };
}
const baseline = { type: 'metric', source: 'memory', metric: 'latency', condition: { type: 'baseline' } };
const over = (...all: MetricSeries[]) => ({ sources: [memorySource({ series: all })] });
const ongoing = (subject: string, from: number) => new Map([[subject, [{ from, to: Infinity }]]]);

describe('the time without faults before a window', () => {
  const window = { from: 1_000, to: 1_100 };
  for (const [what, faults, expected] of [
    ['is the time before it', [], [[900, 1_000]]],
    ['ends where a fault began', [[700, Infinity]], [[600, 700]]],
    [
      'goes around one that is over',
      [[950, 980]],
      [
        [870, 950],
        [980, 1_000],
      ],
    ],
    [
      'leaves out faults that overlap',
      [
        [950, 980],
        [940, 960],
      ],
      [
        [860, 940],
        [980, 1_000],
      ],
    ],
    [
      'ignores those of long ago, and of later',
      [
        [100, 800],
        [1_050, 1_060],
      ],
      [[900, 1_000]],
    ],
    [
      'goes before a long one that is over',
      [[100, 990]],
      [
        [10, 100],
        [990, 1_000],
      ],
    ],
  ] as [string, [number, number][], [number, number][]][]) {
    it(what, () => {
      const given = faults.map(([from, to]) => ({ from, to }));
      assert.deepEqual(
        faultlessTime(window, 100, given).map(({ from, to }) => [from, to]),
        expected,
      );
      assert.deepEqual(historyOf(window, 100, given), { from: expected[0]![0], to: expected.at(-1)![1] });
    });
  }
});

describe('what is usual while a finding is open', () => {
  for (const hours of [0.5, 3, 40]) {
    it(`a fault of ${hours} h is none the less one`, async () => {
      const onset = NOW - hours * HOUR;
      const faulty = series(2, (at) => (at < onset ? 0.2 : 2));
      const result = await check(baseline, { ...over(faulty), faults: ongoing('web', onset + 60) });
      assert.equal(result.status, 'finding', result.summary);
      assert.match(result.summary, /normal before 20\S+Z: (19|20|21)\d ms/);
      assert.match(JSON.stringify(result.evidence), /until 20\S+Z, before the ongoing fault/);
      const recovered = series(2, (at) => (at < onset || at >= NOW - 300 ? 0.2 : 2));
      const after = await check(baseline, { ...over(recovered), faults: ongoing('web', onset + 60) });
      assert.equal(after.status, 'ok', after.summary);
    });
  }

  it('nobody reported a fault: what has lasted for the whole history is usual', async () => {
    const result = await check(baseline, over(series(2, (at) => (at < NOW - 20 * HOUR ? 0.2 : 2))));
    assert.equal(result.status, 'ok', result.summary);
  });

  it('a fault that is over is no history of the next one', async () => {
    const first = { from: NOW - 5 * HOUR, to: NOW - HOUR / 2 };
    const valueAt = (at: number): number => (at >= first.from && at < first.to ? 2 : at >= NOW - 300 ? 2 : 0.2);
    const faults = new Map([['web', [{ from: first.from + 60, to: first.to + 60 }]]]);
    const result = await check(baseline, { ...over(series(1, valueAt)), faults });
    assert.equal(result.status, 'finding', result.summary);
  });

  it('the other series of the check keep their own history', async () => {
    const web = series(1, (at) => (at < NOW - 3 * HOUR ? 0.2 : 2));
    const shop = series(1, (at) => (at < NOW - 2 * HOUR ? 1 : 3), { service: 'shop' });
    const result = await check(baseline, { ...over(web, shop), faults: ongoing('web', NOW - 3 * HOUR + 60) });
    const found = result.observations.filter(({ isFinding }) => isFinding);
    assert.deepEqual(subjectsOf(found), ['web']);
    assert.equal(result.observations.length, 2);
  });

  it('of a service: its health, and that it reports nothing any more', async () => {
    const health = { type: 'service_health', source: 'memory' };
    const slow = series(1, (at) => (at < NOW - 3 * HOUR ? 0.2 : 2));
    const db = series(1, () => 0.1, { service: 'db' });
    const faults = ongoing('web', NOW - 3 * HOUR + 60);
    const result = await check(health, { ...over(slow, db), faults });
    assert.match(result.summary, /^1 of 2 services: web: latency is .*, normal before 20\S+:/);
    const gone = series(1, () => 0.2);
    const kept = gone.timestamps.findIndex((at) => at >= NOW - 3 * HOUR);
    const silent = { ...gone, timestamps: gone.timestamps.slice(0, kept), values: gone.values.slice(0, kept) };
    const still = await check(health, { ...over(silent, db), faults });
    assert.match(still.summary, /web: reports none of its 1 metrics since/);
    assert.equal((await check(health, over(slow, db))).status, 'ok', 'without a finding');
  });

  it('of log lines: a kind of line stays new until it ends', async () => {
    const newPattern = { type: 'log_pattern', source: 'memory', condition: { type: 'new_pattern' } };
    const line = (at: number, message: string): LogLine => ({ at, service: 'web', level: 'error', message });
    const usual = Array.from({ length: 300 }, (_, index) => line(NOW - index * 60, 'cache refreshed'));
    const lines = (from: number): LogLine[] =>
      usual.flatMap((one) => (one.at >= from ? [one, line(one.at, 'pool is exhausted')] : [one]));
    const first = await check(newPattern, { sources: [memorySource({ lines: lines(NOW - 240) })] });
    assert.equal(first.status, 'finding', first.summary);
    const subject = first.observations.find(({ isFinding }) => isFinding)!.subject;
    const late = { sources: [memorySource({ lines: lines(NOW - 3 * HOUR) })] };
    assert.equal((await check(newPattern, late)).status, 'ok', 'without a finding');
    const result = await check(newPattern, { ...late, faults: ongoing(subject, NOW - 3 * HOUR + 60) });
    assert.equal(result.status, 'finding', result.summary);
    assert.deepEqual(subjectsOf(result.observations.filter(({ isFinding }) => isFinding)), [subject]);
    const over = { sources: [memorySource({ lines: usual })] };
    assert.equal((await check(newPattern, { ...over, faults: ongoing(subject, NOW - 3 * HOUR) })).status, 'ok');
  });

  it('of calls: one stays missing however long it is', async () => {
    const missing = { type: 'dependency', source: 'memory', caller: 'web', condition: { type: 'missing' } };
    const edges: ServiceEdge[] = [{ caller: 'web', callee: 'cart', callsPerSecond: 1 }];
    const given = { sources: [memorySource({ edges })], faults: ongoing('web -> db', NOW - 9 * HOUR) };
    const result = await check(missing, given);
    assert.match(result.summary, /the call web -> db is still not seen/);
    const back = [...edges, { caller: 'web', callee: 'db', callsPerSecond: 1 }];
    assert.equal((await check(missing, { ...given, sources: [memorySource({ edges: back })] })).status, 'ok');
  });
});

describe('the same time on earlier days', () => {
  /** Every day from 11:55 to 12:05 a batch job; NOW is at 12:00. */
  const nightly = (at: number): number => (at % DAY >= 12 * HOUR - 310 && at % DAY < 12 * HOUR + 300 ? 2 : 0.2);
  const condition = (direction: string) => ({ ...baseline, condition: { type: 'baseline', direction } });

  it('decides, where at least three days have data', async () => {
    for (const [days, status] of [
      [8, 'ok'],
      [4, 'ok'],
      [3.2, 'ok'],
      [2.2, 'finding'],
      [1, 'finding'],
    ] as const) {
      const whole = series(days, (at) => (at % DAY >= 10 * HOUR && at % DAY < 11.8 * HOUR ? 0.2 : 1));
      const result = await check(baseline, over(whole));
      assert.equal(result.status, status, `${days} days: ${result.summary}`);
      const compared = status === 'ok' ? /the same time on \d earlier days/ : /compared_with":"the previous 1 h"/;
      assert.match(JSON.stringify(result.evidence), compared);
    }
  });

  it('finds that what happens every day does not', async () => {
    const morning = (at: number): number => (at % DAY >= 11 * HOUR ? 5 : 1);
    const usual = await check(condition('below'), over(series(8, morning)));
    assert.equal(usual.status, 'ok', usual.summary);
    const missing = await check(condition('below'), over(series(8, (at) => (at > NOW - 2 * HOUR ? 1 : morning(at)))));
    assert.equal(missing.status, 'finding', missing.summary);
    assert.match(missing.summary, /normal at this time: 4\.9/);
  });

  it('knows weekends, and is not fooled by one bad day', async () => {
    // 2026-03-01 is a Sunday.
    const isWeekend = (at: number): boolean => [0, 6].includes(new Date(at * 1_000).getUTCDay());
    const quiet = await check(condition('below'), over(series(8, (at) => (isWeekend(at) ? 1 : 5))));
    assert.equal(quiet.status, 'ok', quiet.summary);
    const once = (at: number): boolean => at < NOW - 3 * DAY + HOUR && at > NOW - 3 * DAY - HOUR;
    const bad = await check(baseline, over(series(8, (at) => (at > NOW - 300 || once(at) ? 2 : 0.2))));
    assert.equal(bad.status, 'finding', bad.summary);
  });

  it('leaves out the days of a fault: one of days does not become usual', async () => {
    const onset = NOW - 4 * DAY;
    const faulty = series(8, (at) => (at < onset ? 0.2 : 2));
    assert.equal((await check(baseline, over(faulty))).status, 'ok', 'without a finding');
    const result = await check(baseline, { ...over(faulty), faults: ongoing('web', onset + 60) });
    assert.equal(result.status, 'finding', result.summary);
    assert.match(result.summary, /normal at this time: 2\d\d ms/);
  });

  it('says for services what deviates from the hour before whether it is usual', async () => {
    const health = { type: 'service_health', source: 'memory' };
    const daily = await check(health, over(series(8, nightly)));
    assert.equal(daily.status, 'ok', daily.summary);
    const today = await check(health, over(series(8, (at) => (at >= NOW - 310 ? 2 : 0.2))));
    assert.match(today.summary, /normal at this time: 2\d\d ms/);
    const young = await check(health, over(series(2, nightly)));
    assert.match(young.summary, /normal: (19|20|21)\d ms/);
  });

  it('is not needed: a source that does not answer for it is compared with the history before', async () => {
    const source = memorySource({ series: [series(8, nightly)] });
    const { queryMetric } = source;
    source.queryMetric = async (query, options) => {
      if (query.to < NOW) throw new Error('beyond retention');
      return queryMetric!(query, options);
    };
    const result = await check(baseline, { sources: [source] });
    assert.equal(result.status, 'finding', result.summary);
    assert.match(JSON.stringify(result.evidence), /the previous 1 h/);
  });
});
