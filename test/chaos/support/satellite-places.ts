/**
 * Where satellites are killed: two API nodes and, where runs are, a worker, all processes; the event log in PostgreSQL or
 * in Redis; satellites that are processes too; and behind them a system whose answers are held and counted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrm } from '../../../src/db/orm.ts';
import { entities } from '../../../src/rooms.ts';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import type { Supervised } from '../../../src/embedded/supervisor.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startBalancer, type Balancer } from '../../support/balancer.ts';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startHeldPrometheus, type HeldPrometheus, type RecordedQuery } from '../../support/held-prometheus.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { startSatelliteProcess, type SatelliteProcess } from '../../support/satellite-process.ts';
import type { Script } from '../../support/scripted-model/index.ts';

/** Nothing may hang: a request that takes longer fails its test. */
const MAX_MS = 240_000;

export interface Reply {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- what the tests read of it, they check
  json: any;
}

export interface AskOptions {
  /** The node that is asked; the second one unless given. */
  node?: number;
  timeoutSeconds?: number;
}

export interface Place {
  cluster: Cluster;
  /** Behind every satellite. */
  held: HeldPrometheus;
  /** Prefers the first node. */
  balancer: Balancer;
  /** Where the event log is in Redis. */
  redis?: TestRedis;
  /** Its own server, restarted by a supervisor, where the event log is in PostgreSQL. */
  postgres?: Supervised;
  teamId: string;
  call(method: string, path: string, body?: unknown, by?: { node?: number; key?: string }): Promise<Reply>;
  token(): Promise<{ id: string; token: string }>;
  /** A satellite with the held system as the connector `prometheus` and, where it may act on it, the MCP server `ops`. */
  satellite(name: string, options?: { token?: string; acting?: boolean }): Promise<SatelliteProcess>;
  /** Asks the held system through a satellite for what waits at a gate. */
  ask(satellite: SatelliteProcess, gate: string, options?: AskOptions): Promise<Reply>;
  /** Waits until something waits at a gate. @throws when there is an answer before */
  untilHeld(gate: string, answer: Promise<Reply>): Promise<void>;
  /** Asks, and waits until the question is held. */
  askHeld(satellite: SatelliteProcess, gate: string, options?: AskOptions): Promise<{ answer: Promise<Reply> }>;
  /** Calls the tool `restart` of the MCP server `ops`, which waits at a gate. */
  act(satellite: SatelliteProcess, gate: string): Promise<Reply>;
  /** What arrived at the held system for a gate. */
  asked(gate: string): RecordedQuery[];
  untilStatus(satellite: SatelliteProcess, status: string, node?: number): Promise<void>;
  stop(): Promise<void>;
}

export const exprOf = (gate: string): string => `up{gate="${gate}"}`;

async function startPlace(options: { script: Script; workers: number; redis?: TestRedis }): Promise<Place> {
  const { redis } = options;
  const own = redis ? undefined : await ownServer();
  const [held, cluster] = await Promise.all([
    startHeldPrometheus(),
    startCluster({
      script: options.script,
      apis: 2,
      workers: options.workers,
      env: redis ? { REDIS_URL: redis.url } : {},
      database: own?.database ?? (await createTestDatabase()),
    }),
  ]);
  const balancer = await startBalancer(cluster.apis.map(({ url }) => url));
  const satellites: SatelliteProcess[] = [];
  const call: Place['call'] = async (method, path, body, { node = 1, key = cluster.apiKey } = {}) => {
    const response = await fetch(cluster.apis[node]!.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'x-api-key': key,
        'content-type': 'application/json',
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(MAX_MS),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  };
  const teamId = String((await call('GET', '/api/team')).json.id);
  const token: Place['token'] = async () => (await call('POST', '/api/satellite-tokens', { name: 'chaos' })).json;
  const usualToken = await token();
  const acting = join(import.meta.dirname, 'acting-mcp-server.ts');
  const connectors = [{ id: 'prometheus', kind: 'prometheus', url: held.url }];
  const ops = { name: 'ops', transport: 'stdio', command: process.execPath, args: [acting, held.url] };
  const untilHeld: Place['untilHeld'] = async (gate, answer) => {
    const early = answer.then(({ status, json }) => {
      throw new Error(`Answered before it was held at ${gate}: ${status} ${JSON.stringify(json)}`);
    });
    await Promise.race([held.waitForHold(gate), early]);
    early.catch(() => undefined);
  };
  const untilOffered = async (name: string): Promise<void> => {
    const offered = async (): Promise<true | undefined> => {
      const { json } = await call('GET', `/satellite/tools/list?team_id=${teamId}`);
      return JSON.stringify(json).includes(`"${name}"`) || undefined;
    };
    await waitUntil(offered, { what: `the tools of ${name}` });
  };
  /** What it has is said after it has connected. */
  const untilListed = async (id: string): Promise<void> => {
    const listed = async (): Promise<true | undefined> => {
      const { json } = await call('GET', `/satellite/${id}?team_id=${teamId}`);
      return json.connectors?.length > 0 || undefined;
    };
    await waitUntil(listed, { what: `the connectors of ${id}`, intervalMs: 50 });
  };
  const ask: Place['ask'] = ({ id }, gate, { node, timeoutSeconds = 60 } = {}) =>
    call(
      'POST',
      '/satellite/query/integration',
      {
        team_id: teamId,
        satellite_id: id,
        connector: 'prometheus',
        operation: 'query_range',
        parameters: { query: exprOf(gate), start: 0, end: 60, step: 15 },
        timeout_seconds: timeoutSeconds,
      },
      { node },
    );
  return {
    cluster,
    held,
    balancer,
    redis,
    postgres: own?.postgres,
    teamId,
    call,
    token,
    async satellite(name, more = {}) {
      const settings = { connectors, ...(more.acting && { mcp_servers: [{ ...ops, timeout_seconds: 120 }] }) };
      const token = more.token ?? usualToken.token;
      const satellite = await startSatelliteProcess({ url: balancer.url, token, name, settings });
      satellites.push(satellite);
      await untilListed(satellite.id);
      if (more.acting) await untilOffered(name);
      return satellite;
    },
    act: ({ id }, gate) =>
      call('POST', '/satellite/query/mcp', {
        team_id: teamId,
        satellite_id: id,
        server: 'ops',
        tool: 'restart',
        arguments: { what: exprOf(gate) },
        timeout_seconds: 60,
      }),
    ask,
    untilHeld,
    async askHeld(satellite, gate, askOptions) {
      const answer = ask(satellite, gate, askOptions);
      await untilHeld(gate, answer);
      return { answer };
    },
    asked: (gate) => held.queries.filter(({ expr }) => expr.includes(`gate="${gate}"`)),
    async untilStatus({ id }, status, node) {
      let said: unknown;
      const is = async (): Promise<true | undefined> => {
        const { json } = await call('GET', `/satellite/list?team_id=${teamId}`, undefined, { node });
        said = json;
        const found = json.satellites.find((one: { id: string }) => one.id === id);
        return found.status === status || undefined;
      };
      await waitUntil(is, { what: `satellite ${id} to be ${status}`, intervalMs: 50 }).catch((error: unknown) => {
        throw new Error(`The list says: ${JSON.stringify(said)}`, { cause: error });
      });
    },
    async stop() {
      await Promise.all(satellites.map((satellite) => satellite.stop()));
      await balancer.stop();
      await cluster.stop();
      await held.stop();
      await redis?.stop();
    },
  };
}

/** A PostgreSQL that may be killed. */
async function ownServer(): Promise<{ postgres: Supervised; database: TestDatabase }> {
  const home = mkdtempSync(join(tmpdir(), 'casebook-satellites-'));
  // A killed process leaves what it has written to the system; with synchronous_commit off that is not all it has committed.
  const settings = { fsync: 'off', full_page_writes: 'off' };
  const postgres = await startPostgres({ home, port: 0, settings });
  const orm = await openOrm({ entities, databaseUrl: postgres.url });
  const drop = async (): Promise<void> => {
    await orm.close(true);
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { postgres, database: { url: postgres.url, orm, drop } };
}

export interface Places {
  postgresql: Place;
  redis: Place;
}

/** One place with each event log, for a suite. */
export function usePlaces(options: { workers: number; script?: Script }): () => Places {
  const { workers, script = [] } = options;
  let places: Partial<Places> = {};
  before(async () => {
    await Promise.all([
      startPlace({ script, workers }).then((place) => (places.postgresql = place)),
      startRedis().then(async (redis) => (places.redis = await startPlace({ script, workers, redis }))),
    ]);
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return;
    for (const [log, { cluster }] of Object.entries(places))
      for (const { output } of [...cluster.apis, ...cluster.workers]) console.error(log, output().slice(-8_000));
  });
  after(async () => {
    await Promise.all(Object.values(places).map((place) => place.stop()));
  });
  return () => places as Places;
}

/** Does the same in both places: most of it is waiting, which both do at once. */
export async function onBoth({ postgresql, redis }: Places, test: (place: Place) => Promise<void>): Promise<void> {
  const runs = Object.entries({ PostgreSQL: postgresql, Redis: redis }).map(([log, place]) =>
    test(place).catch((error: unknown) => {
      throw new Error(`With the event log in ${log}`, { cause: error });
    }),
  );
  await Promise.allSettled(runs);
  await Promise.all(runs);
}
