/** A PostgreSQL beside the installation's, as a team has one: with roles of its own, and a test may stop it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../src/embedded/postgres.ts';

export interface OwnPostgres {
  port: number;
  /** As requests name it; without user and password. */
  settings: { host: string; port: number; database: string; ssl_mode: 'disable' };
  admin: { username: string; password: string };
  stop(): Promise<void>;
}

/** @param sql what a superuser runs first */
export async function startOwnPostgres(sql: string): Promise<OwnPostgres> {
  const home = await mkdtemp(join(tmpdir(), 'casebook-own-'));
  const server = await startPostgres({ home, port: 0, settings: { fsync: 'off' } });
  const { hostname, port, pathname, username, password } = new URL(server.adminUrl);
  const client = new pg.Client({ connectionString: server.adminUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  };
  return {
    port: Number(port),
    settings: { host: hostname, port: Number(port), database: pathname.slice(1), ssl_mode: 'disable' },
    admin: { username: decodeURIComponent(username), password: decodeURIComponent(password) },
    stop: () => (stopped ??= end()),
  };
}
