import assert from 'node:assert/strict';
import type { Span } from '../../../src/features/sources/port.ts';
import { createToolRegistry, sharedTools } from '../../../src/features/tools/index.ts';
import type { CompareTracesResult, GetTraceResult, SearchTracesResult } from '../../../src/features/tools/index.ts';
import { ALERT_AT, catalogOf, memorySource, sampleIncident } from '../../support/telemetry-source.ts';
import { toolContext } from '../../support/tool-context.ts';

const registry = createToolRegistry(sharedTools);
const onset = ALERT_AT - 300;
const baseline = { from: ALERT_AT - 7_200, to: onset };
const incident = { from: onset, to: ALERT_AT + 900 };

const sourceOf = (spans: Span[]) =>
  toolContext({
    sources: catalogOf(
      memorySource({ id: 'shop', spans, description: { window: { from: baseline.from, to: incident.to }, baseline } }),
    ),
  });

interface Results {
  search_traces: SearchTracesResult;
  get_trace: GetTraceResult;
  compare_traces: CompareTracesResult;
}

async function ask<Name extends keyof Results>(
  name: Name,
  input: object,
  spans: Span[],
): Promise<{ result: Results[Name]; digest: string }> {
  const output = await registry.invoke(name, { source: 'shop', ...input }, sourceOf(spans));
  assert.equal(output.isError, undefined, String(output.content));
  const result: Results[Name] = JSON.parse(String(output.content));
  return { result, digest: output.digest };
}

interface Healthy {
  /** Between the client's span in web and cart's own. */
  networkMs: number;
  cartMs: number;
  failed: boolean;
  /** What cart calls, if anything. */
  calls: 'db' | 'cache' | undefined;
}

/** A request: web, its client span, cart, and what cart calls. */
function request(at: number, index: number, changed: Partial<Healthy> = {}): Span[] {
  const ripple = 1 + 0.05 * Math.sin(index * 7);
  const {
    networkMs = 2 * ripple,
    cartMs = 20 * ripple,
    failed = false,
    calls,
  } = {
    calls: 'db' as const,
    ...changed,
  };
  const traceId = `t${at}-${index}`;
  const client = cartMs + 10 + networkMs;
  const span = (spanId: string, parentId: string | undefined, service: string, rest: Partial<Span>): Span => ({
    traceId,
    spanId,
    ...(parentId !== undefined && { parentId }),
    service,
    operation: 'GET /cart',
    start: at,
    durationMs: 0,
    kind: 'server',
    ...rest,
  });
  return [
    span('1', undefined, 'web', { durationMs: client + 5 }),
    span('2', '1', 'web', { operation: 'cart', kind: 'client', start: at + 0.003, durationMs: client }),
    span('3', '2', 'cart', {
      operation: 'load',
      start: at + 0.003 + networkMs / 2000,
      durationMs: cartMs + 10,
      ...(failed && { status: 'error' }),
    }),
    ...(calls === undefined
      ? []
      : [
          span('4', '3', calls, { operation: 'SELECT', start: at + 0.006 + networkMs / 2000, durationMs: 10 }),
          // A second call: a span with one call only is the call itself.
          span('5', '3', 'cart', { operation: 'check', start: at + 0.0165 + networkMs / 2000, durationMs: 0.5 }),
        ]),
  ];
}

/** Requests every five seconds, healthy before the onset. */
function traffic(sick: Partial<Healthy>): Span[] {
  const count = (incident.to - baseline.from) / 5;
  return Array.from({ length: count }, (_, index) => {
    const at = baseline.from + index * 5;
    return request(at, index, at < onset ? {} : sick);
  }).flat();
}

const compare = async (sick: Partial<Healthy>, input: object = {}) =>
  (await ask('compare_traces', { from: incident.from, to: incident.to, ...input }, traffic(sick))).result;

describe('tools over traces', () => {
  it('search_traces: the slowest first', async () => {
    const spans = [10, 500, 20].flatMap((cartMs, index) => request(onset + index, index, { cartMs }));
    const { result, digest } = await ask('search_traces', { limit: 2 }, spans);
    assert.deepEqual(
      result.traces.map(({ trace_id }) => trace_id),
      [`t${onset + 1}-1`, `t${onset + 2}-2`],
    );
    assert.deepEqual(result.traces[0], {
      trace_id: `t${onset + 1}-1`,
      service: 'web',
      operation: 'GET /cart',
      start: '2026-03-01T11:55:01Z',
      duration_ms: result.traces[0]!.duration_ms,
      spans: 5,
    });
    assert.equal(result.truncated, true);
    assert.match(digest, /^3 traces; slowest: web GET \/cart, 517 ms$/);
  });

  it('get_trace: a waterfall, with what each span took itself and what passed between services', async () => {
    const { result, digest } = await ask(
      'get_trace',
      { trace_id: `t${onset}-0` },
      request(onset, 0, { networkMs: 401, failed: true }),
    );
    assert.deepEqual(
      result.spans.map(({ depth, words }) => [depth, words]),
      [
        [0, 'web GET /cart starts at 0 ms, takes 436 ms, self time 5 ms'],
        [1, 'web cart starts at 3 ms, takes 431 ms, network time 401 ms to cart'],
        [2, 'cart load starts at 204 ms, takes 30 ms, self time 19.5 ms, failed'],
        [3, 'db SELECT starts at 207 ms, takes 10 ms'],
        [3, 'cart check starts at 217 ms, takes 0.5 ms'],
      ],
    );
    assert.equal(result.spans[1]!.network_ms, 401);
    assert.equal(result.spans[2]!.status, 'error');
    assert.deepEqual([result.span_count, result.errors, result.truncated], [5, 1, false]);
    assert.deepEqual(result.services[0], { service: 'web', spans: 2, errors: 0, self_ms: 5, network_ms: 401 });
    assert.equal(digest, 'web GET /cart took 436 ms in 5 spans; most of it in web');
  });

  it('get_trace: of a large trace the spans that matter, and how many are not shown', async () => {
    const spans = request(onset, 0);
    const many = Array.from({ length: 500 }, (_, index): Span => ({
      ...spans[3]!,
      spanId: `n${index}`,
      parentId: '4',
      durationMs: index === 250 ? 9 : 0.001,
      ...(index === 400 && { status: 'error' }),
    }));
    const { result } = await ask('get_trace', { trace_id: `t${onset}-0` }, [...spans, ...many]);
    assert.equal(result.spans.length, 45);
    assert.equal(result.span_count, 505);
    assert.equal(result.truncated, true);
    assert.ok(result.spans.some(({ duration_ms }) => duration_ms === 9));
    assert.ok(result.spans.some(({ status }) => status === 'error'));
    assert.equal(result.spans.find(({ service, depth }) => service === 'db' && depth === 3)!.hidden, 460);
  });

  it('get_trace: copes with circles, orphans, spans of their own and hostile names', async () => {
    const [root] = request(onset, 0) as [Span];
    const odd: Span[] = [
      { ...root, spanId: 'a', parentId: 'b' },
      { ...root, spanId: 'b', parentId: 'a' },
      { ...root, spanId: 'c', parentId: 'c' },
      { ...root, spanId: 'd', parentId: 'gone' },
      { ...root, spanId: 'd', service: `</script>\n${'x'.repeat(5_000)}`, operation: '' },
    ];
    const { result } = await ask('get_trace', { trace_id: root.traceId }, odd);
    assert.equal(result.spans.length, 4);
    assert.ok(result.spans.every(({ words, service }) => !words.includes('\n') && service.length <= 120));
  });

  it('get_trace: says that there is no such trace', async () => {
    const output = await registry.invoke(
      'get_trace',
      { source: 'shop', trace_id: 'none' },
      sourceOf(request(onset, 0)),
    );
    assert.equal(output.isError, true);
    assert.match(String(output.content), /has no trace .*none.*search_traces/);
  });

  it('compare_traces: nothing when nothing differs', async () => {
    const { operations, network, new_calls, vanished_calls, notes, traces } = await compare({});
    assert.deepEqual([operations, network, new_calls, vanished_calls], [[], [], [], []]);
    assert.match(notes.join(), /No notable difference from the baseline/);
    assert.ok(traces.before > 1_000 && traces.after > 200);
  });

  it('compare_traces: tells a slow network from a slow callee', async () => {
    const slowNetwork = await compare({ networkMs: 400 });
    assert.deepEqual(slowNetwork.operations, []);
    const [edge] = slowNetwork.network;
    assert.deepEqual([edge!.caller, edge!.callee], ['web', 'cart']);
    assert.match(edge!.words, /^Network time from web to cart: 400 ms \(baseline 2 ms\)$/);
    assert.ok(edge!.network_ms.score > 3);

    const slowCallee = await compare({ cartMs: 400 });
    assert.deepEqual(slowCallee.network, []);
    assert.deepEqual(
      slowCallee.operations.map(({ service, operation }) => [service, operation]),
      [['cart', 'load']],
    );
    assert.match(slowCallee.operations[0]!.words, /^cart load: self time went from 19.5 ms to 400 ms$/);
  });

  it('compare_traces: failures', async () => {
    const [cart] = (await compare({ failed: true })).operations;
    assert.equal(cart!.words, 'cart load: error rate went from 0 % to 100 %');
    assert.deepEqual([cart!.error_share!.before, cart!.error_share!.after], [0, 1]);
  });

  it('compare_traces: what is called no more, and what is called instead', async () => {
    const result = await compare({ calls: 'cache' });
    assert.deepEqual(
      result.vanished_operations.map(({ service, operation }) => [service, operation]),
      [['db', 'SELECT']],
    );
    assert.match(
      result.vanished_calls[0]!.words,
      /^cart load no longer calls db SELECT: 1380 times in the baseline, never/,
    );
    assert.match(result.new_calls[0]!.words, /^cart load now calls cache SELECT: 240 times in the incident, never/);
    assert.match(result.new_operations[0]!.words, /^cache SELECT is new: 240 times in the incident, never in 1380/);
  });

  it('compare_traces: does not take what is rare for vanished or new', async () => {
    const spans = traffic({});
    const rare = [request(baseline.from, 9_999, { calls: 'cache' }), request(onset + 7, 9_999, { calls: undefined })];
    const { result } = await ask('compare_traces', { from: incident.from, to: incident.to }, [
      ...spans,
      ...rare.flat(),
    ]);
    assert.deepEqual([result.vanished_operations, result.vanished_calls, result.new_calls], [[], [], []]);
  });

  it('compare_traces: about one service only', async () => {
    const { operations, network } = await compare({ networkMs: 400, cartMs: 400 }, { service: 'db' });
    assert.deepEqual([operations, network], [[], []]);
  });

  it('compare_traces: says when a window has no traces', async () => {
    const early = { from: baseline.from - 7_200, to: baseline.from - 3_600 };
    const { notes } = await compare({}, { baseline_from: early.from, baseline_to: early.to });
    assert.match(notes.join(), /no trace in the baseline/);
  });

  it('are refused for a source without traces, which names those that have', async () => {
    const context = toolContext({ sources: catalogOf(sampleIncident(), memorySource({ id: 'jaeger', spans: [] })) });
    for (const name of ['search_traces', 'get_trace', 'compare_traces']) {
      const output = await registry.invoke(
        name,
        { source: 'shop', ...(name === 'get_trace' && { trace_id: 'x' }) },
        context,
      );
      assert.equal(output.isError, true);
      assert.match(String(output.content), /does not offer traces.*jaeger/);
    }
  });
});
