import { randomBytes, randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import {
  bootstrapFirstTeam,
  createAuthenticator,
  type ApiKeyAuthenticator,
  type IdentityDeps,
} from '../../../src/features/identity/index.ts';
import { scopesOfRole } from '../../../src/features/identity/provenance.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { createRateLimiters } from '../../../src/http/rate-limit/index.ts';
import { serveEndpoints } from '../../../src/http/serve-endpoints.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { createSecretBox, pepperFor, type Pepper } from '../../../src/platform/secrets.ts';
import { rooms, scopesOf } from '../../../src/rooms.ts';
import { ManualClock, recordedLog, send, testConfig, type LogLine, type Reply } from '../../http/support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const [identityRoom] = rooms;
const scopes = scopesOf(rooms);

/** What people may do by their role. */
export const ROLE_SCOPES = { admin: scopesOfRole('admin', scopes), member: scopesOfRole('member', scopes) };

export interface IdentityApi {
  url: string;
  database: TestDatabase;
  clock: ManualClock;
  authenticator: ApiKeyAuthenticator;
  lines: LogLine[];
  /** May be changed. */
  signIn: IdentityDeps['signIn'];
  /** Of the first team; may do everything. */
  rootKey: string;
  /** Calls with an API key. */
  call(key: string, method: string, path: string, body?: unknown): Promise<Reply>;
  newTeam(): Promise<{ id: string; key: string; keyId: string; userId: string }>;
  newKey(by: string, scopes: string[], more?: Record<string, unknown>): Promise<{ id: string; key: string }>;
  newMember(by: string, role?: string): Promise<{ id: string; email: string }>;
  browser(): Browser;
  stop(): Promise<void>;
}

export interface StartOptions {
  env?: Record<string, string>;
  /** Another process on the same database. */
  beside?: IdentityApi & { pepper: Pepper };
  endpoints?: readonly Endpoint<never>[];
  /** What these endpoints need beyond what identity has. */
  deps?: object;
  signIn?: (url: string) => Partial<IdentityDeps['signIn']>;
}

/** The room over HTTP, on a database of its own with a bootstrapped first team. */
export async function startIdentityApi(options: StartOptions = {}): Promise<IdentityApi & { pepper: Pepper }> {
  const { beside } = options;
  const database = beside?.database ?? (await createTestDatabase());
  const { orm } = database;
  const config = testConfig(options.env);
  const clock = beside?.clock ?? new ManualClock();
  const { log, lines } = recordedLog('trace');
  const pepper = beside?.pepper ?? pepperFor([randomBytes(32)], 'tests');
  const authenticator = createAuthenticator({ orm, pepper, scopes, clock, log });
  const { generatedApiKey } = await bootstrapFirstTeam(orm.em, { hash: authenticator.hash });
  const rootKey = generatedApiKey ?? beside?.rootKey;
  if (rootKey === undefined) throw new Error('A fresh database has no first team.');
  const signIn: IdentityDeps['signIn'] = { appUrl: 'http://app.example', secrets: createSecretBox([randomBytes(32)]) };
  const deps: IdentityDeps = {
    config,
    log,
    clock,
    orm,
    authenticator,
    scopes,
    ...createRateLimiters({ config, clock, log }),
    readiness: [],
    metrics: new Registry(),
    signIn,
    ...options.deps,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test gives what its endpoints need beyond identity
  const endpoints = [...identityRoom.endpoints, ...(options.endpoints ?? [])] as Endpoint<IdentityDeps>[];
  const server = await createHttpServer(serveEndpoints<IdentityDeps>(endpoints, deps), { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}`;
  Object.assign(signIn, options.signIn?.(url));
  const call: IdentityApi['call'] = (key, method, path, body) =>
    send(`${url}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const made = async (reply: Promise<Reply>) => {
    const { status, json, text } = await reply;
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return json;
  };
  return {
    url,
    database,
    clock,
    authenticator,
    lines,
    signIn,
    rootKey,
    pepper,
    call,
    async newTeam() {
      const body = { name: `Team ${randomUUID()}`, admin_email: `${randomUUID()}@example.org`, admin_name: 'Ada' };
      const { team, api_key } = await made(call(rootKey, 'POST', '/api/teams', body));
      return { id: team.id, key: api_key.api_key, keyId: api_key.id, userId: api_key.user_id };
    },
    async newKey(by, scopes, more = {}) {
      const { id, api_key } = await made(call(by, 'POST', '/api/api-keys', { name: 'A key', scopes, ...more }));
      return { id, key: api_key };
    },
    async newMember(by, role = 'member') {
      const email = `${randomUUID()}@example.org`;
      const { user_id } = await made(call(by, 'POST', '/api/team/members', { email, name: 'Bo', role }));
      return { id: user_id, email };
    },
    browser: () => new Browser(url),
    async stop() {
      await server.stop();
      await authenticator.idle();
      if (!beside) await database.drop();
    },
  };
}

/** Keeps cookies and sends them, with the CSRF token where it has one, as the web app does. */
export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  csrf: string | undefined;

  constructor(url: string) {
    this.url = url;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const reply = await send(path.startsWith('http') ? path : this.url + path, {
      method,
      headers: {
        ...(this.cookies.size > 0 && { cookie: this.cookie }),
        ...(this.csrf !== undefined && { 'x-csrf-token': this.csrf }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0\b|expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return reply;
  }

  async signIn(credential: { api_key: string } | { link: string; attempt?: string }): Promise<Reply> {
    const reply = await this.request('POST', '/api/session', credential);
    if (reply.status === 200) this.csrf = reply.json.csrf_token;
    return reply;
  }
}
