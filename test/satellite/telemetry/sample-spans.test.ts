import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { traceOperations, type TraceQuery } from '../../../packages/connectors/shared/traces/index.ts';

/** A system with 1,000 traces of two spans a second, each of which takes `msPerTrace` to read. */
function sampled(options: { msPerTrace: number; remainingMs?: number }) {
  let now = 0;
  mock.method(performance, 'now', () => now);
  const asked: TraceQuery[] = [];
  const [sample] = traceOperations({
    place: 'a system',
    services: () => Promise.resolve([]),
    trace: () => Promise.resolve([]),
    find(query) {
      asked.push(query);
      now += query.limit * options.msPerTrace;
      const traces = Array.from({ length: query.limit }, (_, i) =>
        ['1', '2'].map((id) => ({
          trace_id: `${query.from} ${i}`,
          span_id: id,
          service: 'orders',
          operation: 'GET /',
          start: query.from,
          duration_ms: 1,
        })),
      );
      return Promise.resolve({ traces, more: true });
    },
  }).filter(({ name }) => name === 'sample_spans');
  const context = { signal: new AbortController().signal, maxBytes: 1e9, remainingMs: options.remainingMs };
  const answer = sample!.run({ from: 0, to: 800, max_spans: 100_000 }, context) as Promise<{
    spans: unknown[];
    sampled: boolean;
  }>;
  return answer.then(({ spans, sampled: some }) => ({ spans: spans.length, sampled: some, asked, tookMs: now }));
}

describe('a sample of spans', () => {
  afterEach(() => mock.restoreAll());

  it('is as large as may be read from a fast system', async () => {
    const { asked, spans } = await sampled({ msPerTrace: 0.1, remainingMs: 30_000 });
    assert.deepEqual(
      asked.map(({ limit }) => limit),
      [113, 500, 500, 500, 500, 500, 500, 500],
    );
    assert.equal(spans, 2 * (113 + 7 * 500));
  });

  it('of a slow system is smaller, ends in time, and still covers the whole range', async () => {
    for (const msPerTrace of [10, 40, 100]) {
      const found = await sampled({ msPerTrace, remainingMs: 30_000 });
      assert.equal(found.sampled, true);
      assert.ok(found.tookMs < 30_000, `${found.tookMs} ms`);
      assert.deepEqual(
        found.asked.map(({ from }) => from),
        [0, 100, 200, 300, 400, 500, 600, 700],
        `at ${msPerTrace} ms a trace`,
      );
      mock.restoreAll();
    }
  });
});
