import { pathToFileURL } from 'node:url';
import {
  type LogLine,
  type MetricSeries,
  rankRootCauses,
  type RankingInput,
  type ServiceEdge,
  type Span,
} from '../src/features/diagnosis/index.ts';
import { rankByMaxZ } from './diagnosis/max-z.ts';
import type { BenchResult } from './result.ts';

const SERVICES = 500;
const METRICS = ['latency', 'errors', 'cpu', 'memory', 'requests'];
const STATISTICS = ['p50', 'p90', 'p99', 'Average'];
const POINTS = 1000;
const INTERVAL = 15;
const RUNS = 5;
const TRACES = 10_000;
const SPANS_PER_TRACE = 10;
const LINES = 100_000;

/**
 * Time to rank 10,000 series of 1,000 points over a graph of 500 services, against plain max-z, which reads every
 * sample twice and sorts nothing. Both are the median of five runs over the same arrays.
 */
export async function benchRanker(): Promise<BenchResult[]> {
  const input = largeIncident();
  const ranker = medianMilliseconds(() => rankRootCauses(input));
  const maxZ = medianMilliseconds(() => rankByMaxZ(input));
  const all = { ...input, spans: manySpans(input), logs: manyLines(input) };
  const withAll = medianMilliseconds(() => rankRootCauses(all));
  return [
    {
      name: `rank ${input.series.length} series of ${POINTS} points`,
      value: Math.round(ranker),
      unit: 'ms',
      baseline: { name: 'plain max-z', value: Math.round(maxZ), unit: 'ms' },
      ratio: ranker / maxZ,
      target: '< 1000 ms',
      met: ranker < 1000,
      note: 'ratio is ranker time / max-z time',
    },
    {
      name: `the same with ${all.spans.length} spans and ${all.logs.length} log lines`,
      value: Math.round(withAll),
      unit: 'ms',
      baseline: { name: 'metrics alone', value: Math.round(ranker), unit: 'ms' },
      ratio: withAll / ranker,
      target: '< 3000 ms',
      met: withAll < 3000,
      note: 'ratio is time with / without spans and lines',
    },
  ];
}

/** Noise with a fault in one leaf; the linear congruential generator makes every run the same. */
function largeIncident(): RankingInput {
  let state = 42;
  const random = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
  const timestamps = Array.from({ length: POINTS }, (_, i) => 1_700_000_000 + i * INTERVAL);
  const onset = timestamps[Math.floor(POINTS * 0.9)]!;
  const series: MetricSeries[] = [];
  const edges: ServiceEdge[] = [];
  for (let service = 0; service < SERVICES; service++) {
    if (service > 0) edges.push({ caller: `s${(service - 1) >> 1}`, callee: `s${service}` });
    for (const metric of METRICS) {
      for (const statistic of STATISTICS) {
        const faulty = service === SERVICES - 1 && metric === 'latency';
        const values = timestamps.map((time) => 10 + random() + (faulty && time >= onset ? 20 : 0));
        series.push({ service: `s${service}`, metric, statistic, timestamps, values });
      }
    }
  }
  return {
    series,
    edges,
    alert: { service: 's0', metric: 'latency', at: onset },
    baseline: { from: timestamps[0]!, to: onset },
    incident: { from: onset, to: timestamps[POINTS - 1]! + INTERVAL },
  };
}

/** Requests from the root down to a leaf: a client span and a server span for each call. */
function manySpans({ series }: RankingInput): Span[] {
  const { timestamps } = series[0]!;
  const [begin, end] = [timestamps[0]!, timestamps[POINTS - 1]!];
  return Array.from({ length: TRACES }, (_, trace) => {
    const start = begin + ((end - begin) * trace) / TRACES;
    return Array.from({ length: SPANS_PER_TRACE }, (__, depth): Span => {
      const service = (1 << ((depth + 1) >> 1)) - 1 + (trace % (1 << ((depth + 1) >> 1)));
      return {
        traceId: `t${trace}`,
        spanId: `t${trace}-${depth}`,
        ...(depth > 0 && { parentId: `t${trace}-${depth - 1}` }),
        service: `s${service % SERVICES}`,
        operation: `operation ${depth}`,
        start: start + depth / 1000,
        durationMs: 10 * (SPANS_PER_TRACE - depth) + ((trace * 7) % 5),
      };
    });
  }).flat();
}

function manyLines({ series }: RankingInput): LogLine[] {
  const { timestamps } = series[0]!;
  const [begin, end] = [timestamps[0]!, timestamps[POINTS - 1]!];
  return Array.from({ length: LINES }, (_, line) => ({
    at: begin + ((end - begin) * line) / LINES,
    service: `s${line % SERVICES}`,
    level: line % 50 === 0 ? 'warn' : 'info',
    message: `16:45:07.${line % 1000} INFO  OrderService#${line % 40} TraceID: ${(line * 7919).toString(16).padStart(16, '0')} [step ${line % 8}][user=${line}] order ${line} took ${line % 300} ms`,
  }));
}

function medianMilliseconds(work: () => unknown): number {
  work();
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[RUNS >> 1]!;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(`${JSON.stringify(await benchRanker(), null, 2)}\n`);
}
