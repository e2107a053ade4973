/** What somebody tries who may send statements, against real servers: PostgreSQL as a superuser, ClickHouse as any user. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { clickhouse, postgresql, QueryError, type Connector } from '@casebook/connectors';
import { freePort } from '../../../src/embedded/free-port.ts';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import { addressOf } from '../../support/address.ts';
import { startClickhouse } from './clickhouse-server.ts';
import { ask, connectorOf } from './support.ts';

/** That the fence refuses it, before a server could. */
async function fenced(asking: Promise<unknown>, sql: string): Promise<void> {
  const answer = await asking.catch((error: unknown) => error);
  assert.ok(answer instanceof QueryError, `${sql} gave ${JSON.stringify(answer)}`);
  assert.match(answer.message, /^(?:Only reading is allowed|One statement at a time|Dollar quotes)/u, sql);
  assert.equal(answer.code, 'bad_request', sql);
}

describe('attacks on PostgreSQL by a superuser', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let home: string;
  let admin: pg.Client;
  let connector: Connector;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'casebook-attacks-'));
    server = await startPostgres({ home, port: await freePort(), settings: { fsync: 'off' } });
    admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
    await admin.query(`create extension dblink; create sequence numbers; create table orders (id int, status text);
      insert into orders values (1, 'paid'); create view loads as select pg_read_file('/proc/loadavg');
      create function status(text) returns int language sql as 'select 1';
      create function total(orders) returns int language sql as 'select 1'`);
    connector = connectorOf(postgresql, { url: server.adminUrl, allow_powerful: true });
  });
  after(async () => {
    await connector?.close();
    await admin?.end();
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });
  const query = (sql: string) => ask(connector, 'query', { sql });

  for (const [what, attempts] of Object.entries({
    'reading files': [
      `select pg_read_file('/etc/passwd')`,
      `select PG_READ_BINARY_FILE('/etc/passwd')`,
      `select "pg_read_file" ('/etc/passwd')`,
      `select pg_catalog . /* x */ pg_ls_dir('/')`,
      `select U&"pg\\005fread_file"('/etc/passwd')`,
      `select u & "pg!005fread_file" uescape '!' ('/etc/passwd')`,
      `select * from orders, lateral pg_stat_file('/etc/passwd')`,
      `select treat('/etc/passwd' as pg_read_file)`,
      `values (pg_ls_logdir())`,
      `table orders order by pg_read_file('/etc/passwd')`,
      `explain analyze select pg_read_file('/etc/passwd')`,
      `select * from xmltable('/a' passing pg_read_file('/etc/passwd')::xml columns a text)`,
      `copy orders from '/etc/passwd'`,
      `copy orders to program 'id'`,
      `select lo_import('/etc/passwd')`,
      `select lo_export(1, '/tmp/casebook-attack')`,
      `select lo_from_bytea(0, 'x')`,
    ],
    // f(x) in other words.
    'calls that look like columns': [
      `select ('/etc/passwd'::text).pg_read_file`,
      `select x.pg_read_file from unnest(array['/etc/passwd']) as x`,
      `select x."pg_read_file" from unnest(array['/etc/passwd']) as x`,
      `select (x . /* x */ pg_read_file) from unnest(array['/etc/passwd']) as x`,
      `select (select '/etc'::text).pg_ls_dir`,
      `select ('/etc/passwd'::text).pg_stat_file.size`,
      `select (1).pg_terminate_backend`,
      `select (4711::bigint).pg_advisory_lock`,
      `select ('/etc/passwd'::text).lo_import`,
      `select ('numbers'::regclass).nextval`,
      `select ('dbname=casebook'::text).dblink_connect`,
      `select ('x'::text).pg_create_restore_point`,
      `select orders.total from orders`,
      `select * from orders where ('/etc/passwd'::text).pg_read_file is not null`,
    ],
    'statements in strings': [
      `select query_to_xml('select pg_reload_conf()', true, true, '')`,
      `select query_to_xmlschema('select 1', true, true, '')`,
      `select query_to_xml_and_xmlschema('select 1', true, true, '')`,
      `select table_to_xml('orders', true, true, '')`,
      `select schema_to_xml('public', true, true, '')`,
      `select database_to_xml(true, true, '')`,
      `select cursor_to_xml('c', 1, true, true, '')`,
      `select * from ts_stat('select to_tsvector(pg_read_file(''/etc/passwd''))')`,
      `select ts_rewrite('a', 'select ''a''::tsquery, ''b''::tsquery')`,
      `select * from dblink('dbname=casebook', 'select 1') as t(a int)`,
      `select dblink_exec('dbname=casebook', 'drop table orders')`,
      `do 'begin drop table orders; end'`,
      `do $$ begin drop table orders; end $$`,
      `prepare x as select 1`,
      `execute x`,
      `explain analyze execute x`,
      `declare c cursor for select 1`,
    ],
    writing: [
      'explain analyze create table stolen as select 1',
      'explain (analyze, verbose) create table stolen as select 1',
      'explain analyze create materialized view stolen as select 1',
      'explain analyze select 1 as x into stolen',
      'explain analyze with x as (select 1) select * into stolen from x',
      'explain (analyze) declare c cursor for select 1',
      'explain analyze insert into orders select 1',
      'explain notify x',
      `select nextval('numbers')`,
      `select setval('numbers', 1)`,
      `select pg_notify('a', 'b')`,
      `select pg_logical_emit_message(true, 'a', 'b')`,
      `select pg_create_restore_point('x')`,
      `select pg_switch_wal()`,
      `select pg_export_snapshot()`,
      `select txid_current()`,
    ],
    'lifting the fence': [
      `select set_config('transaction_read_only', 'off', false)`,
      `select pg_catalog.set_config('transaction_read_only', 'off', true)`,
      'set transaction read write',
      'begin read write',
      'rollback',
      'select 1; rollback; drop table orders',
      `select '\\'; drop table orders; --'`,
      'discard all',
      'reset all',
      'set role casebook',
      "load 'dblink'",
    ],
    'what others notice': [
      'select pg_terminate_backend(pid) from pg_stat_activity',
      'select pg_cancel_backend(1)',
      'select pg_reload_conf()',
      'select pg_rotate_logfile()',
      'select pg_promote()',
      'select pg_advisory_lock(1)',
      'select pg_try_advisory_xact_lock(1)',
      'select pg_stat_reset()',
      'select pg_stat_statements_reset()',
      'lock table orders',
    ],
  }))
    it(`refuses ${what}`, async () => {
      for (const sql of attempts) await fenced(query(sql), sql);
    });

  it('leaves to the server what only it can tell', async () => {
    for (const sql of [
      'with made as (insert into orders values (2) returning id) select * from made',
      'with gone as materialized (delete from orders returning id) select * from gone',
      `with m as (merge into orders o using (values (1)) as v(id) on o.id = v.id when matched then delete returning 1) select * from m`,
      'select * into stolen from orders',
      'select * from orders for update',
    ]) {
      const answer: unknown = await query(sql).catch((error: unknown) => error);
      assert.match(String(answer), /read-only transaction \(25006\)/u, sql);
    }
  });

  it('explains none of it either', async () => {
    const sql = `select ('/etc/passwd'::text).pg_read_file`;
    await fenced(ask(connector, 'explain', { sql }), sql);
  });

  it('reads columns, also those that have the name of a function', async () => {
    for (const [sql, value] of [
      ['select o.status from orders o', 'paid'],
      ['select "o"."id" from public.orders o', 1],
      ['select (o).id from orders o', 1],
      ['select upper(o.status) as into_nothing from pg_catalog.pg_class c, orders o limit 1', 'PAID'],
      [`select ('{1,2}'::int[]).array_to_json::text`, '[1,2]'],
      ['explain (costs off) select 1', 'Result'],
      ['explain (select 1 limit 0)', undefined],
    ] as const) {
      const { rows } = await query(sql);
      if (value !== undefined) assert.equal(rows[0][0], value, sql);
    }
  });

  it('changed nothing', async () => {
    const { rows } = await admin.query(
      `select (select count(*)::int from orders) as orders, to_regclass('stolen') as stolen,
        (select count(*)::int from pg_locks where locktype = 'advisory') as locks,
        (select count(*)::int from pg_largeobject_metadata) as objects, (select is_called from numbers) as called`,
    );
    assert.deepEqual(rows, [{ orders: 1, stolen: null, locks: 0, objects: 0, called: false }]);
  });
});

describe('attacks on ClickHouse', () => {
  let server: Awaited<ReturnType<typeof startClickhouse>>;
  let inside: Server;
  let reached = 0;
  const connectors: Connector[] = [];
  before(async () => {
    server = await startClickhouse();
    inside = createServer((socket) => {
      reached += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(inside, 'listening');
    for (const username of ['everything', 'nothing', 'settings'])
      connectors.push(connectorOf(clickhouse, { url: server.url, username, password: `pa'ss` }));
  });
  after(async () => {
    await Promise.all(connectors.map((one) => one.close()));
    inside?.close();
    await server?.stop();
  });

  it('reaches nothing, writes nothing and lifts no limit, whatever the user may', async () => {
    const place = `127.0.0.1:${addressOf(inside).port}`;
    const web = `'http://${place}/', 'CSV', 'a String'`;
    for (const connector of connectors)
      for (const sql of [
        `select * from url(${web})`,
        `select * from URL (${web})`,
        `select * from \`url\`(${web})`,
        `select * from "url" /* x */ (${web})`,
        `describe table url(${web})`,
        `exists table url(${web})`,
        `select 1 in url(${web})`,
        `with (select a from url(${web})) as x select x`,
        `select * from cluster('x', url(${web}))`,
        `select * from urlCluster('x', ${web})`,
        `explain select * from url(${web})`,
        `select * from file('/etc/passwd', 'CSV', 'a String')`,
        `select file('/etc/passwd')`,
        `select * from remote('${place}', system.one)`,
        `select * from remoteSecure('${place}', system.one)`,
        `select hasColumnInTable('${place}', 'system', 'one', 'dummy')`,
        `select "hasColumnInTable"('${place}', 'u', 'p', 'system', 'one', 'dummy')`,
        `select * from s3('http://${place}/x')`,
        `select * from gcs('http://${place}/x')`,
        `select * from s3Cluster('c', 'http://${place}/x')`,
        `select * from hdfs('hdfs://${place}/x', 'CSV', 'a String')`,
        `select * from azureBlobStorage('x', 'y', 'z')`,
        `select * from iceberg('http://${place}/x')`,
        `select * from deltaLake('http://${place}/x')`,
        `select * from mysql('${place}', 'a', 'b', 'c', 'd')`,
        `select * from postgresql('${place}', 'a', 'b', 'c', 'd')`,
        `select * from mongodb('${place}', 'a', 'b', 'c', 'd', 'e String')`,
        `select * from redis('${place}', 'key', 'key String')`,
        `select * from sqlite('/etc/passwd', 'a')`,
        `select * from jdbc('jdbc:x', 'a', 'b')`,
        `select * from odbc('DSN=x', 'a', 'b')`,
        `select * from executable('id', 'CSV', 'a String')`,
        `select * from input('a String')`,
        `select * from catBoostPool('/etc/passwd', '/etc/passwd')`,
        'select * from system.one settings readonly = 0',
        'select * from system.one SETTINGS `max_execution_time` = 0',
        'select * from (select 1 settings max_execution_time = 0)',
        'insert into orders select 1',
        "create table x (a String) engine = URL('http://x/', CSV)",
        'create temporary table x (a String) engine = Memory',
        "create dictionary x (a String) primary key a source(http(url 'http://x'))",
        'attach table x',
        'system shutdown',
        'kill query where 1',
        'optimize table x',
        'set readonly = 0',
        'use system',
        'select 1; drop table x',
      ])
        await fenced(ask(connector, 'query', { sql }), sql);
    assert.equal(reached, 0);
  });

  it('has the server refuse what is left, and reads a table that is called settings', async () => {
    for (const connector of connectors) {
      for (const sql of [
        `select 1 into outfile '/tmp/casebook-attack'`,
        'select 1 format CSV',
        'select 1 format Null settings',
      ])
        await assert.rejects(ask(connector, 'query', { sql }), /ClickHouse: /u, sql);
      const { rows } = await ask(connector, 'query', {
        sql: `select settings.name from system.settings as settings where settings.name = 'readonly'`,
      });
      assert.deepEqual(rows, [['readonly']]);
    }
  });
});
