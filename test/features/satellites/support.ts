/** API nodes on one database, and what tests of satellites say to them. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi, type RunningApi } from '../../../src/bin/api.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { recordedLog, send, testConfig, type Reply } from '../../http/support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { LONG_TIMEOUTS } from '../../support/timeouts.ts';

const ROOT_KEY = `cb_test_${randomBytes(12).toString('hex')}`;

export interface Team {
  id: string;
  key: string;
}

export interface SatelliteApi {
  database: TestDatabase;
  nodes: { api: RunningApi; url: string }[];
  /** Of the first node. */
  url: string;
  team: Team;
  newTeam(name: string): Promise<Team>;
  call(method: string, path: string, body?: unknown, options?: { key?: string; node?: number }): Promise<Reply>;
  token(team?: Team, body?: object): Promise<{ id: string; token: string }>;
  /** Waits until the list says that the satellite is in this state. */
  untilStatus(id: string, status: string): Promise<void>;
  stop(): Promise<void>;
}

/** @param options.nodes how many API nodes; @param options.env more of the environment, as for a process */
export async function startSatelliteApi(
  options: { nodes?: number; env?: Record<string, string> } = {},
): Promise<SatelliteApi> {
  const database = await createTestDatabase();
  const home = await mkdtemp(join(tmpdir(), 'casebook-satellites-'));
  const config = testConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    CASEBOOK_HOME: home,
    CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    CASEBOOK_BOOTSTRAP_API_KEY: ROOT_KEY,
    CASEBOOK_RATE_LIMIT: 'off',
    ...options.env,
  });
  const nodes: SatelliteApi['nodes'] = [];
  for (let count = 0; count < (options.nodes ?? 1); count++) {
    const api = await startApi({ ...config, timeouts: LONG_TIMEOUTS }, recordedLog('silent').log);
    await api.prepared;
    nodes.push({ api, url: `http://127.0.0.1:${api.port}` });
  }
  const call: SatelliteApi['call'] = (method, path, body, { key = ROOT_KEY, node = 0 } = {}) =>
    send(nodes[node]!.url + path, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const own = await call('GET', '/api/team');
  const team = { id: String(own.json.id), key: ROOT_KEY };
  return {
    database,
    nodes,
    url: nodes[0]!.url,
    team,
    call,
    async newTeam(name) {
      const body = { name, admin_email: `${name}@example.org`, admin_name: name };
      const { json } = await call('POST', '/api/teams', body);
      return { id: String(json.team.id), key: String(json.api_key.api_key) };
    },
    async token(of = team, body = {}) {
      const { json } = await call('POST', '/api/satellite-tokens', { name: 'test', ...body }, { key: of.key });
      return { id: String(json.id), token: String(json.token) };
    },
    async untilStatus(id, status) {
      await waitUntil(
        async () => {
          const { json } = await call('GET', `/satellite/${id}?team_id=${team.id}`);
          return json.status === status || undefined;
        },
        { what: `satellite ${id} to be ${status}` },
      );
    },
    async stop() {
      for (const { api } of nodes) await api.stop();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
