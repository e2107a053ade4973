import assert from 'node:assert/strict';
import { prometheus, type Connector, type ObservedEdge } from '@casebook/connectors';
import { waitUntil } from '../../support/wait-until.ts';
import { listen, sendJson, type RunningServer } from '@casebook/offline-model';
import { startPrometheus, type TestPrometheus } from '../../support/prometheus.ts';
import { connect, failing } from './connect.ts';
import { startExporter, type Work } from './exporter.ts';

const WINDOW_SECONDS = 8;

/** Spans of two services and of a database, which sends none: its latency is what its caller measured. */
function serviceGraph({ add, observe }: Work): void {
  const seconds = [0.1, 0.2, 0.4];
  for (const [client, server, type, calls, failed] of [
    ['web', 'checkout', '', 10, 1],
    ['checkout', 'orders-db', 'database', 20, 0],
  ] as const) {
    const labels = { client, server, connection_type: type };
    add('traces_service_graph_request_total', labels, calls);
    add('traces_service_graph_request_failed_total', labels, failed);
    observe('traces_service_graph_request_client_seconds', labels, 0.3, calls, seconds);
    if (type === '') observe('traces_service_graph_request_server_seconds', labels, 0.15, calls, seconds);
  }
}

/** Proxies of both ends report the calls within the mesh; those to the outside only the caller's. */
function istio({ add, observe }: Work): void {
  const call = (reporter: string, source: string, destination: string, service: string, calls: [string, number][]) => {
    for (const [response_code, times] of calls) {
      const labels = {
        reporter,
        source_workload: source,
        source_canonical_service: source,
        destination_workload: destination,
        destination_canonical_service: destination,
        destination_service_name: service,
        response_code,
      };
      add('istio_requests_total', labels, times);
      observe('istio_request_duration_milliseconds', labels, 30, times, [20, 40, 80]);
    }
  };
  call('source', 'cart', 'payment-v1', 'payment', [
    ['200', 9],
    ['503', 3],
  ]);
  call('destination', 'cart', 'payment-v1', 'payment', [
    ['200', 6],
    ['503', 2],
  ]);
  call('destination', 'unknown', 'cart', 'cart', [['200', 5]]);
  call('source', 'payment-v1', 'unknown', 'bank.example', [['200', 2]]);
  call('source', 'payment-v1', 'unknown', 'PassthroughCluster', [['200', 2]]);
  call('source', 'payment-v1', 'unknown', 'unknown', [['200', 2]]);
}

function linkerd({ add, observe }: Work): void {
  const call = (direction: string, more: Record<string, string>, classification: string, times: number) => {
    const labels = {
      direction,
      deployment: 'emoji',
      statefulset: '',
      dst_deployment: '',
      dst_statefulset: '',
      namespace: 'a',
      classification,
      ...more,
    };
    add('response_total', labels, times);
    observe('response_latency_ms', labels, 5, times, [4, 8]);
  };
  call('outbound', { dst_deployment: 'voting' }, 'success', 3);
  call('outbound', { dst_deployment: 'voting' }, 'failure', 1);
  call('outbound', { deployment: '', statefulset: 'queue', dst_statefulset: 'redis' }, 'success', 2);
  call('inbound', { deployment: 'voting' }, 'success', 4);
  call('outbound', {}, 'success', 7);
}

const byEnds = (edges: ObservedEdge[]) => new Map(edges.map((edge) => [`${edge.caller} -> ${edge.callee}`, edge]));
const read = (connector: Connector, signal = new AbortController().signal) =>
  connector.edges!(WINDOW_SECONDS, signal).then(byEnds);

/** Prometheus extrapolates rates to the window's ends, and is asked for failures a moment after calls: both are near what is right. */
function assertEdge(edge: ObservedEdge | undefined, expected: Required<Omit<ObservedEdge, 'caller' | 'callee'>>): void {
  assert.ok(edge);
  assert.equal(edge.source, expected.source);
  for (const [amount, slack] of [
    ['callsPerSecond', 0.25],
    ['errorRatio', 0.25],
    ['p50Seconds', 0.02],
    ['p95Seconds', 0.02],
  ] as const) {
    const [actual, right] = [edge[amount] ?? Number.NaN, expected[amount]];
    assert.ok(Math.abs(actual - right) <= slack * right + 1e-9, `${amount} is ${actual}, not ${right}`);
  }
}

describe('satellite: edges from Prometheus', () => {
  const exporters: RunningServer[] = [];
  let server: TestPrometheus;
  let connector: Connector;
  let edges: Map<string, ObservedEdge>;

  before(async () => {
    const started = await Promise.all([serviceGraph, istio, linkerd].map((work) => startExporter(work)));
    exporters.push(...started.map((exporter) => exporter.server));
    server = await startPrometheus({ targets: started.map(({ address }, i) => ({ job: `mesh-${i}`, address })) });
    connector = connect(prometheus, { url: server.url });
    edges = await waitUntil(
      async () => {
        const seen = await read(connector);
        const rates = ['web -> checkout', 'cart -> payment-v1', 'emoji -> voting'].map(
          (ends) => (seen.get(ends)?.callsPerSecond ?? 0) / { w: 10, c: 8, e: 4 }[ends[0] as 'w' | 'c' | 'e'],
        );
        return rates.every((share) => share > 0.8 && share < 1.2) ? seen : undefined;
      },
      { what: 'rates of all families' },
    );
  });
  after(async () => {
    await connector?.close();
    await server?.stop();
    for (const exporter of exporters) await exporter.stop();
  });

  it('finds just the edges that there are', () => {
    assert.deepEqual([...edges.keys()].sort(), [
      'cart -> payment-v1',
      'checkout -> orders-db',
      'emoji -> voting',
      'payment-v1 -> bank.example',
      'queue -> redis',
      'web -> checkout',
    ]);
  });

  it('reads service graphs', () => {
    const source = 'service-graph';
    const inside = { source, callsPerSecond: 10, errorRatio: 0.1, p50Seconds: 0.15, p95Seconds: 0.195 } as const;
    assertEdge(edges.get('web -> checkout'), inside);
    const database = { source, callsPerSecond: 20, errorRatio: 0, p50Seconds: 0.3, p95Seconds: 0.39 } as const;
    assertEdge(edges.get('checkout -> orders-db'), database);
  });

  it('reads Istio, and believes the called end where both report', () => {
    const source = 'istio';
    const inside = { source, callsPerSecond: 8, errorRatio: 0.25, p50Seconds: 0.03, p95Seconds: 0.039 } as const;
    assertEdge(edges.get('cart -> payment-v1'), inside);
    const outside = { source, callsPerSecond: 2, errorRatio: 0, p50Seconds: 0.03, p95Seconds: 0.039 } as const;
    assertEdge(edges.get('payment-v1 -> bank.example'), outside);
  });

  it('reads Linkerd, by what callers report', () => {
    const source = 'linkerd';
    const both = { source, callsPerSecond: 4, errorRatio: 0.25, p50Seconds: 0.006, p95Seconds: 0.0078 } as const;
    assertEdge(edges.get('emoji -> voting'), both);
    const stateful = { source, callsPerSecond: 2, errorRatio: 0, p50Seconds: 0.006, p95Seconds: 0.0078 } as const;
    assertEdge(edges.get('queue -> redis'), stateful);
  });

  it('ends once nobody is waiting', async () => {
    await assert.rejects(read(connector, AbortSignal.abort(new Error('nobody waits'))), /nobody waits/);
  });
});

describe('satellite: edges from a server that plays Prometheus', () => {
  let server: RunningServer;
  let queries: string[];
  let answer: (promql: string) => { status?: number; result?: unknown[] };

  before(async () => {
    server = await listen((request, response) => {
      const promql = new URL(request.url!, 'http://host').searchParams.get('query')!;
      queries.push(promql);
      const { status = 200, result = [] } = answer(promql);
      const failed = { status: 'error', errorType: 'execution', error: 'too many samples' };
      const data = { resultType: 'vector', result };
      sendJson(response, status, status === 200 ? { status: 'success', data } : failed);
    }, 0);
  });
  beforeEach(() => (queries = []));
  after(() => server.stop());

  const many = Array.from({ length: 20_000 }, (_, i) => ({
    metric: { caller: `service-${i % 5_000}`, callee: `service-${i}-of-a-large-shop` },
    value: [1_700_000_000, '2.5'],
  }));

  it('asks once for each family that is not there', async () => {
    answer = () => ({});
    assert.equal((await read(connect(prometheus, { url: server.url }))).size, 0);
    assert.equal(queries.length, 3);
  });

  it('reads tens of thousands of edges', async () => {
    answer = (promql) => ({ result: promql.includes('traces_service_graph') ? many : [] });
    const edges = await read(connect(prometheus, { url: server.url }));
    assert.equal(edges.size, 20_000);
    assert.equal(queries.length, 6);
  });

  it('does without latencies that are too much to ask, and fails without calls', async () => {
    answer = (promql) => (promql.includes('histogram_quantile') ? { status: 422 } : { result: many.slice(0, 1) });
    const edges = await read(connect(prometheus, { url: server.url }));
    const [edge] = edges.values();
    assert.deepEqual([edge?.callsPerSecond, edge?.errorRatio, edge?.p95Seconds], [2.5, 1, undefined]);
    answer = (promql) => ({ status: promql.includes('istio_requests_total') ? 422 : 200 });
    await assert.rejects(
      read(connect(prometheus, { url: server.url })),
      failing('bad_request', /execution: too many samples/),
    );
  });
});
