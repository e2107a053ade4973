import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import {
  bootstrapFirstTeam,
  createAuthenticator,
  teamsEndpoints,
  type ApiKeyAuthenticator,
} from '../../../src/features/teams/index.ts';
import { createRateLimiters } from '../../../src/http/rate-limit/index.ts';
import { serveEndpoints } from '../../../src/http/serve-endpoints.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { ManualClock, recordedLog, send, testConfig, type Reply } from '../../http/support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

export interface TeamsApi {
  url: string;
  database: TestDatabase;
  clock: ManualClock;
  authenticator: ApiKeyAuthenticator;
  /** Of the first team; may do everything. */
  rootKey: string;
  call(key: string, method: string, path: string, body?: unknown): Promise<Reply>;
  stop(): Promise<void>;
}

/** The teams room over HTTP, on a database of its own with a bootstrapped first team. */
export async function startTeamsApi(): Promise<TeamsApi> {
  const database = await createTestDatabase();
  const { orm } = database;
  const config = testConfig();
  const clock = new ManualClock();
  const { log } = recordedLog();
  const authenticator = createAuthenticator({ orm, pepper: randomBytes(32), clock, log });
  const { generatedApiKey: rootKey } = await bootstrapFirstTeam(orm.em, { hash: authenticator.hash });
  if (rootKey === undefined) throw new Error('A fresh database has no first team.');
  const deps = {
    config,
    log,
    clock,
    orm,
    authenticator,
    ...createRateLimiters({ config, clock, log }),
    readiness: [],
    metrics: new Registry(),
  };
  const server = await createHttpServer(serveEndpoints(teamsEndpoints, deps), { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    database,
    clock,
    authenticator,
    rootKey,
    call: (key, method, path, body) =>
      send(`${url}${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    async stop() {
      await server.stop();
      await authenticator.idle();
      await database.drop();
    },
  };
}
