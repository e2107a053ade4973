import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRecordedIncidentSource } from '../../../../src/features/sources/index.ts';
import type { MetricSeries } from '../../../../src/features/sources/port.ts';
import { memorySource } from '../../../support/telemetry-source.ts';
import { check, NOW, samples, subjectsOf } from './support.ts';

const demo = join(import.meta.dirname, '../../../../demo');
const incidents = readdirSync(join(demo, 'incidents'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const read = (path: string) => JSON.parse(readFileSync(join(demo, path), 'utf8'));
const seconds = (iso: string): number => Date.parse(iso) / 1_000;
/** A steep fault must be noticed within this time; the memory leak takes a quarter of an hour to be felt at all. */
const NOTICED_SECONDS: Record<string, number> = { 'checkout-degrading': 1_200 };
const USUALLY_NOTICED_SECONDS = 400;

describe('checks: service_health', () => {
  for (const { name } of incidents) {
    it(`${name}: notices the fault in the service at fault, and nothing before it`, async () => {
      const truth = read(`truth/${name}.json`);
      const { window } = read(`incidents/${name}/incident.json`);
      const source = createRecordedIncidentSource(join(demo, 'incidents', name));
      const onset = seconds(truth.onset);
      let learning = 0;
      let noticed: number | undefined;
      for (let now = seconds(window.from) + 60; now <= onset + 1_500; now += 60) {
        const result = await check({ type: 'service_health', source: source.id }, { sources: [source], now });
        assert.notEqual(result.status, 'failed', result.summary);
        if (result.summary.startsWith('learning')) learning++;
        if (now <= onset) assert.equal(result.status, 'ok', `${now - onset} s: ${result.summary}`);
        const unwell = subjectsOf(result.observations.filter(({ isFinding }) => isFinding));
        if (unwell.includes(truth.rootCause.service)) noticed ??= now - onset;
      }
      assert.ok(learning > 0 && learning < 20, `learning for ${learning} min`);
      assert.ok(noticed !== undefined && noticed <= (NOTICED_SECONDS[name] ?? USUALLY_NOTICED_SECONDS), `${noticed} s`);
    });
  }

  const quiet = (index: number): number => 1 + 0.05 * Math.sin(index);
  const series = (metric: string, unit: string, valueAt: (at: number, index: number) => number, service = 'web') => ({
    service,
    metric,
    unit,
    ...samples(280, 15, valueAt),
  });
  const health = { type: 'service_health', source: 'memory' };
  const run = (...all: MetricSeries[]) => check(health, { sources: [memorySource({ series: all })] });
  const isNow = (at: number): boolean => at >= NOW - 300;

  it('names the worst metric with its numbers', async () => {
    const result = await run(
      series('latency', 's', (at, i) => (isNow(at) ? 1.9 : 0.2) * quiet(i)),
      series('error_ratio', 'ratio', (at) => (isNow(at) ? 0.5 : 0)),
      series('latency', 's', (_, i) => quiet(i), 'db'),
    );
    assert.equal(result.status, 'finding');
    assert.match(result.summary, /^1 of 2 services: web: \w+ is .*, normal: .*, \d+σ \(and 1 more\)$/);
    assert.deepEqual(
      result.observations.map(({ subject, isFinding }) => [subject, isFinding]),
      [
        ['web', true],
        ['db', false],
      ],
    );
  });

  it('a single spike, a small change and more traffic are no illness', async () => {
    const spike = await run(series('latency', 's', (at, i) => (at === NOW - 150 ? 50 : 0.2) * quiet(i)));
    assert.equal(spike.status, 'ok', spike.summary);
    const small = await run(series('latency', 's', (at) => (isNow(at) ? 0.25 : 0.2)));
    assert.equal(small.status, 'ok', small.summary);
    const first = await run(series('db_pool_in_use', 'connections', (at) => (isNow(at) ? 1 : 0)));
    assert.equal(first.status, 'ok', first.summary);
    const full = await run(series('db_pool_in_use', 'connections', (at) => (isNow(at) ? 24 : 0)));
    assert.equal(full.status, 'finding', full.summary);
    const rush = await run(
      series('request_rate', 'requests/s', (at, i) => (isNow(at) ? 40 : 10) * quiet(i)),
      series('db_pool_in_use', 'connections', (at, i) => (isNow(at) ? 13 : 4) * quiet(i)),
      series('cpu_utilization', 'ratio', (at, i) => (isNow(at) ? 0.6 : 0.2) * quiet(i)),
    );
    assert.equal(rush.status, 'ok', rush.summary);
  });

  it('traffic that ends, and a service that reports nothing any more, are findings', async () => {
    const ended = await run(series('request_rate', 'requests/s', (at, i) => (at >= NOW - 120 ? 0 : 10) * quiet(i)));
    assert.match(ended.summary, /^web: request_rate fell to 0 requests\/s, normal: \d+/);
    assert.equal(ended.status, 'finding');
    const whole = series('latency', 's', (_, i) => quiet(i), 'gone');
    const gone = { ...whole, timestamps: whole.timestamps.map((at) => at - 400) };
    const silent = await run(
      gone,
      series('latency', 's', (_, i) => quiet(i)),
    );
    assert.match(silent.summary, /gone: reports none of its 1 metrics since 2026-03-01T11:53:05Z/);
    const rare = await run(series('request_rate', 'requests/s', (at) => (Math.floor(at / 600) % 2 === 1 ? 10 : 0)));
    assert.equal(rare.status, 'ok', rare.summary);
  });

  it('an alert that fires is a finding of its service, before there is any history', async () => {
    const description = {
      alerts: [
        { name: 'WebDown', service: 'web', at: NOW - 60, summary: 'web is down' },
        { name: 'Later', service: 'db', at: NOW + 60, summary: 'not yet' },
      ],
    };
    const given = { sources: [memorySource({ series: [], description })] };
    const result = await check(health, given);
    assert.equal(result.status, 'finding');
    assert.deepEqual(subjectsOf(result.observations), ['web']);
    assert.match(result.summary, /^web: WebDown fires since 2026-03-01T11:59:00Z: web is down/);
    assert.equal((await check({ ...health, services: ['db'] }, given)).status, 'failed');
  });

  it('a fault that has lasted for most of the history is one still', async () => {
    for (const minutes of [2, 20, 45]) {
      const result = await run(series('latency', 's', (at, i) => (at >= NOW - minutes * 60 ? 1.9 : 0.2) * quiet(i)));
      assert.equal(result.status, 'finding', `${minutes} min: ${result.summary}`);
    }
  });

  it('is not well where nothing was looked at', async () => {
    const mute = await run(series('build_version', '1', () => 7));
    assert.deepEqual(
      [mute.status, mute.summary],
      ['failed', 'no metric that shows the health of a service in the last 65 min'],
    );
    assert.match((await run()).summary, /^no metric of any service in the last 65 min$/);
    const given = { sources: [memorySource({ series: [series('latency', 's', () => 1)] })] };
    const result = await check({ ...health, services: ['web', 'wbe'] }, given);
    assert.deepEqual(
      [result.status, result.summary],
      ['failed', 'no metrics of wbe in the last 65 min; there are metrics of web'],
    );
  });
});
