import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { systemEnvironment } from '../config.ts';
import { freePort } from './free-port.ts';
import { secretFromFile } from './secret-file.ts';
import type { Log } from './log.ts';
import { silentLog } from './log.ts';
import { postgresBinaries, postgresRunner } from './postgres-binaries.ts';
import type { PostgresBinaries, PostgresRunner } from './postgres-binaries.ts';
import { describeProcess, isAlive, stopProcess } from './process-table.ts';
import { superviseAlone } from './supervisor.ts';
import type { ChildIdentity, ChildSpec, Supervised } from './supervisor.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);
const usualPort = 5432;
const database = 'casebook';
/** The cluster's superuser: used only to set it up. */
const superuser = 'casebook';
/** The role of API and workers: it owns the database and nothing else. */
const owner = 'casebook_app';

export interface PostgresOptions {
  /** Folder of all embedded state; the data goes to `HOME/postgres`. */
  home: string;
  /** Preferred port; 5432 by default. If it is busy a free one is used. */
  port?: number;
  /** Server settings beyond ours, for instance `{ fsync: 'off' }` in tests. */
  settings?: Record<string, string>;
  log?: Log;
}

const dataFolder = (home: string): string => join(home, 'postgres');

/** How to recognise and stop the embedded PostgreSQL of a home folder. */
export function postgresIdentity(home: string): ChildIdentity {
  return {
    name: 'postgres',
    marks: [`-D\n${dataFolder(home)}\n`],
    // SIGINT rolls open transactions back and stops; SIGQUIT stops at once and recovers from the log at the next start.
    stopSignal: 'SIGINT',
    forceSignal: 'SIGQUIT',
    stopTimeoutMs: 15_000,
  };
}

/** Creates the cluster atomically: a partial one from an interrupted first start is discarded. */
async function initialise(
  home: string,
  binaries: PostgresBinaries,
  runner: PostgresRunner,
  password: string,
): Promise<void> {
  const making = `${dataFolder(home)}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  const passwordFolder = mkdtempSync(join(tmpdir(), 'casebook-'));
  const passwordFile = join(passwordFolder, 'password');
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    if (runner.uid !== undefined && runner.gid !== undefined) {
      for (const path of [making, passwordFolder, passwordFile]) chownSync(path, runner.uid, runner.gid);
    }
    const command = [
      ...runner.prefix,
      binaries.initdb,
      '-D',
      making,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
    ];
    // The built-in locale gives the same order and case rules on every machine.
    command.push('--auth=scram-sha-256', '--encoding=UTF8', '--locale=C');
    command.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
    await run(command[0]!, command.slice(1), {
      cwd: '/',
      ...(runner.prefix.length === 0 && { uid: runner.uid, gid: runner.gid }),
    });
  } finally {
    rmSync(passwordFolder, { recursive: true, force: true });
  }
  renameSync(making, dataFolder(home));
}

/**
 * Clears what a killed server left behind. PostgreSQL itself removes a stale `postmaster.pid`, but not if its pid now
 * belongs to an unrelated process, as happens when a container restarts.
 */
async function clearStaleLock(home: string): Promise<void> {
  const lock = join(dataFolder(home), 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  const { marks, stopSignal, forceSignal } = postgresIdentity(home);
  if (!isAlive(pid)) return;
  const seen = describeProcess(pid);
  if (marks.every((mark) => seen.includes(mark)))
    await stopProcess(pid, { signal: stopSignal, timeoutMs: 15_000, forceSignal });
  rmSync(lock, { force: true });
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // Without a listener a connection lost midway would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Creates the owner and the database if they are missing. */
async function makeDatabase(client: Client, password: string): Promise<void> {
  const roles = await client.query('select 1 from pg_roles where rolname = $1', [owner]);
  if (roles.rowCount === 0) await client.query(`create role ${owner} login password ${client.escapeLiteral(password)}`);
  const databases = await client.query<{ owner: string }>(
    'select datdba::regrole::text as owner from pg_database where datname = $1',
    [database],
  );
  if (databases.rowCount === 0) await client.query(`create database ${database} owner ${owner}`);
  else if (databases.rows[0]?.owner !== owner) await client.query(`alter database ${database} owner to ${owner}`);
}

/** Tables from before the owner role existed belong to the superuser. */
async function giveTablesAway(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relowner = $1::regrole`,
    [superuser],
  );
  for (const { name } of rows) await client.query(`alter table ${name} owner to ${owner}`);
}

/** Resolves once the server answers and has the database with its owner. */
async function untilReady(adminUrl: string, password: string, signal: AbortSignal): Promise<void> {
  await waitUntil(
    async () => {
      await connected(`${adminUrl}/postgres`, (client) => makeDatabase(client, password));
      await connected(`${adminUrl}/${database}`, giveTablesAway);
      return true;
    },
    // Recovery after a crash replays the log, which may be long.
    { what: 'PostgreSQL', timeoutMs: 60_000, intervalMs: 50, signal },
  );
}

/**
 * Prepares the embedded PostgreSQL (creating the cluster on first start) and returns how to run it and where it will
 * listen.
 */
export async function postgresChild(
  options: PostgresOptions,
): Promise<{ spec: ChildSpec; url: string; adminUrl: string; port: number }> {
  const { home, settings = {} } = options;
  mkdirSync(home, { recursive: true });
  const binaries = await postgresBinaries();
  const runner = await postgresRunner(binaries, home);
  const secret = (name: string): string =>
    secretFromFile(join(home, name), () => randomBytes(18).toString('base64url'));
  const adminPassword = secret('postgres-password');
  const password = secret('postgres-app-password');
  if (!existsSync(dataFolder(home))) await initialise(home, binaries, runner, adminPassword);

  const port = await freePort(options.port ?? usualPort);
  const allSettings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // A single node: no standby will read the log.
    wal_level: 'minimal',
    max_wal_senders: '0',
    // Our queries are short; JIT compilation costs more than it saves.
    jit: 'off',
    ...settings,
  };
  const args = ['-D', dataFolder(home), '-p', String(port)];
  for (const [name, value] of Object.entries(allSettings)) args.push('-c', `${name}=${value}`);
  const [command, ...before] = [...runner.prefix, binaries.postgres];
  const urlOf = (user: string, secretOf: string): string => `postgres://${user}:${secretOf}@127.0.0.1:${port}`;
  const adminUrl = urlOf(superuser, adminPassword);
  return {
    port,
    url: `${urlOf(owner, password)}/${database}`,
    adminUrl: `${adminUrl}/${database}`,
    spec: {
      ...postgresIdentity(home),
      command,
      args: [...before, ...args],
      cwd: '/',
      env: systemEnvironment(),
      ...(runner.prefix.length === 0 && { uid: runner.uid, gid: runner.gid }),
      prepare: () => clearStaleLock(home),
      ready: (signal) => untilReady(adminUrl, password, signal),
    },
  };
}

/**
 * Starts a standalone embedded PostgreSQL, restarted on the same port when it dies.
 * @returns its URL (database `casebook`), the superuser's, and the running server
 */
export async function startPostgres(
  options: PostgresOptions,
): Promise<Supervised & { url: string; adminUrl: string; port: number }> {
  const { home, log = silentLog } = options;
  const { spec, url, adminUrl, port } = await postgresChild(options);
  return Object.assign(await superviseAlone(spec, { home, log }), { url, adminUrl, port });
}
