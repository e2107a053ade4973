/** The API over rows that a test stores itself: a real PostgreSQL, and nobody who carries anything out. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi, type RunningApi } from '../../src/bin/api.ts';
import { anyTeam } from '../../src/db/team-filter.ts';
import { Team } from '../../src/features/identity/index.ts';
import { recordedLog, testConfig } from '../http/support/api.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are whatever the server sent; tests look into them
type Json = any;

export interface ApiOverRows {
  url: string;
  apiKey: string;
  database: TestDatabase;
  /** The folder of the installation. */
  home: string;
  /** The team of the key. */
  teamId: string;
  get(path: string, key?: string): Promise<{ status: number; body: Json }>;
  /** Any request, with a JSON body. */
  request(method: string, path: string, body?: unknown, key?: string): Promise<{ status: number; body: Json }>;
  /** A key of the same team that has these scopes and no other. */
  keyWith(...scopes: string[]): Promise<string>;
  /** Another API of the same installation. */
  anotherNode(): Promise<RunningApi & { url: string }>;
  /** The API itself. */
  api: RunningApi;
  stop(): Promise<void>;
}

const KEY = 'key-of-the-first-team';

/** @param env of the API's process, beyond what it needs */
export async function startApiOverRows(env: Record<string, string> = {}): Promise<ApiOverRows> {
  const database = await createTestDatabase();
  const home = await mkdtemp(join(tmpdir(), 'casebook-rows-'));
  const config = testConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    CASEBOOK_HOME: home,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    CASEBOOK_BOOTSTRAP_API_KEY: KEY,
    ...env,
  });
  const api = await startApi(config, recordedLog('silent').log);
  await api.prepared;
  const urlOf = ({ port }: RunningApi): string => `http://127.0.0.1:${port}`;
  const url = urlOf(api);
  const [team] = await database.orm.em.fork().find(Team, {}, anyTeam);
  if (!team) throw new Error('the first team is missing');
  const request: ApiOverRows['request'] = async (method, path, body, key = KEY) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  return {
    url,
    apiKey: KEY,
    database,
    home,
    teamId: team.id,
    request,
    get: (path, key) => request('GET', path, undefined, key),
    keyWith: async (...scopes) =>
      (await request('POST', '/api/api-keys', { name: scopes.join(), scopes })).body.api_key as string,
    api,
    async anotherNode() {
      const other = await startApi(config, recordedLog('silent').log);
      await other.prepared;
      return { ...other, url: urlOf(other) };
    },
    async stop() {
      await api.stop();
      await database.drop();
      await rm(home, { recursive: true });
    },
  };
}
