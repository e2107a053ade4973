import assert from 'node:assert/strict';
import { barOf, traceIn, type TraceRow } from '../../../web/src/components/trace/trace.ts';

const row = (offset: number, duration: number): TraceRow => ({
  depth: 0,
  service: 'web',
  operation: 'GET /',
  failed: false,
  offset,
  duration,
  hidden: 0,
});

describe('web: waterfalls of traces', () => {
  it('read what the tool returned', () => {
    const trace = traceIn(
      JSON.stringify({
        trace_id: 'abc',
        duration_ms: 10,
        span_count: 7,
        spans: [
          {
            depth: 1,
            service: 'web',
            operation: 'GET /',
            status: 'error',
            offset_ms: 2,
            duration_ms: 8,
            self_ms: 3,
            network_ms: 1,
            hidden: 6,
          },
        ],
      }),
    );
    assert.deepEqual(trace, {
      id: 'abc',
      duration: 10,
      spanCount: 7,
      rows: [{ ...row(2, 8), depth: 1, failed: true, own: 3, network: 1, hidden: 6 }],
    });
  });

  it('are not drawn of anything else', () => {
    for (const text of ['', 'no JSON', 'null', '7', '[]', '{}', '{"spans":{}}', '{"spans":[]}', '{"spans":[1,null]}'])
      assert.equal(traceIn(text), undefined, text);
  });

  it('bound what strange results hold', () => {
    const strange = { depth: 'x', service: 5, operation: null, offset_ms: -7, duration_ms: 1e300, self_ms: 'y' };
    const trace = traceIn(JSON.stringify({ duration_ms: {}, spans: Array.from({ length: 5_000 }, () => strange) }));
    assert.equal(trace?.rows.length, 200);
    assert.deepEqual(trace.rows[0], { ...row(0, 0), service: '(no name)', operation: '(no name)', own: 0 });
  });

  it('keep each bar within the trace, and wide enough to be seen', () => {
    assert.deepEqual(barOf(row(0, 100), 100), { left: 0, width: 100 });
    assert.deepEqual(barOf(row(50, 25), 100), { left: 50, width: 25 });
    assert.deepEqual(barOf(row(100, 0.001), 100), { left: 99.4, width: 0.6 });
    assert.deepEqual(barOf(row(0, 0), 0), { left: 0, width: 100 });
  });
});
