/** A real Gitea for tests, on the run's PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { giteaProcess, type GiteaAccount } from '../../demo/servers/gitea.ts';
import { silentLog } from '../../src/embedded/log.ts';
import { superviseAlone } from '../../src/embedded/supervisor.ts';
import { testServer } from './database.ts';
import { findGoProgram } from './go-program.ts';

export type { GiteaAccount };

export interface TestGitea extends AsyncDisposable {
  /** Its root, without a slash at the end. */
  url: string;
  admin: GiteaAccount;
  /** A user without rights, with a token of all scopes. */
  createUser(username: string): Promise<GiteaAccount>;
  /**
   * Calls its API, below `/api/v1`, as the administrator or another.
   * @throws when it refuses
   */
  api(method: string, path: string, body?: unknown, as?: GiteaAccount): Promise<unknown>;
  stop(): Promise<void>;
}

/** Finds Gitea, or builds it, which takes some minutes. */
export function findGiteaBinary(): Promise<string> {
  return findGoProgram({
    title: 'Gitea',
    command: 'gitea',
    module: 'code.gitea.io/gitea',
    version: 'v1.26.0',
    package: '',
    files: ['templates', 'options', 'public'],
    identify: { args: ['--version'], says: 'itea version' },
    website: 'https://docs.gitea.com/installation/install-from-binary',
  });
}

/** Starts an empty Gitea with webhooks and CI; it takes some seconds. */
export async function startGitea(): Promise<TestGitea> {
  const binary = await findGiteaBinary();
  const database = await emptyDatabase();
  const home = await mkdtemp(join(tmpdir(), 'casebook-gitea-'));
  const { spec, url, admin, createUser } = await giteaProcess({
    binary,
    folder: join(home, 'gitea'),
    databaseUrl: database.url,
    port: 0,
  });
  const server = await superviseAlone(spec, { home, log: silentLog });
  const stop = async (): Promise<void> => {
    await server.stop();
    await database.drop();
    await rm(home, { recursive: true, force: true });
  };
  return {
    url,
    admin,
    createUser,
    async api(method, path, body, as = admin) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `token ${as.token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: Gitea answered ${response.status}: ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = await testServer();
  const name = `gitea_${randomBytes(6).toString('hex')}`;
  const query = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await query(`create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => query(`drop database ${name} with (force)`) };
}
