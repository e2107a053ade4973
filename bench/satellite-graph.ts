import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openOrm, type Orm } from '../src/db/orm.ts';
import { entities } from '../src/rooms.ts';
import { createGraphStore, type DependencyGraphs } from '../src/features/satellites/graph/index.ts';
import type { WireEdge } from '@casebook/wire';
import { systemClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/logger.ts';
import { addSatellite, type TestSatellite } from '../test/features/satellites/graph/support.ts';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { compared, type BenchResult } from './result.ts';
import { makeCallGraph, nameOf, randomNumbers } from './support/call-graph.ts';
import { senderOf } from './support/graph-sender.ts';
import type { PostHttpInput, PostHttpOutput } from './support/post-http.ts';
import { runProgram } from './support/program.ts';
import { createSqlGraph } from './support/sql-graph.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, quantile, significant } from './support/statistics.ts';

const SERVICES = 10_000;
const EDGES = 100_000;
const CHANGED = EDGES / 100;
const DELTAS = 10;
const QUESTIONS = 300;
const SQL_QUESTIONS = 20;
const TARGET_MS = 20;

/** The live dependency graph on the server: stored in PostgreSQL, asked in process, over HTTP, and in SQL. */
export const satelliteGraph: Benchmark = {
  name: 'satellite-graph',
  about: `a dependency graph of ${SERVICES} services and ${EDGES} edges, stored and asked`,
  run: (options) => withStack(options, (stack) => measure(options, stack)),
};

async function measure(options: BenchOptions, stack: Stack): Promise<BenchReport> {
  const orm = await openOrm({ entities, databaseUrl: stack.databaseUrl, poolSize: 4 });
  try {
    const { team, api_key: key } = await stack.call<{ team: { id: string }; api_key: { api_key: string } }>(
      'POST',
      '/api/teams',
      { name: 'graph', admin_email: 'graph@example.com', admin_name: 'graph' },
    );
    const satellite = await addSatellite(orm, { teamId: team.id });
    const stored = await measureStoring(options, orm, satellite);
    const asked = await measureAsking(options, stack, orm, satellite, key.api_key);
    return { results: [...stored, ...asked] };
  } finally {
    await orm.close(true);
  }
}

const openStore = (orm: Orm): DependencyGraphs =>
  createGraphStore({ orm, clock: systemClock, log: createLogger({ name: 'bench', level: 'warn' }) });

async function measureStoring({ say }: BenchOptions, orm: Orm, satellite: TestSatellite): Promise<BenchResult[]> {
  say('storing');
  const edges = makeCallGraph(SERVICES, EDGES);
  const store = openStore(orm);
  const sender = senderOf(store, satellite);
  const first = await timed(() => sender.snapshot(edges));
  const again: number[] = [];
  const deltas: number[] = [];
  for (let round = 1; round <= DELTAS; round++) {
    const changed = edges.filter((_, index) => index % 100 === round).slice(0, CHANGED);
    deltas.push(await timed(() => sender.delta(changed.map((each) => ({ ...each, callsPerSecond: round })))));
    if (round % 5 === 0)
      again.push(await timed(() => sender.snapshot(edges.map((each) => ({ ...each, p50Seconds: round })))));
  }
  await sender.snapshot(edges);
  const sql = await createSqlGraph(orm);
  const sample = edges.slice(0, 5_000);
  const rowByRow = ((await timed(() => sql.insertOneByOne(sample))) / sample.length) * EDGES;
  return [
    compared(
      `graph, a first snapshot of ${EDGES} edges stored`,
      first,
      'ms',
      'an INSERT for each edge, one transaction',
      rowByRow,
      {
        note: `the baseline is ${sample.length} of them, scaled; a snapshot in which every edge has changed: ${significant(median(again))} ms`,
      },
    ),
    compared(
      'graph, a delta of 1% stored, median',
      median(deltas),
      'ms',
      'a snapshot with every edge changed',
      median(again),
      {},
    ),
  ];
}

async function measureAsking(
  { say, signal }: BenchOptions,
  stack: Stack,
  orm: Orm,
  satellite: TestSatellite,
  apiKey: string,
): Promise<BenchResult[]> {
  const random = randomNumbers(11);
  const services = Array.from({ length: QUESTIONS }, () => nameOf(Math.floor(random() * SERVICES)));
  const memory = await measureMemory(orm, satellite);

  say('asking in process');
  const store = openStore(orm);
  const ask = async (service: string): Promise<number> => {
    const answer = await store.query(satellite.teamId, { type: 'get_impact', service, limit: 100 });
    if (!answer.found) throw new Error(`${service} is not in the graph`);
    return answer.totals.services;
  };
  const load = await timed(() => ask(services[0]!));
  const inProcess: number[] = [];
  const reached: number[] = [];
  for (const service of services) inProcess.push(await timed(async () => void reached.push(await ask(service))));
  const afterDelta = await measureAfterDelta(orm, satellite);

  say('asking over HTTP');
  const bodies = services.map((service) => ({
    team_id: satellite.teamId,
    service,
    query_type: 'get_impact',
    limit: 100,
  }));
  const url = `${stack.apiUrl}/satellite/query/dependencies`;
  const input: PostHttpInput = { url, headers: { 'x-api-key': apiKey }, bodies };
  await runProgram<PostHttpOutput>('post-http.ts', { ...input, bodies: bodies.slice(0, 50) }, signal);
  const overHttp = await runProgram<PostHttpOutput>('post-http.ts', input, signal);

  say('asking in SQL');
  const sql = await createSqlGraph(orm);
  await sql.fill(satellite.id);
  const inSql: number[] = [];
  for (const [index, service] of services.slice(0, SQL_QUESTIONS).entries()) {
    inSql.push(
      await timed(async () => {
        const found = await sql.callersOf(service);
        if (found !== reached[index]) throw new Error(`SQL found ${found} services, the graph ${reached[index]}`);
      }),
    );
  }
  const cte = 'recursive CTE with an index on callee, names only';
  const [http, direct] = [median(overHttp), median(inProcess)];
  return [
    compared('graph, get_impact over HTTP, median', http, 'ms', cte, median(inSql), {
      target: `<= ${TARGET_MS} ms`,
      met: http <= TARGET_MS,
      note: `p95 ${significant(quantile(overHttp, 0.95))} ms; a median answer is out of ${median(reached)} services`,
    }),
    compared('graph, get_impact in process, median', direct, 'ms', cte, median(inSql), {
      note: `p95 ${significant(quantile(inProcess, 0.95))} ms`,
    }),
    compared(
      'graph, first question after a delta of 1%, median',
      afterDelta,
      'ms',
      'first question of a process',
      load,
      {},
    ),
    compared('graph, memory for each edge', memory.table, 'bytes', 'an object in a Map of Maps', memory.objects, {
      note: 'with all that questions need; of heap and array buffers after a collection',
    }),
  ];
}

/** A reader that has the graph is asked when a part of it has changed. */
async function measureAfterDelta(orm: Orm, satellite: TestSatellite): Promise<number> {
  const sender = senderOf(openStore(orm), satellite);
  const edges = makeCallGraph(SERVICES, EDGES);
  await sender.snapshot(edges);
  const reader = createGraphStore({
    orm,
    clock: systemClock,
    log: createLogger({ name: 'bench', level: 'warn' }),
    freshMs: 0,
  });
  const ask = () => reader.query(satellite.teamId, { type: 'get_impact', service: nameOf(1), limit: 100 });
  await ask();
  const ms: number[] = [];
  for (let round = 1; round <= DELTAS; round++) {
    const changed = edges.filter((_, index) => index % 100 === round);
    await sender.delta(changed.map((each) => ({ ...each, callsPerSecond: round })));
    ms.push(await timed(ask));
  }
  await sender.snapshot(edges);
  return median(ms);
}

async function measureMemory(orm: Orm, satellite: TestSatellite): Promise<{ table: number; objects: number }> {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  const used = (): number => {
    if (typeof gc === 'function') for (let round = 0; round < 3; round++) gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const kept: unknown[] = [];
  const bytesOf = async (make: () => Promise<unknown>): Promise<number> => {
    const before = used();
    kept.push(await make());
    return (used() - before) / EDGES;
  };
  const table = await bytesOf(async () => {
    const store = openStore(orm);
    await store.query(satellite.teamId, { type: 'get_impact', service: nameOf(1), limit: 1 });
    return store;
  });
  const objects = await bytesOf(async () => {
    const edges = new Map<string, Map<string, WireEdge>>();
    for (const edge of makeCallGraph(SERVICES, EDGES)) {
      const of = edges.get(edge.caller) ?? new Map<string, WireEdge>();
      edges.set(edge.caller, of.set(edge.callee, edge));
    }
    return edges;
  });
  kept.length = 0;
  return { table, objects };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
