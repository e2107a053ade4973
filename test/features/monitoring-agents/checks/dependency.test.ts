import assert from 'node:assert/strict';
import { createGraphSource } from '../../../../src/features/satellites/agent/sources.ts';
import type { LiveEdge, LiveGraph, ServiceEdge } from '../../../../src/features/sources/port.ts';
import { memorySource } from '../../../support/telemetry-source.ts';
import { check, NOW, subjectsOf } from './support.ts';

const edges: LiveEdge[] = [
  { caller: 'web', callee: 'checkout', callsPerSecond: 20, errorRatio: 0.01, p95Seconds: 0.4, stale: false },
  { caller: 'checkout', callee: 'payment', callsPerSecond: 5, errorRatio: 0.54, p95Seconds: 1.9, stale: false },
  { caller: 'checkout', callee: 'mail', errorRatio: 0.9, p95Seconds: 9, stale: true },
  { caller: 'checkout', callee: 'kafka', callsPerSecond: 1, stale: false },
];
const satellite = { id: '1', name: 'shop' } as Parameters<typeof createGraphSource>[0];
const live = (graph: Partial<LiveGraph> = {}) =>
  createGraphSource(satellite, async () => ({ asOf: NOW - 30, edges, truncated: false, ...graph }));
const subject = (condition: object, more: object = {}) => ({
  type: 'dependency',
  source: 'satellite:shop/graph',
  condition,
  ...more,
});
const errors = { type: 'error_ratio', above: 0.1 };

describe('checks: dependency', () => {
  it('judges what the live graph of a satellite measures, and only that', async () => {
    const result = await check(subject(errors), { sources: [live()] });
    assert.equal(result.status, 'finding');
    assert.deepEqual(subjectsOf(result.observations), ['checkout -> payment', 'web -> checkout']);
    assert.equal(
      result.summary,
      '1 of 2 calls: 54 % of the calls checkout -> payment fail, limit 10 % (5 calls/s) (2 calls without figures or recent calls)',
    );
    assert.equal(result.observations[0]!.unit, 'ratio');
    const slow = await check(subject({ type: 'p95_seconds', above: 0.3 }, { caller: 'web' }), { sources: [live()] });
    assert.deepEqual(
      [slow.status, slow.observations[0]!.text],
      ['finding', 'p95 of the calls web -> checkout is 400 ms, limit 300 ms (20 calls/s)'],
    );
  });

  it('says what cannot be said', async () => {
    const reason = async (input: object, source = live()) => {
      const result = await check(input, { sources: [source] });
      assert.equal(result.status, 'failed');
      return result.summary;
    };
    assert.match(await reason(subject(errors, { callee: 'mail' })), /no such call was seen recently/);
    assert.match(await reason(subject(errors, { callee: 'kafka' })), /has no error_ratio/);
    assert.match(
      await reason(subject(errors, { caller: 'chekout' })),
      /no call chekout -> \* is known; services with calls: checkout/,
    );
    assert.match(await reason(subject(errors), live({ edges: [] })), /no calls were seen/);
    assert.match(await reason(subject(errors), live({ asOf: NOW - 7_200 })), /last confirmed at 2026-03-01T10:00:00Z/);
    const never = createGraphSource(satellite, async () => undefined);
    assert.match(await reason(subject(errors), never), /has sent no dependency graph yet/);
  });

  it('a source that knows calls only names those that measure them', async () => {
    const sources = [memorySource({ edges }), live()];
    const plain = memorySource({ edges: edges.map(({ caller, callee }) => ({ caller, callee })) });
    const result = await check({ ...subject(errors), source: 'memory' }, { sources: [plain, sources[1]!] });
    assert.equal(
      result.summary,
      'memory knows calls but does not measure them; these measure them: satellite:shop/graph',
    );
  });

  it('a call that is stale or not there is missing', async () => {
    const missing = (more: object, graph = {}) => check(subject({ type: 'missing' }, more), { sources: [live(graph)] });
    assert.equal((await missing({ caller: 'web', callee: 'checkout' })).status, 'ok');
    const stale = await missing({ caller: 'checkout' });
    assert.deepEqual(
      [stale.status, stale.summary],
      ['finding', '1 of 3 calls: the call checkout -> mail was not seen recently'],
    );
    const absent = await missing({ caller: 'web', callee: 'payment' });
    assert.deepEqual(subjectsOf(absent.observations), ['web -> payment']);
    assert.equal(absent.status, 'finding');
    assert.equal((await missing({ caller: 'web', callee: 'payment' }, { truncated: true })).status, 'failed');
    assert.match((await missing({ caller: 'nobody' })).summary, /the graph does not know "nobody"/);
    assert.deepEqual(subjectsOf((await missing({})).observations)[0], 'checkout -> mail');
  });

  it('without a live graph a call that was there an hour ago is missing', async () => {
    const before: ServiceEdge[] = edges.map(({ caller, callee }) => ({ caller, callee }));
    const source = {
      ...memorySource({ edges: [] }),
      dependencies: async ({ to }: { to: number }) => (to >= NOW ? before.slice(1) : before),
    };
    const of = (more: object) =>
      check({ ...subject({ type: 'missing' }, more), source: 'memory' }, { sources: [source] });
    assert.equal((await of({ callee: 'payment' })).status, 'ok');
    const lost = await of({ callee: 'checkout' });
    assert.deepEqual([lost.status, lost.summary], ['finding', 'the call web -> checkout was not seen for 5 min']);
    assert.match((await of({})).summary, /name a caller or a callee/);
  });
});
