/** The satellite's cost of the live graph: time and memory per interval on a large system, and spans a second. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import protobuf from 'protobufjs';
import type { ObservedEdge } from '@casebook/connectors';
import { LiveGraph } from '../satellite/graph/live-graph.ts';
import { GraphPublisher } from '../satellite/graph/publisher.ts';
import { SpanObserver } from '../satellite/graph/spans/observer.ts';
import { decodeJson } from '../satellite/otlp/json.ts';
import { decodeProtobuf } from '../satellite/otlp/protobuf.ts';
import type { Benchmark, BenchReport } from './benchmark.ts';
import type { BenchResult } from './result.ts';

const SERVICES = 10_000;
const EDGES = 100_000;
const ROUNDS = 10;
const SPANS = 20_000;

export const satelliteGraphFeed: Benchmark = {
  name: 'satellite-graph-feed',
  about: `an interval of a graph of ${SERVICES} services and ${EDGES} edges, and spans over OTLP`,
  run: async (): Promise<BenchReport> => ({ results: [...intervals(), ...spans()] }),
};

function intervals(): BenchResult[] {
  const observed = edges();
  const before = heap();
  const live = new LiveGraph({ staleAfterMs: 120_000, expireAfterMs: 900_000, maxEdges: EDGES });
  const publisher = new GraphPublisher(0.1, randomUUID);
  live.observe('prometheus', observed, 0);
  publisher.snapshot(live.merged(0), 0);
  const bytesPerEdge = (heap() - before) / EDGES;

  const change = (round: number): void => {
    for (let at = round; at < EDGES; at += 100) observed[at]!.callsPerSecond! *= 2;
  };
  const delta: number[] = [];
  const whole: number[] = [];
  let deltaBytes = 0;
  let wholeBytes = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    change(round);
    const now = round * 15_000;
    delta.push(
      timed(() => {
        live.observe('prometheus', observed, now);
        live.advance(now);
        deltaBytes = bytesOf(publisher.delta(live.merged(now), now));
      }),
    );
    whole.push(
      timed(() => {
        live.observe('prometheus', observed, now);
        live.advance(now);
        wholeBytes = bytesOf(publisher.snapshot(live.merged(now), now));
      }),
    );
  }
  const baseline = 'a snapshot in each interval';
  return [
    {
      name: 'interval with 1% changed',
      value: median(delta),
      unit: 'ms',
      baseline: { name: baseline, value: median(whole), unit: 'ms' },
      ratio: median(delta) / median(whole),
      note: 'observing, expiring, comparing and encoding; of 15 s',
    },
    {
      name: 'bytes of an interval with 1% changed',
      value: deltaBytes,
      unit: 'B',
      baseline: { name: baseline, value: wholeBytes, unit: 'B' },
      ratio: deltaBytes / wholeBytes,
    },
    {
      name: 'memory per edge',
      value: Math.round(bytesPerEdge),
      unit: 'B',
      baseline: { name: 'its JSON on the wire', value: Math.round(wholeBytes / EDGES), unit: 'B' },
      ratio: bytesPerEdge / (wholeBytes / EDGES),
      note: 'the graph and what was sent of it',
    },
  ];
}

function spans(): BenchResult[] {
  const request = exportRequest();
  const json = Buffer.from(JSON.stringify(request));
  const root = protobuf.parse(PROTO).root.lookupType('Request');
  const body = root.encode(root.fromObject(inProtobuf(request))).finish();
  const perSecond = (work: () => void): number => {
    const times = Array.from({ length: ROUNDS }, () => timed(work));
    return Math.round(SPANS / (median(times) / 1_000));
  };
  const fromDescriptor = perSecond(() => root.decode(body));
  const fromProtobuf = perSecond(() => decodeProtobuf(body));
  const fromJson = perSecond(() => decodeJson(json));
  const decoded = decodeProtobuf(body).spans;
  const paired = perSecond(() => {
    const observer = new SpanObserver(300, EDGES, () => performance.now());
    observer.receive(decoded);
    observer.edges();
  });
  const baseline = { name: 'a decoder made from a descriptor', value: fromDescriptor, unit: 'spans/s' };
  return [
    { name: 'decoding protobuf', value: fromProtobuf, unit: 'spans/s', baseline, ratio: fromProtobuf / fromDescriptor },
    { name: 'decoding JSON', value: fromJson, unit: 'spans/s', baseline, ratio: fromJson / fromDescriptor },
    { name: 'pairing and counting', value: paired, unit: 'spans/s', baseline, ratio: paired / fromDescriptor },
  ];
}

function edges(): ObservedEdge[] {
  return Array.from({ length: EDGES }, (_, index) => {
    const caller = index % SERVICES;
    const callee = (caller * 7 + Math.floor(index / SERVICES) * 13 + 1) % SERVICES;
    return {
      caller: `team-${caller % 100}/service-${caller}`,
      callee: `team-${callee % 100}/service-${callee}`,
      source: 'service-graph' as const,
      callsPerSecond: 1 + (index % 97) / 7,
      errorRatio: (index % 50) / 1_000,
      p50Seconds: 0.012,
      p95Seconds: 0.12,
    };
  });
}

type Fields = Record<string, unknown>;

/** Calls between 20 services, with as many attributes as HTTP instrumentation has. */
function exportRequest(): { resourceSpans: Fields[] } {
  const attributes = [
    'http.request.method',
    'url.full',
    'server.address',
    'network.protocol.version',
    'user_agent.original',
  ];
  const calls = Array.from({ length: SPANS / 2 }, () => ({
    traceId: randomBytes(16).toString('hex'),
    client: randomBytes(8).toString('hex'),
    server: randomBytes(8).toString('hex'),
  }));
  const span = (kind: number, traceId: string, spanId: string, parentSpanId: string): Fields => ({
    traceId,
    spanId,
    parentSpanId,
    kind,
    name: 'GET /orders/{id}',
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000000015000000',
    attributes: attributes.map((key) => ({ key, value: { stringValue: `${key} of the call` } })),
    status: {},
  });
  return {
    resourceSpans: Array.from({ length: 20 }, (_, service) => ({
      resource: { attributes: [{ key: 'service.name', value: { stringValue: `service-${service}` } }] },
      scopeSpans: [
        {
          spans: calls.flatMap(({ traceId, client, server }, at) => {
            if (at % 20 === service) return [span(3, traceId, client, '')];
            return (at + 1) % 20 === service ? [span(2, traceId, server, client)] : [];
          }),
        },
      ],
    })),
  };
}

/** Ids are bytes there. */
function inProtobuf(value: unknown, key = ''): Fields {
  const convert = (inner: unknown, name: string): unknown => {
    if (typeof inner === 'string') return /(?:trace|span)Id$/iu.test(name) ? Buffer.from(inner, 'hex') : inner;
    if (Array.isArray(inner)) return inner.map((item) => convert(item, name));
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([member, held]) => [member, convert(held, member)]));
  };
  return convert(value, key) as Fields;
}

const PROTO = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
}
message Status { int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; } }
`;

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const bytesOf = (messages: readonly unknown[]): number =>
  messages.reduce((sum: number, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

/** Bytes of what is alive. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}
