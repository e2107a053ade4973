/**
 * A real PostgreSQL for tests: one server a test run, one migrated template database, and a clone of it for each suite
 * that asks. Cloning a template costs tens of milliseconds; migrating would cost a second each time.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { openOrm, type Orm } from '../../src/db/orm.ts';
import { entities } from '../../src/rooms.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { LONG_TIMEOUTS } from './timeouts.ts';
import { waitUntil } from './wait-until.ts';

/** Variable that tells a process of the run where the server is. */
export const TEST_POSTGRES = 'CASEBOOK_TEST_POSTGRES';
const TEMPLATE = 'casebook_template';

/**
 * Tests make up teams: a row of one that is not there at the end of a transaction brings it along, before its foreign key
 * is checked (triggers go by name). All other foreign keys hold as in the product.
 */
const TEAMS_AS_NEEDED = `
  create function bring_team() returns trigger language plpgsql as $$ begin
    insert into teams (id, created_at, updated_at, name) values (new.team_id, now(), now(), 'Made up') on conflict do nothing;
    return null;
  end $$;
  do $$ declare child record; begin
    for child in select conrelid::regclass as name from pg_constraint where confrelid = 'teams'::regclass loop
      execute format('create constraint trigger "A_bring_team" after insert on %s deferrable initially deferred for each row execute function bring_team()', child.name);
    end loop;
  end $$`;

let server: Promise<{ url: string; home: string; stop(): Promise<void> }> | undefined;

/** The run's server, started at its first use by whoever began the run. Tests that kill a database start their own. */
export async function testServer(): Promise<{ url: string }> {
  const url = process.env[TEST_POSTGRES];
  if (url !== undefined) return { url };
  server ??= (async () => {
    const home = mkdtempSync(join(tmpdir(), 'casebook-test-'));
    // Tests lose nothing when the machine fails, and wait for no disk.
    const settings = { max_connections: '400', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
    const postgres = await startPostgres({ home, port: 0, settings });
    const admin = new pg.Client({ connectionString: postgres.adminUrl });
    await admin.connect();
    // Tests make databases; otherwise they may do no more than the product.
    const owner = new URL(postgres.url).username;
    await admin.query(`alter role ${owner} createdb`);
    await admin.query(`create database ${TEMPLATE} owner ${owner}`);
    await admin.end();
    const url = databaseUrl(postgres.url, TEMPLATE);
    await migrate(url, undefined, LONG_TIMEOUTS.connectMs);
    const template = new pg.Client({ connectionString: url });
    await template.connect();
    await template.query(TEAMS_AS_NEEDED);
    await template.end();
    return { url: postgres.url, home, stop: () => postgres.stop() };
  })();
  return server;
}

/** Stops the server, if this process started it. */
export async function stopTestServer(): Promise<void> {
  if (!server) return;
  const { stop, home } = await server;
  await stop();
  rmSync(home, { recursive: true, force: true });
}

export interface TestDatabase {
  url: string;
  orm: Orm;
  /** Closes the ORM and drops the database. */
  drop(): Promise<void>;
}

/** A fresh, migrated, empty database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url } = await testServer();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const run = async (sql: string): Promise<void> => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    try {
      await admin.query(sql);
    } finally {
      await admin.end();
    }
  };
  await run(`create database ${name} template ${TEMPLATE}`);
  const orm = await openOrm({
    entities,
    databaseUrl: databaseUrl(url, name),
    connectTimeoutMs: LONG_TIMEOUTS.connectMs,
  });
  return {
    url: databaseUrl(url, name),
    orm,
    async drop() {
      await orm.close(true);
      await run(`drop database ${name} with (force)`).catch(async (error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error;
        // An autovacuum worker is in it, which only a superuser may end; without force, the server ends it itself.
        await run(`drop database ${name}`);
      });
    },
  };
}

/** Waits until so many connections to the database wait for a lock. */
export async function untilWaiting(database: TestDatabase, count: number): Promise<void> {
  const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const waiting = async (): Promise<true | undefined> =>
    (await database.orm.em.fork().execute<unknown[]>(sql)).length >= count || undefined;
  await waitUntil(waiting, { what: `${count} that wait for a lock`, intervalMs: 20 });
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}
