import assert from 'node:assert/strict';
import {
  changeSentence,
  blockedLoopPhrase,
  changeStep,
  clockTime,
  code,
  confirmation,
  convert,
  exhaustedPool,
  exhaustionPhrase,
  exhaustionSentence,
  fromTo,
  isUnit,
  metricPhrase,
  onsetPhrase,
  quantity,
} from '@casebook/wording';

describe('wording: figures and times', () => {
  it('shows a figure in the unit and with the digits that read best', () => {
    const cases: [number | null, string | undefined, string][] = [
      [0.0002, 's', '0.2 ms'],
      [4.4712, 's', '4.47 s'],
      [401.2, 'ms', '401 ms'],
      [2500, 'milliseconds', '2.5 s'],
      [0.5671, 'ratio', '56.7 %'],
      [1, 'ratio', '100 %'],
      [87.34, 'percent', '87.3 %'],
      [1_288_490_189, 'bytes', '1.2 GiB'],
      [1536, 'MiB', '1.5 GiB'],
      [8, 'connections', '8 connections'],
      [1, 'connections', '1 connection'],
      [1.004, 'requests/s', '1 request/s'],
      [1, 'retries', '1 retry'],
      [1, 'process', '1 process'],
      [96088, undefined, '96,100'],
      [1234, '1', '1,234'],
      [Number.NaN, 's', 'an unknown value'],
      [null, 's', 'an unknown value'],
      [5, '](http://evil)', '5'],
    ];
    for (const [value, unit, said] of cases) assert.equal(quantity(value, unit), said);
  });

  it('gives zero the unit of the figure beside it, and shows no noise beside a large figure', () => {
    assert.equal(fromTo(0, 4.5, 's'), 'from 0 s to 4.5 s');
    assert.equal(fromTo(0, 1, 'ratio'), 'from 0 % to 100 %');
    assert.equal(fromTo(0.000_001, 35, 'connections'), 'from 0 to 35 connections');
    assert.equal(fromTo(1, 35, 'connections'), 'from 1 to 35 connections');
    assert.equal(fromTo(0.0002, 4.47, 's'), 'from 0.2 ms to 4.47 s');
  });

  it('converts a figure to another unit of its kind', () => {
    assert.deepEqual(
      [convert(800, 'ms', 's'), convert(5, 'percent', 'ratio'), convert(1, 'GiB', 'bytes')],
      [0.8, 0.05, 2 ** 30],
    );
    assert.deepEqual([convert(5, '%', 'bytes'), convert(5, 'apples', 's')], [undefined, undefined]);
    assert.deepEqual(['ms', '%', 'KB', 'apples', ''].map(isUnit), [true, true, true, false, false]);
  });

  it('says times of the day, with the date where it differs', () => {
    assert.equal(clockTime('2026-03-10T16:41:18.181Z'), '16:41:18 UTC');
    assert.equal(clockTime('2026-03-10T16:41:18+02:00'), '14:41:18 UTC');
    assert.equal(clockTime('2026-03-09T23:00:00Z', '2026-03-10T01:00:00Z'), '23:00:00 UTC on 9 March 2026');
    assert.equal(clockTime('soon'), 'soon');
  });

  it('says an onset as exactly as its samples do', () => {
    assert.equal(onsetPhrase('2026-03-10T16:41:00Z', 60), 'between 16:40:00 and 16:41:00 UTC');
    assert.equal(onsetPhrase('2026-03-10T16:41:00Z', 1), 'at 16:41:00 UTC');
    assert.equal(onsetPhrase('2026-03-10T16:41:00Z'), 'at 16:41:00 UTC');
  });
});

describe('wording: metrics and their changes', () => {
  it('names what a metric measures, then the metric', () => {
    const cases: [string, string | undefined, string][] = [
      ['http_request_duration_p95', undefined, 'p95 latency (`http_request_duration_p95`)'],
      ['latency', 'p50', 'median latency (`latency`)'],
      ['http_server_duration_seconds', 'p99', 'p99 latency (`http_server_duration_seconds`)'],
      ['latency', 'p999', 'p99.9 latency (`latency`)'],
      ['error_ratio', 'Average', 'error rate (`error_ratio`)'],
      ['db_pool_wait', 'p95', 'p95 wait for a pooled connection (`db_pool_wait`)'],
      ['db_pool_waiting_requests', undefined, 'requests waiting for a pooled connection (`db_pool_waiting_requests`)'],
      ['cpu_throttled_ratio', 'Average', 'CPU throttling (`cpu_throttled_ratio`)'],
      ['containerMemoryUsage', 'Maximum', 'maximum memory usage (`containerMemoryUsage`)'],
      ['frobnications', 'Sum', '`frobnications` (`Sum`)'],
      ['a`b] [1]', undefined, "`a'b] [1]`"],
      ['up', 'average', 'scrape success (`up`)'],
    ];
    for (const [metric, statistic, said] of cases) assert.equal(metricPhrase({ metric, statistic }), said);
  });

  it('says how a metric moved, in a sentence', () => {
    const errors = { service: 'payments', metric: 'error_ratio', unit: 'ratio', at: '2026-03-10T14:10:14Z' };
    assert.equal(
      changeSentence({ ...errors, before: 0, after: 1 }, ' [1]'),
      'Error rate (`error_ratio`) of `payments` rose from 0 % to 100 % at 14:10:14 UTC [1].',
    );
    assert.equal(
      changeSentence({ metric: 'replicas_available', before: 3, after: 1 }),
      'Available replicas (`replicas_available`) fell from 3 to 1.',
    );
    assert.equal(
      changeSentence({ metric: 'request_duration_seconds', statistic: 'p95', before: 0.02, after: 1.2 }),
      'p95 latency (`request_duration_seconds`) rose from 20 ms to 1.2 s.',
    );
    assert.match(changeSentence({ metric: 'latency', unit: 's', before: null, after: 2 }), /reached 2 s\.$/);
    assert.match(changeSentence({ metric: 'latency', unit: 's', before: 2, after: 2 }), /stayed at 2 s\.$/);
  });
});

describe('wording: what gave out, and what to do', () => {
  it("reads an exhausted pool's figures from its own error", () => {
    const lines: [string, string | undefined][] = [
      [
        'HikariPool-1 - Connection is not available, request timed out after 3000ms (total=8, active=8, idle=0, waiting=217)',
        'connection pool full at 8 of 8, 217 waiting',
      ],
      [
        'connection pool exhausted: no connection became free within 1000 ms (size 10, in use 10, waiting 9)',
        'connection pool full at 10 of 10, 9 waiting',
      ],
      ['worker pool saturated: 16/16 workers busy', 'thread pool full at 16 of 16'],
      ['HikariPool-1 - pool stats (total=8, active=3, idle=5, waiting=0)', undefined],
      ['3 of 10 requests failed, waiting=4', undefined],
    ];
    for (const [line, said] of lines) {
      const pool = exhaustedPool(line);
      assert.equal(pool && exhaustionPhrase(pool), said, line);
    }
    assert.equal(
      blockedLoopPhrase('event loop was blocked for 873 ms by one synchronous computation'),
      'event loop blocked for 873 ms',
    );
    assert.equal(blockedLoopPhrase('Event loop stalled'), 'event loop blocked');
    assert.equal(blockedLoopPhrase('the loop of events was blocked'), undefined);
    assert.equal(
      exhaustionSentence('`orders`', { of: 'connection', inUse: 12, size: 10, waiting: 1 }, ' [3]'),
      'The connection pool of `orders` is full: 10 of 10 connections in use, 1 request waiting [3].',
    );
  });

  it('recommends one step that can be taken now', () => {
    const change = { id: 'c7', kind: 'flag', summary: 'audit 25 % -> 100 %' };
    assert.equal(changeStep('orders', { change }), 'Revert the flag `c7` of `orders`: `audit 25 % -> 100 %`.');
    assert.match(changeStep('orders', { change: { ...change, kind: 'deploy' } }), /^Roll back the deploy `c7`/);
    assert.match(changeStep('orders', { change: { ...change, kind: 'config' } }), /^Revert the config `c7`/);
    assert.match(changeStep('orders', { line: 'event loop was blocked', metric: 'up' }), /^Event loop blocked/);
    assert.match(changeStep('orders', { line: 'OOMKilled (exit code 137)' }), /higher memory limit/);
    assert.match(changeStep('orders', { kind: 'saturation', metric: 'cpu_usage' }), /Scale out `orders`/);
    assert.equal(
      changeStep('catalog', { kind: 'saturation', metric: 'nodejs_eventloop_lag_seconds' }),
      'Event loop blocked: profile the CPU of `catalog`; scale out meanwhile.',
    );
    assert.match(changeStep('cart', { kind: 'edge_time', caller: 'web' }), /another node: calls from `web` wait/);
    assert.match(changeStep('orders-db', { kind: 'latency' }), /running queries of `orders-db`/);
    for (const kind of ['latency', 'errors', 'traffic', 'saturation', 'new_logs', undefined])
      assert.doesNotMatch(changeStep('orders', { kind }), /find (?:out )?(?:why|what|who)/i);
  });

  it('says how to see that it worked', () => {
    assert.equal(
      confirmation({ service: 'orders', metric: 'latency', statistic: 'p50', unit: 's', before: 0.02 }),
      'To verify: the median latency (`latency`) of `orders` should return to about 20 ms within a few minutes.',
    );
    assert.equal(code('a\n`b`'), "`a 'b'`");
  });
});
