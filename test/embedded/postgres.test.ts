import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { isAlive } from '../../src/embedded/process-table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { temporaryHome } from './home.ts';

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('embedded PostgreSQL', () => {
  const home = temporaryHome();
  let postgres: Awaited<ReturnType<typeof startPostgres>>;

  before(async () => {
    // What an interrupted first start leaves; it must not be taken for a cluster.
    mkdirSync(join(home, 'postgres.new'));
    writeFileSync(join(home, 'postgres.new', 'PG_VERSION'), '18\n');
    postgres = await startPostgres({ home, port: 0 });
    await query(postgres.url, 'create table kept (n int); insert into kept values (42)');
  });
  after(() => postgres.stop());

  it('is PostgreSQL 18 with UTF-8 and a password that only the owner can read', async () => {
    const [row] = await query(
      postgres.url,
      "select current_setting('server_version') as version, current_setting('server_encoding') as encoding, upper('ä') as upper",
    );
    assert.match(String(row?.['version']), /^18\./);
    assert.equal(row?.['encoding'], 'UTF8');
    assert.equal(row?.['upper'], 'Ä');
    assert.equal(statSync(join(home, 'postgres-password')).mode & 0o777, 0o600);
    const wrong = postgres.url.replace(/:[^:@]+@/, ':wrong@');
    await assert.rejects(query(wrong, 'select 1'), /password authentication failed/);
  });

  it('gives API and workers a role that owns the database and may do nothing else', async () => {
    const [role] = await query(
      postgres.url,
      'select rolsuper, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = current_user',
    );
    assert.deepEqual(role, { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false });
    await assert.rejects(query(postgres.url, "copy kept to program 'true'"), /permission denied/);
    await assert.rejects(query(postgres.url, "select pg_read_file('PG_VERSION')"), /permission denied/);
  });

  it('hands the tables of an older home folder over to that role', async () => {
    await query(postgres.adminUrl, 'create table older (id serial primary key); insert into older default values');
    await postgres.stop();
    postgres = await startPostgres({ home, port: 0 });
    await query(postgres.url, 'alter table older add column title text; insert into older default values');
    assert.deepEqual(await query(postgres.url, 'select id from older order by id'), [{ id: 1 }, { id: 2 }]);
  });

  it('knows none of our secrets', () => {
    const seen = readFileSync(`/proc/${postgres.pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    assert.deepEqual(
      seen.filter((name) => /CASEBOOK|ANTHROPIC|DATABASE|npm_/.test(String(name))),
      [],
    );
    assert.ok(seen.includes('PATH'));
  });

  it('does not run as root', () => {
    const uid = execFileSync('ps', ['-o', 'uid=', '-p', String(postgres.pid)], { encoding: 'utf8' });
    assert.notEqual(Number(uid), 0);
  });

  it('comes back after kill -9 on the same port with its data', async () => {
    const { pid, url } = postgres;
    process.kill(pid!, 'SIGKILL');
    const rows = await waitUntil(() => (isAlive(pid!) ? undefined : query(url, 'select n from kept')), {
      what: 'PostgreSQL after kill -9',
    });
    assert.deepEqual(rows, [{ n: 42 }]);
    assert.notEqual(postgres.pid, pid);
  });

  it('starts again after a stop with its data, also past a lock file that names a living stranger', async () => {
    await postgres.stop();
    const { uid, gid } = statSync(join(home, 'postgres'));
    const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
    writeFileSync(join(home, 'postgres', 'postmaster.pid'), `${stranger.pid}\n${join(home, 'postgres')}\n`);
    postgres = await startPostgres({ home, port: 0 });
    assert.deepEqual(await query(postgres.url, 'select n from kept'), [{ n: 42 }]);
    assert.ok(isAlive(stranger.pid!));
    stranger.kill('SIGKILL');
  });
});
