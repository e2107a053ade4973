import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { freePort } from '../src/embedded/free-port.ts';
import { waitUntil } from '../src/embedded/wait-until.ts';
import { startPrometheus, type TestPrometheus } from '../test/support/prometheus.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import type { BenchResult } from './result.ts';
import { openLogHops } from './support/log-hops.ts';
import { startRealSatellite } from './support/real-satellite.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, quantile, significant } from './support/statistics.ts';
import { withRedis } from './support/with-redis.ts';

const ROUNDS = 240;
const WARM_UP = 60;
const LARGE_ROUNDS = 12;
const LARGE_WARM_UP = 3;
const TARGET_MS = 15;
/** A large answer: this many series of this many points, with all their digits. */
const SERIES = 16;
const POINTS = 10_000;

/**
 * The same PromQL queries sent to Prometheus directly and through API, event log, WebSocket and a satellite, by one
 * client, in alternating order; also through a second API node, which does not hold the satellite's connection. The
 * overhead of a query is its time minus that of the direct one of its round.
 */
export const satelliteRoundTrip: Benchmark = {
  name: 'satellite-round-trip',
  about: `${ROUNDS} queries through a satellite, each beside the same query made directly, on each event log`,
  run: benchRoundTrip,
};

async function benchRoundTrip(options: BenchOptions): Promise<BenchReport> {
  const reports = [await withStack(options, (stack) => measure(options, stack, 'PostgreSQL'))];
  const onRedis = await withRedis(options, ({ url }) =>
    withStack({ ...options, env: { REDIS_URL: url } }, (stack) => measure(options, stack, 'Redis', url)),
  );
  if (onRedis) reports.push(onRedis);
  return {
    results: reports.flatMap(({ results }) => results),
    tables: reports.flatMap(({ tables = [] }) => tables),
  };
}

/** Metrics of the stack's own Temporal: hundreds of series that move. */
async function startMetrics({ temporal }: Stack, signal: AbortSignal): Promise<TestPrometheus> {
  const targets = [{ job: 'temporal', address: new URL(temporal.metricsUrl).host }];
  const prometheus = await startPrometheus({ targets });
  const found = async (): Promise<true | undefined> => {
    const { data } = await askDirectly(prometheus.url, SMALL, { time: Date.now() / 1_000 });
    return (data as { result: unknown[] }).result.length > 0 || undefined;
  };
  try {
    await waitUntil(found, { what: 'rates of what Temporal does', timeoutMs: 30_000, signal });
  } catch (error) {
    await prometheus.stop();
    throw error;
  }
  return prometheus;
}

const SMALL = 'sum by (operation) (rate(service_requests[1m]))';
/** Of any metric; the scalar gives every point a value of its own. */
const LARGE = `topk(${SERIES}, service_requests @ end()) + time() / 7`;

type Parameters = Record<string, number>;

async function measure(
  { say, signal }: BenchOptions,
  stack: Stack,
  of: string,
  redisUrl?: string,
): Promise<BenchReport> {
  const prometheus = await startMetrics(stack, signal);
  const satellite = await startRealSatellite(stack, prometheus.url);
  const hops = openLogHops({ databaseUrl: stack.databaseUrl, redisUrl });
  try {
    const now = Math.floor(Date.now() / 1_000);
    const tookMs: number[] = [];
    const through = async (node: string, operation: string, query: string, parameters: Parameters) => {
      const body = { team_id: satellite.teamId, satellite_id: satellite.id, connector: 'prometheus', operation };
      const answer = await post(stack, `${node}/satellite/query/integration`, {
        ...body,
        parameters: { query, ...parameters },
      });
      tookMs.push(answer.took_ms);
      return answer.result;
    };
    const at = { time: now };
    const range = { start: now - POINTS + 1, end: now, step: 1 };
    for (const [operation, query, parameters] of [
      ['query', SMALL, at],
      ['query_range', LARGE, range],
    ] as const) {
      const { data } = await askDirectly(prometheus.url, query, parameters);
      assert.deepEqual(await through(stack.apiUrl, operation, query, parameters), data);
    }

    const small = { rounds: ROUNDS, warmUp: WARM_UP, signal };
    const direct = () => askDirectly(prometheus.url, SMALL, at);
    say(`${of}: ${WARM_UP} rounds to warm up, then ${ROUNDS}`);
    tookMs.length = 0;
    const one = await inRounds(small, { direct, through: () => through(stack.apiUrl, 'query', SMALL, at) });
    const satelliteMs = tookMs.slice(WARM_UP);
    say(`${of}: ${LARGE_ROUNDS} rounds of a large answer`);
    const large = await inRounds(
      { rounds: LARGE_ROUNDS, warmUp: LARGE_WARM_UP, signal },
      {
        direct: () => askDirectly(prometheus.url, LARGE, range),
        through: () => through(stack.apiUrl, 'query_range', LARGE, range),
      },
    );
    say(`${of}: as many rounds through another node`);
    const secondUrl = await startSecondNode(stack);
    const two = await inRounds(small, { direct, through: () => through(secondUrl, 'query', SMALL, at) });
    const parts = await inRounds(small, {
      bare: () => stack.call('GET', `/satellite/${satellite.id}?team_id=${satellite.teamId}`),
      hops: () => hops.ask(),
    });
    const { data } = await askDirectly(prometheus.url, LARGE, range);
    const megabytes = JSON.stringify(data).length / 1e6;
    return {
      results: [
        ...results(of, one, 'a query through a satellite', TARGET_MS),
        ...results(of, two, 'the same through another API node'),
        largeResult(of, megabytes, large),
      ],
      tables: [stages(of, { ...one, ...parts, second: two.through, satelliteMs })],
    };
  } finally {
    await hops.close();
    await satellite.remove();
    await prometheus.stop();
  }
}

/** @returns where it is */
async function startSecondNode(stack: Stack): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await stack.start({
    name: 'api-2',
    program: 'src/bin/api.ts',
    env: { PORT: String(port) },
    ready: async () => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) })).ok,
  });
  return url;
}

async function askDirectly(url: string, query: string, parameters: Parameters): Promise<{ data: unknown }> {
  const path = 'time' in parameters ? 'query' : 'query_range';
  const search = new URLSearchParams({ query });
  for (const [name, value] of Object.entries(parameters)) search.set(name, String(value));
  const response = await fetch(`${url}/api/v1/${path}?${search.toString()}`);
  if (!response.ok) throw new Error(`Prometheus answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { data: unknown };
}

async function post(stack: Stack, url: string, body: unknown): Promise<{ result: unknown; took_ms: number }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': stack.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { result: unknown; took_ms: number };
}

/**
 * Does everything once a round, every other time in the opposite order.
 * @returns the milliseconds of each, by round
 */
async function inRounds<Name extends string>(
  { rounds, warmUp, signal }: { rounds: number; warmUp: number; signal: AbortSignal },
  work: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(work) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUp; round < rounds; round++) {
    signal.throwIfAborted();
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const began = performance.now();
      await work[name]();
      if (round >= 0) times[name].push(performance.now() - began);
    }
  }
  return times;
}

const p95 = (values: readonly number[]): number => quantile(values, 0.95);
const load = (): string => `load average ${loadavg()[0]!.toFixed(1)}`;

type Pairs = Record<'direct' | 'through', number[]>;

function results(of: string, { direct, through }: Pairs, what: string, target?: number): BenchResult[] {
  const overheads = through.map((ms, round) => ms - direct[round]!);
  const figure = (name: string, value: (values: readonly number[]) => number): BenchResult => ({
    name: `${what}, ${name}, ${of}`,
    value: value(through),
    unit: 'ms',
    baseline: { name: 'the same query, made directly', value: value(direct), unit: 'ms' },
    ratio: value(through) / value(direct),
    ...(target !== undefined &&
      name === 'median' && { target: `overhead <= ${target} ms`, met: median(overheads) <= target }),
    note: `overhead, ${name} of ${ROUNDS} pairs: ${significant(value(overheads))} ms; ${load()}`,
  });
  return [figure('median', median), figure('p95', p95)];
}

function largeResult(of: string, megabytes: number, { direct, through }: Pairs): BenchResult {
  return {
    name: `an answer of ${megabytes.toFixed(1)} MB through a satellite, median, ${of}`,
    value: median(through),
    unit: 'ms',
    baseline: { name: 'the same query, made directly', value: median(direct), unit: 'ms' },
    ratio: median(through) / median(direct),
    note: load(),
  };
}

type Parts = Record<'direct' | 'through' | 'second' | 'bare' | 'hops' | 'satelliteMs', number[]>;

function stages(of: string, times: Parts): BenchTable {
  const row = (name: string, ms: number[]) => [name, significant(median(ms)), significant(p95(ms))];
  return {
    title: `What a query through a satellite is made of, ${of}, ${ROUNDS} rounds (${load()})`,
    columns: ['each alone', 'median ms', 'p95 ms'],
    rows: [
      row('the query, directly to Prometheus', times.direct),
      row('the query at the satellite, by its own clock, whole ms', times.satelliteMs),
      row('a request to the API that reads the row of the satellite', times.bare),
      row('two hops of the event log: question and answer', times.hops),
      row('the query through the satellite', times.through),
      row('the same through another API node', times.second),
    ],
  };
}
