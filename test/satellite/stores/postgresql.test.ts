import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/embedded/free-port.ts';
import pg from 'pg';
import { postgresql, type Connector } from '@casebook/connectors';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import { READ_ONLY_NAMES, VOLATILE_READ_ONLY } from '../../../packages/connectors/postgresql/functions.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startNetwork } from '../../support/network.ts';
import { ask, connectorOf, refused } from './support.ts';

describe('satellite connector: postgresql', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let home: string;
  let admin: pg.Client;
  /** May write, for what the fences hold back. */
  let writer: Connector;
  let reader: Connector;
  let readerUrl: string;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'casebook-stores-'));
    const settings = { fsync: 'off', shared_preload_libraries: 'pg_stat_statements' };
    server = await startPostgres({ home, port: await freePort(), settings });
    admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
    await admin.query(`
      create extension pg_stat_statements; create extension dblink; create sequence numbers;
      create table orders (id bigint primary key, customer text not null, total numeric(10,2), paid boolean,
        placed_at timestamptz, details jsonb);
      create index orders_customer on orders (customer);
      insert into orders select n, 'c' || n % 10, n * 1.5, n % 2 = 0, '2026-01-01 00:00Z'::timestamptz + n * interval '1 s',
        '{"n": 1}' from generate_series(1, 1000) n;
      analyze orders;
      create role reader login password 'a:b/c@d'; grant pg_read_all_data, pg_monitor to reader;
      create role writer login password 'writes'; grant pg_read_all_data to writer; grant all on orders, numbers to writer;
      create role programs login password 'runs'; grant pg_execute_server_program to programs;
      create function writes() returns int language plpgsql as $$ begin delete from orders; return 1; end $$;
      create function unfences() returns int language plpgsql as $$ begin
        perform set_config('transaction_read_only', 'off', false); delete from orders; return 1; end $$;
      create function locks() returns void language plpgsql as $$ begin
        perform pg_advisory_lock(4711); perform set_config('application_name', 'left behind', false); end $$`);
    readerUrl = urlOf('reader', '');
    const allowed_functions = ['writes', 'unfences', 'public.locks'];
    writer = connectorOf(postgresql, { url: urlOf('writer', 'writes'), max_connections: 1, allowed_functions });
    reader = connectorOf(postgresql, { url: readerUrl, password: 'a:b/c@d' });
  });

  after(async () => {
    await writer?.close();
    await reader?.close();
    await admin?.end();
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });

  const urlOf = (user: string, password: string): string => {
    const url = new URL(server.adminUrl);
    Object.assign(url, { username: user, password });
    return url.toString();
  };

  it('the test of a connection says what its role may do, and the SQL of a better one', async () => {
    const of = async (url: string, more: object = {}) => {
      const connector = connectorOf(postgresql, { url, allow_powerful: true, ...more });
      try {
        const { status, message, warnings } = await ask(connector, 'test_connection');
        assert.equal(status, 'ok', message);
        return [/as \w+, who (.*)\.$/.exec(message)?.[1], warnings.join('\n')] as const;
      } finally {
        await connector.close();
      }
    };
    const [reads, nothing] = await of(readerUrl, { password: 'a:b/c@d' });
    assert.equal(reads, 'reads 1 of 1 table, writes none and sees all sessions');
    assert.doesNotMatch(nothing, /create role|grant/);
    const [writes, better] = await of(urlOf('writer', 'writes'));
    assert.equal(writes, 'reads 1 of 1 table, may write 1 and sees only its own sessions');
    assert.match(better, /may write to 1 table\..*create role casebook.*\n.*grant pg_monitor to writer/);
    const [sees, grants] = await of(urlOf('programs', 'runs'));
    assert.equal(sees, 'reads 0 of 1 table, writes none and sees only its own sessions');
    assert.match(grants, /pg_execute_server_program.*create role casebook.*\n.*grant pg_read_all_data to programs/);
    const [all, superuser] = await of(server.adminUrl);
    assert.equal(all, 'reads 1 of 1 table, may write 1 and sees all sessions');
    assert.match(superuser, /is a superuser, .*create role casebook/);
  });

  const count = async (): Promise<number> =>
    Number((await admin.query<{ count: string }>('select count(*) from orders')).rows[0]?.count);

  const running = async (mark: string): Promise<number> =>
    Number(
      (
        await admin.query<{ n: string }>(
          `select count(*) n from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()`,
          [`%${mark}%`],
        )
      ).rows[0]?.n,
    );
  const until = (mark: string, n: number) =>
    waitUntil(async () => ((await running(mark)) === n ? true : undefined), {
      what: `${n} of ${mark}`,
      intervalMs: 10,
    });

  describe('reading', () => {
    it('gives columns with types, and values that lose nothing', async () => {
      const sql = `select id, customer, total, paid, placed_at, details, 9007199254740993::bigint as big,
        'NaN'::float8 as nan, null as nothing, array[1, 2] as list from orders where id = $1`;
      const answer = await ask(reader, 'query', { sql, parameters: [2] });
      assert.deepEqual(answer.rows, [
        [2, 'c2', '3.00', true, '2026-01-01 00:00:02+00', { n: 1 }, '9007199254740993', 'NaN', null, [1, 2]],
      ]);
      assert.deepEqual(answer.columns.slice(0, 3), [
        { name: 'id', type: 'int8' },
        { name: 'customer', type: 'text' },
        { name: 'total', type: 'numeric' },
      ]);
      assert.equal(answer.truncated, false);
    });

    it('gives so many rows and says that there are more', async () => {
      const some = await ask(reader, 'query', { sql: 'select id from orders order by id', max_rows: 450 });
      assert.equal(some.rows.length, 450);
      assert.equal(some.truncated, true);
      const all = await ask(reader, 'query', { sql: 'select id from orders order by id;', max_rows: 1000 });
      assert.equal(all.rows.length, 1000);
      assert.equal(all.truncated, false);
    });

    it('reads EXPLAIN, SHOW, VALUES and comments', async () => {
      const explained = await ask(reader, 'query', { sql: '/* why */ explain (format json) select * from orders' });
      assert.ok(explained.rows[0][0][0].Plan);
      assert.deepEqual((await ask(reader, 'query', { sql: 'show transaction_read_only' })).rows, [['on']]);
      assert.deepEqual((await ask(reader, 'query', { sql: `(values ('a;b -- c'))` })).rows, [['a;b -- c']]);
    });

    it('lists tables and describes one', async () => {
      const [orders] = await ask(reader, 'tables');
      assert.equal(orders.name, 'orders');
      assert.equal(orders.estimated_rows, 1000);
      assert.deepEqual(await ask(reader, 'tables', { schema: 'nowhere' }), []);
      const described = await ask(reader, 'describe_table', { table: 'public.orders' });
      assert.deepEqual(described.columns[1], { name: 'customer', type: 'text', nullable: false, default: null });
      assert.match(described.indexes[0].definition, /CREATE INDEX orders_customer/);
      assert.equal(
        described.constraints.find(({ name }: { name: string }) => name === 'orders_pkey').definition,
        'PRIMARY KEY (id)',
      );
      await refused(ask(reader, 'describe_table', { table: 'nothing' }), 'not_found', /no table nothing/);
    });

    it('ranks statements by time', async () => {
      await admin.query('select count(*), pg_sleep(0.05) from orders');
      const slow = await ask(reader, 'slow_queries', { limit: 50 });
      const found = slow.find(({ query }: { query: string }) => query.includes('pg_sleep($1)'));
      assert.ok(found.mean_ms >= 50);
    });

    it('ranks no statements of other databases', async () => {
      await admin.query('create database elsewhere');
      const other = new URL(server.adminUrl);
      other.pathname = '/elsewhere';
      const client = new pg.Client(other.href);
      await client.connect();
      await client.query('select pg_sleep(0.05) as not_yours');
      await client.end();
      const { rows } = await admin.query("select 1 from pg_stat_statements where query like '%not_yours%'");
      assert.equal(rows.length, 1, 'the view has it');
      const slow = await ask(reader, 'slow_queries', { limit: 200 });
      assert.ok(!slow.some(({ query }: { query: string }) => query.includes('not_yours')));
    });

    it('shows who waits for whom', async () => {
      const [holder, waiter] = [new pg.Client(server.adminUrl), new pg.Client(server.adminUrl)];
      await Promise.all([holder.connect(), waiter.connect()]);
      try {
        await holder.query('begin; update orders set paid = true where id = 1');
        const waiting = waiter.query('update orders set paid = false where id = 1');
        const [lock] = await waitUntil(
          async () => {
            const locks = await ask(reader, 'locks');
            return locks.length > 0 ? locks : undefined;
          },
          { what: 'a lock that is waited for', intervalMs: 10 },
        );
        assert.match(lock.waiting_query, /paid = false/);
        assert.match(lock.blocking_query, /paid = true/);
        assert.equal(lock.blocking_state, 'idle in transaction');
        const { sessions, connections } = await ask(reader, 'activity');
        assert.ok(sessions.some((one: { blocked_by: number[] }) => one.blocked_by.includes(lock.blocking_pid)));
        assert.ok(connections.some((one: { user: string }) => one.user === 'casebook'));
        await holder.query('rollback');
        await waiting;
      } finally {
        await Promise.all([holder.end(), waiter.end()]);
      }
    });
  });

  describe('writing is refused, whoever the role is', () => {
    for (const sql of [
      "insert into orders (id, customer) values (5000, 'x')",
      'delete from orders',
      'drop table orders',
      `copy orders to program 'cat > /dev/null'`,
      `copy (select 1) to stdout`,
      'set transaction read write',
      'set session characteristics as transaction read write',
      'commit',
      `do 'begin delete from orders; end'`,
      'call something()',
      'vacuum orders',
      'listen x',
      '-- select\ndelete from orders',
      '/* /* */ select */ delete from orders',
      'explain analyze delete from orders',
    ]) {
      it(sql.replaceAll('\n', ' '), () =>
        refused(ask(writer, 'query', { sql }), 'bad_request', /Only reading is allowed/),
      );
    }

    for (const sql of [
      'select 1; delete from orders',
      'select 1; commit; delete from orders',
      `select E'\\'; delete from orders; --'; delete from orders`,
    ]) {
      it(sql, () => refused(ask(writer, 'query', { sql }), 'bad_request', /One statement at a time/));
    }

    for (const sql of [
      'select pg_terminate_backend(pid) from pg_stat_activity',
      'select "pg_terminate_backend"(1)',
      'select pg_catalog.pg_cancel_backend(1)',
      `select pg_read_file('/etc/passwd')`,
      `select pg_ls_dir('/')`,
      `select * from dblink('dbname=casebook', 'delete from orders') as t(a text)`,
      `select dblink_exec('dbname=casebook', 'delete from orders')`,
      `select set_config('transaction_read_only', 'off', false)`,
      `select lo_export(1, '/tmp/x')`,
      `select gin_clean_pending_list('orders_pkey')`,
      `select brin_summarize_new_values('orders_pkey')`,
      `select pg_background_launch('delete from orders')`,
      `select * from aws_s3.query_export_to_s3('select 1', 'bucket')`,
      `select pg_advisory_lock /* hidden */ (1)`,
      `select query_to_xml('select pg_reload_conf()', true, true, '')`,
      `select nextval('numbers')`,
    ]) {
      it(sql, () => refused(ask(writer, 'query', { sql }), 'bad_request', /Only reading is allowed: /));
    }

    // What the fence took for a comment or a string, the server ran.
    for (const [what, sql] of [
      ['a comment that ends with a carriage return', 'select 1 -- \r, pg_terminate_backend(1)'],
      ['a dollar quote behind a byte above 0x7f', `select 1 as \u20ac$$, pg_terminate_backend(1), 1 as \u20ac$$`],
      ['a dollar quote', 'select $$ $$, $a$ $a$'],
      ['a dollar quote behind a parameter', 'select $1$$, pg_terminate_backend(1), $$'],
      ['a space that is none', 'select\u00a01'],
      ['the end of a text', `select 1, '\0'`],
    ] as const)
      it(what, () => refused(ask(writer, 'query', { sql }), 'bad_request', /not allowed.*Outside quotes/));

    it('two strings in a row, of which the second has the escapes of the first', () =>
      refused(
        ask(writer, 'query', { sql: `select E'a'\n'\\'' || pg_terminate_backend(1) || '\\''` }),
        'bad_request',
        /two strings in a row/,
      ));

    for (const sql of [
      `select ts_rewrite('a'::tsquery, 'select ''a''::tsquery, lo_unlink(1)::text::tsquery')`,
      `select * from ts_stat('select lo_create(0)::text::tsvector')`,
      'select pg_try_advisory_lock_shared(1)',
      'select public . writes ()',
      'select reader.pg_catalog.now()',
      'select distinct on (id) lo_unlink(id) from orders',
      'select pg_stat_reset()',
      'select pg_logical_emit_message(false, $1, $2)',
      'select currtid2($1, $2)',
      'select xml.table_to_xml($1, true, true, $2)',
      'select 1 operator(public.+) 2',
    ])
      it(sql, () => refused(ask(writer, 'query', { sql }), 'bad_request', /Only reading is allowed: .*is not known/));

    it('what is quoted may be in any language, and so may comments', async () => {
      const sql = `select 'l\u2019\u00e9t\u00e9 \r' as "\u20ac", E'\\'' -- \u00e9\u20ac\n, lower('A') /* \u20ac */`;
      assert.deepEqual((await ask(writer, 'query', { sql })).rows, [['l\u2019\u00e9t\u00e9 \r', `'`, 'a']]);
    });

    it('reads the forms that reading needs', async () => {
      for (const sql of [
        'with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select sum(i) from n',
        'select * from (values (1, 2)) as t(a, b) where a in (1) and exists (select 1)',
        `select pg_catalog.count(*) filter (where paid), percentile_cont(0.5) within group (order by total) from orders`,
        `select date_trunc('hour', placed_at), row_number() over (partition by customer) from orders limit (1)`,
        `select cast(total as numeric(10, 1)), extract(epoch from placed_at), coalesce(customer, '') from orders limit 1`,
        `select * from jsonb_to_record('{"a": 1}') as x(a int)`,
        'select grouping(customer), count(*) from orders group by grouping sets ((customer), ())',
      ])
        assert.ok((await ask(reader, 'query', { sql })).rows.length > 0, sql);
    });

    it('allows functions that PostgreSQL has and that only read', async () => {
      const volatile = await admin.query<{ name: string }>(
        `select distinct proname as name from pg_proc where pronamespace = 'pg_catalog'::regnamespace
         and provolatile = 'v' and prorettype <> 'tsm_handler'::regtype and proname = any($1)`,
        [[...READ_ONLY_NAMES]],
      );
      assert.deepEqual(
        volatile.rows.map(({ name }) => name).filter((name) => !VOLATILE_READ_ONLY.has(name)),
        [],
      );
      assert.deepEqual(
        [...VOLATILE_READ_ONLY].filter((name) => !READ_ONLY_NAMES.has(name)),
        [],
      );
    });

    it('a name that hides itself', () =>
      refused(ask(writer, 'query', { sql: `select U&"pg\\005fterminate_backend"(1)` }), 'bad_request', /U&/));

    // What the text does not give away the server refuses.
    for (const sql of [
      `with gone as (delete from orders returning id) select * from gone`,
      `with changed as (update orders set paid = true returning id) select * from changed`,
      'select * into copied from orders',
      'select * from orders for update',
      'select writes()',
    ]) {
      it(sql, () => refused(ask(writer, 'query', { sql }), 'bad_request', /read-only transaction \(25006\)/));
    }

    it('a function that would lift the fence finds it locked', () =>
      refused(
        ask(writer, 'query', { sql: 'select unfences()' }),
        'bad_request',
        /read-write mode must be set before any query/,
      ));

    it('and nothing was changed', async () => {
      assert.equal(await count(), 1000);
      assert.deepEqual((await ask(writer, 'query', { sql: 'show transaction_read_only' })).rows, [['on']]);
    });

    it('nothing of a session stays: no lock, no setting', async () => {
      await ask(writer, 'query', { sql: 'select public.locks()' });
      assert.deepEqual((await ask(writer, 'query', { sql: 'show application_name' })).rows, [['casebook']]);
      assert.deepEqual((await admin.query(`select * from pg_locks where locktype = 'advisory'`)).rows, []);
    });

    it('a role that a read-only transaction does not hold', async () => {
      for (const url of [server.adminUrl, urlOf('programs', 'runs')]) {
        const powerful = connectorOf(postgresql, { url });
        await assert.rejects(
          powerful.check(new AbortController().signal),
          /superuser, or may write.*create role casebook/,
        );
        await refused(ask(powerful, 'query', { sql: 'select 1' }), 'failed', /it is a member of (casebook|pg_execute)/);
        await powerful.close();
      }
    });

    it('strings end where they do, whatever the database says of backslashes', async () => {
      await admin.query('alter role writer set standard_conforming_strings = off');
      const fresh = connectorOf(postgresql, { url: urlOf('writer', 'writes') });
      try {
        const sql = `select '\\', 'b'`;
        assert.deepEqual((await ask(fresh, 'query', { sql })).rows, [['\\', 'b']]);
      } finally {
        await fresh.close();
        await admin.query('alter role writer reset standard_conforming_strings');
      }
    });
  });

  describe('limits', () => {
    it('stops the query on the server once nobody is waiting', async () => {
      const gone = new AbortController();
      const asking = refused(
        ask(reader, 'query', { sql: `select pg_sleep(50), 'mark-a'` }, { signal: gone.signal }),
        'timeout',
        /stopped/,
      );
      await until('mark-a', 1);
      gone.abort();
      await asking;
      await until('mark-a', 0);
      assert.deepEqual((await ask(reader, 'query', { sql: 'select 1 as one' })).rows, [[1]]);
    });

    it('the server stops it at its own timeout', async () => {
      const asking = ask(reader, 'query', { sql: `select pg_sleep(50), 'mark-b'` }, { remainingMs: 100 });
      await refused(asking, 'timeout', /statement timeout \(57014\)/);
      const short = connectorOf(postgresql, { url: urlOf('writer', 'writes'), statement_timeout_seconds: 0.1 });
      await refused(ask(short, 'query', { sql: 'select pg_sleep(50)' }), 'timeout', /statement timeout/);
      await short.close();
    });

    it('has the server end a transaction whose asker is gone without a word', async () => {
      const short = connectorOf(postgresql, { url: urlOf('writer', 'writes'), statement_timeout_seconds: 7 });
      const { rows } = await ask(short, 'query', { sql: 'show idle_in_transaction_session_timeout' });
      assert.deepEqual(rows, [['10s']], 'the longest statement, and time to cancel it');
      await short.close();
    });

    it('refuses at once a query nobody is waiting for', () =>
      refused(ask(reader, 'query', { sql: 'select 1' }, { signal: AbortSignal.abort() }), 'timeout', /stopped/));

    it('does not wait for a free connection longer than its asker', async () => {
      const one = connectorOf(postgresql, { url: urlOf('writer', 'writes'), max_connections: 1 });
      const [first, second] = [new AbortController(), new AbortController()];
      const sleeping = refused(
        ask(one, 'query', { sql: `select pg_sleep(50), 'mark-c'` }, { signal: first.signal }),
        'timeout',
        /stopped/,
      );
      await until('mark-c', 1);
      const waiting = refused(ask(one, 'query', { sql: 'select 1' }, { signal: second.signal }), 'timeout', /stopped/);
      second.abort();
      await waiting;
      first.abort();
      await sleeping;
      assert.deepEqual((await ask(one, 'query', { sql: 'select 2' })).rows, [[2]]);
      await one.close();
    });

    it('does not wait long for a lock', async () => {
      const impatient = connectorOf(postgresql, { url: urlOf('writer', 'writes'), lock_timeout_seconds: 0.05 });
      await admin.query('begin; lock table orders in access exclusive mode');
      try {
        await refused(
          ask(impatient, 'query', { sql: 'select count(*) from orders' }),
          'busy',
          /lock timeout.*\(55P03\)/,
        );
      } finally {
        await admin.query('rollback');
        await impatient.close();
      }
    });

    it('gives a connection up on which the network falls silent after the rows', async () => {
      const network = await startNetwork(urlOf('writer', 'writes'));
      const one = connectorOf(postgresql, { url: network.url, max_connections: 1 });
      try {
        network.swallowAt('rollback');
        assert.deepEqual((await ask(one, 'query', { sql: 'select 6' })).rows, [[6]]);
        assert.deepEqual((await ask(one, 'query', { sql: 'select 7' })).rows, [[7]]);
      } finally {
        await network.stop();
        await one.close();
      }
    });

    it('stops a result that is too large, one value or many rows, and continues', async () => {
      const limit = { maxBytes: 200_000 };
      const sql = `select repeat('x', 1000) from generate_series(1, 100000)`;
      await refused(ask(reader, 'query', { sql, max_rows: 10_000 }, limit), 'too_large', /exceed 200000 bytes/);
      await refused(ask(reader, 'query', { sql: `select repeat('x', 60000000)` }, limit), 'too_large', /200000/);
      assert.deepEqual((await ask(reader, 'query', { sql: 'select 3' }, limit)).rows, [[3]]);
    });

    it('checks the parameters', async () => {
      await assert.rejects(ask(reader, 'query', { sql: 'select 1', max_rows: 1_000_000 }));
      await assert.rejects(ask(reader, 'query', { statement: 'select 1' }), /sql/);
    });
  });

  describe('what the server says', () => {
    it('passes on, with hints and places', async () => {
      await refused(
        ask(reader, 'query', { sql: 'select customre from orders' }),
        'bad_request',
        /column "customre" does not exist.*Hint: Perhaps you meant.*At character 8.*42703/,
      );
      await refused(ask(reader, 'query', { sql: 'select * frm orders' }), 'bad_request', /syntax error/);
      await refused(ask(reader, 'query', { sql: 'select 1/0' }), 'bad_request', /division by zero/);
      await refused(ask(reader, 'query', { sql: 'select $1::int' }), 'bad_request', /parameter/);
      assert.deepEqual((await ask(reader, 'query', { sql: 'select 4' })).rows, [[4]]);
    });

    it('of a wrong password and of nobody there', async () => {
      const signal = new AbortController().signal;
      await reader.check(signal);
      const wrong = connectorOf(postgresql, { url: readerUrl, password: 'wrong' });
      await assert.rejects(wrong.check(signal), /password authentication failed for user "reader"/);
      await wrong.close();
      const nobody = connectorOf(postgresql, { url: `postgres://reader@127.0.0.1:${await freePort()}/x` });
      await assert.rejects(nobody.check(signal), /No answer from PostgreSQL: .*ECONNREFUSED/);
      await nobody.close();
    });

    it('of a connection that is cut', async () => {
      const asking = refused(ask(reader, 'query', { sql: `select pg_sleep(50), 'mark-d'` }), 'failed', /terminat/);
      await until('mark-d', 1);
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like '%mark-d%' and pid <> pg_backend_pid()`,
      );
      await asking;
      assert.deepEqual((await ask(reader, 'query', { sql: 'select 5' })).rows, [[5]]);
    });
  });
});
