import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../src/embedded/wait-until.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import type { BenchResult } from './result.ts';
import type { PostHttpInput, PostHttpOutput } from './support/post-http.ts';
import { processorSeconds, residentBytes } from './support/process-cost.ts';
import { runProgram, startProgram } from './support/program.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, quantile, significant } from './support/statistics.ts';
import type { TimeHttpInput, TimeHttpOutput } from './support/time-http.ts';
import type { WireSatellitesInput, WireSatellitesOutput } from './support/wire-satellites.ts';

const MANY = 1_000;
const CONNECTORS = 5;
const TOOLS = 10;
/** Without any request: what connections and heartbeats cost. */
const QUIET_SECONDS = 20;
/** Then for the requests; they end earlier. */
const BUSY_SECONDS = 40;
const LISTS = 60;
const QUERIES = 200;
const WARM_UP = 60;

/**
 * 1,000 satellites on one API process, each with an inventory and a heartbeat every 5 s, against one satellite and
 * against none: memory and processor time of API and database while nothing is asked, then lists and queries.
 * The satellites' ends are one process of the same machine.
 */
export const satellitesConnected: Benchmark = {
  name: 'satellites-connected',
  about: `${MANY} satellites connected to one API process, against one and none`,
  run: (options) => withStack(options, (stack) => measure(options, stack)),
};

/** Shares of one processor, and what the API says of its event loop, over some seconds. */
interface Quiet {
  api: number;
  postgres: number;
  residentBytes: number;
  lagP99Ms: number;
  lagMaxMs: number;
}

interface Connected extends Quiet {
  satellites: number;
  listMs: number[];
  queryMs: number[];
  wire: WireSatellitesOutput;
  /** After the requests. */
  afterBytes: number;
}

async function measure(options: BenchOptions, stack: Stack): Promise<BenchReport> {
  const { say, signal } = options;
  const { id: teamId } = await stack.call<{ id: string }>('GET', '/api/team');
  const { token } = await stack.call<{ token: string }>('POST', '/api/satellite-tokens', { name: 'bench' });
  // Memory left by the very first requests does not belong to any satellite.
  say('warming up');
  await connected(options, stack, { teamId, token, satellites: 1, seconds: 0 });
  say('no satellite');
  const idle = await quiet(stack, signal);
  say('1 satellite');
  const one = await connected(options, stack, { teamId, token, satellites: 1, seconds: QUIET_SECONDS });
  say(`${MANY} satellites`);
  const many = await connected(options, stack, { teamId, token, satellites: MANY, seconds: QUIET_SECONDS });
  return { results: results(idle, one, many), tables: [table(idle, [one, many])] };
}

async function quiet(stack: Stack, signal: AbortSignal, seconds: number = QUIET_SECONDS): Promise<Quiet> {
  const pids = [stack.pid('api'), stack.pid('postgres')] as const;
  // The first reading begins the time that the second is about.
  await lagOf(stack);
  const before = pids.map(processorSeconds);
  await sleep(seconds * 1_000, undefined, { signal });
  const [api = 0, postgres = 0] = pids.map((pid, at) => (processorSeconds(pid) - before[at]!) / seconds);
  return { api, postgres, residentBytes: residentBytes(pids[0]), ...(await lagOf(stack)) };
}

/** How late the API's event loop was since it was last asked: Node's own figures. */
async function lagOf({ apiUrl }: Stack): Promise<{ lagP99Ms: number; lagMaxMs: number }> {
  const text = await (await fetch(`${apiUrl}/metrics`)).text();
  const read = (name: string): number =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1]) * 1_000;
  return { lagP99Ms: read('p99'), lagMaxMs: read('max') };
}

async function connected(
  { signal }: BenchOptions,
  stack: Stack,
  { teamId, token, satellites, seconds }: { teamId: string; token: string; satellites: number; seconds: number },
): Promise<Connected> {
  const input: WireSatellitesInput = {
    url: stack.apiUrl,
    token,
    satellites,
    connectors: CONNECTORS,
    tools: TOOLS,
    seconds: seconds + BUSY_SECONDS,
  };
  const wire = startProgram<WireSatellitesOutput>('wire-satellites.ts', input, signal);
  await wire.ready;
  const listUrl = `${stack.apiUrl}/satellite/list?team_id=${teamId}`;
  const headers = { 'x-api-key': stack.apiKey };
  // Their connections are there; their rows follow.
  const ids = await waitUntil(
    async () => {
      type List = { satellites: { id: string; status: string }[] };
      const { satellites: rows } = await stack.call<List>('GET', `/satellite/list?team_id=${teamId}&status=online`);
      return rows.length === satellites ? rows.map(({ id }) => id) : undefined;
    },
    { what: `${satellites} satellites to be online`, timeoutMs: 20_000, signal },
  );
  const still = await quiet(stack, signal, seconds || 1);
  const list: TimeHttpInput = { url: listUrl, headers, connections: 1, requests: LISTS };
  const listMs = await runProgram<TimeHttpOutput>('time-http.ts', list, signal);
  const query: PostHttpInput = {
    url: `${stack.apiUrl}/satellite/query/integration`,
    headers,
    bodies: Array.from({ length: WARM_UP + QUERIES }, (_, at) => ({
      team_id: teamId,
      satellite_id: ids[at % ids.length],
      connector: 'connector-0',
      operation: 'query',
      parameters: { query: 'up' },
    })),
  };
  const queryMs = (await runProgram<PostHttpOutput>('post-http.ts', query, signal)).slice(WARM_UP);
  const afterBytes = residentBytes(stack.pid('api'));
  return { satellites, ...still, listMs, queryMs, afterBytes, wire: await wire.result };
}

const p95 = (values: readonly number[]): number => quantile(values, 0.95);
const load = (): string => `load average ${loadavg()[0]!.toFixed(1)}`;
const percent = (share: number): number => Number((share * 100).toFixed(1));
const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

function results(idle: Quiet, one: Connected, many: Connected): BenchResult[] {
  const perSatellite = (many.residentBytes - one.residentBytes) / (MANY - 1) / 1024;
  const share = (name: string, of: 'api' | 'postgres'): BenchResult => ({
    name: `processor time of ${name} with ${MANY} satellites and nothing asked`,
    value: percent(many[of]),
    unit: '% of one',
    baseline: { name: 'without satellites', value: percent(idle[of]), unit: '% of one' },
    ratio: many[of] / idle[of],
    note: `${significant(((many[of] - idle[of]) / MANY) * 1e6)} us a second for each; ${load()}`,
  });
  const latency = (name: string, of: 'listMs' | 'queryMs', at: (values: readonly number[]) => number): BenchResult => ({
    name: `${name}, with ${MANY} satellites`,
    value: at(many[of]),
    unit: 'ms',
    baseline: { name: 'with 1 satellite', value: at(one[of]), unit: 'ms' },
    ratio: at(many[of]) / at(one[of]),
  });
  return [
    share('the API', 'api'),
    share('PostgreSQL', 'postgres'),
    {
      name: `resident memory of the API with ${MANY} satellites`,
      value: megabytes(many.residentBytes),
      unit: 'MB',
      baseline: { name: 'with 1 satellite', value: megabytes(one.residentBytes), unit: 'MB' },
      ratio: many.residentBytes / one.residentBytes,
      target: 'no connection lost',
      met: many.wire.lost === 0,
      note: `${significant(perSatellite)} kB for each satellite; ${many.wire.lost} connections lost`,
    },
    latency('the list of satellites, median', 'listMs', median),
    latency('the list of satellites, p95', 'listMs', p95),
    latency('a query through one satellite, median', 'queryMs', median),
    latency('a query through one satellite, p95', 'queryMs', p95),
  ];
}

function table(idle: Quiet, connections: Connected[]): BenchTable {
  const cells = ({ api, postgres, residentBytes: bytes, lagP99Ms, lagMaxMs }: Quiet) => [
    `${percent(api)}%`,
    `${percent(postgres)}%`,
    megabytes(bytes),
    significant(lagP99Ms),
    significant(lagMaxMs),
  ];
  return {
    title: `Satellites connected to one API process; ${QUIET_SECONDS} s without requests, then requests (${load()})`,
    columns: [
      'satellites',
      'API',
      'PostgreSQL',
      'API MB',
      'event loop p99 ms',
      'max',
      'API MB after requests',
      'connected in s',
      'heartbeats',
      'ack p50 ms',
      'p99',
      'lost',
      'CPU of the satellites',
    ],
    rows: [
      [0, ...cells(idle), null, null, null, null, null, null, null],
      ...connections.map((one) => [
        one.satellites,
        ...cells(one),
        megabytes(one.afterBytes),
        significant(one.wire.connectedSeconds),
        one.wire.heartbeats,
        significant(median(one.wire.ackMs)),
        significant(quantile(one.wire.ackMs, 0.99)),
        one.wire.lost,
        `${percent(one.wire.processorSeconds / (QUIET_SECONDS + BUSY_SECONDS))}%`,
      ]),
    ],
  };
}
