import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { freePort } from '../../../src/embedded/free-port.ts';
import { clickhouse, type Connector } from '@casebook/connectors';
import { waitUntil } from '../../support/wait-until.ts';
import { addressOf } from '../../support/address.ts';
import { startClickhouse } from './clickhouse-server.ts';
import { ask, connectorOf, refused } from './support.ts';

describe('satellite connector: clickhouse', () => {
  let server: { url: string; stop(): Promise<void> };
  let connector: Connector;
  const connectors: Connector[] = [];
  const as = (username: string, more: object = {}): Connector => {
    const made = connectorOf(clickhouse, { url: server.url, username, password: "pa'ss", ...more });
    connectors.push(made);
    return made;
  };

  const write = async (sql: string): Promise<void> => {
    const headers = { 'X-ClickHouse-User': 'everything', 'X-ClickHouse-Key': "pa'ss" };
    const response = await fetch(server.url, { method: 'POST', body: sql, headers });
    assert.equal(response.status, 200, await response.text());
  };

  before(async () => {
    server = await startClickhouse();
    await write('create table orders (id UInt64, customer String, placed DateTime) engine = MergeTree order by id');
    await write(
      `insert into orders select number, concat('c', toString(number % 10)), toDateTime(1767225600 + number, 'UTC') from numbers(1000)`,
    );
    connector = as('everything');
  });

  after(async () => {
    await Promise.all(connectors.map((one) => one.close()));
    await server?.stop();
  });

  const until = (mark: string, n: number) =>
    waitUntil(
      async () => {
        const found = (await ask(as('settings'), 'processes')).filter(({ query }: { query: string }) =>
          query.includes(mark),
        );
        return found.length === n ? true : undefined;
      },
      { what: `${n} of ${mark}`, intervalMs: 20 },
    );

  it('the test of a connection says what its user may do, and the SQL of a better one', async () => {
    for (const [user, may] of [
      ['everything', 'may write'],
      ['settings', 'is read-only'],
      ['nothing', 'is read-only'],
    ] as const) {
      const { status, message, warnings } = await ask(as(user), 'test_connection');
      assert.equal(status, 'ok', message);
      assert.match(
        message,
        new RegExp(`^Connected to ClickHouse 18\\.16.* as ${user}, which sees 1 table and ${may}\\.$`),
      );
      assert.equal(/create user casebook .* readonly = 2/.test(warnings.join('\n')), user === 'everything');
    }
  });

  for (const user of ['everything', 'nothing', 'settings']) {
    it(`reads as a user that may set ${user}`, async () => {
      const sql = 'select id, customer from orders order by id -- all';
      const some = await ask(as(user), 'query', { sql, max_rows: 3 });
      assert.deepEqual(some, {
        columns: [
          { name: 'id', type: 'UInt64' },
          { name: 'customer', type: 'String' },
        ],
        rows: [
          ['0', 'c0'],
          ['1', 'c1'],
          ['2', 'c2'],
        ],
        truncated: true,
      });
      assert.equal((await ask(as(user), 'query', { sql: 'select count() from orders;' })).truncated, false);
    });

    for (const sql of [
      'insert into orders (id) values (1)',
      'drop table orders',
      'alter table orders delete where 1',
      'kill query where 1',
      'system flush logs',
      'set readonly = 0',
      '-- select\ntruncate table orders',
    ])
      it(`refuses a user that may set ${user}: ${sql.replaceAll('\n', ' ')}`, () =>
        refused(ask(as(user), 'query', { sql }), 'bad_request', /Only reading is allowed/));
  }

  it('refuses two statements and functions that reach out', async () => {
    await refused(ask(connector, 'query', { sql: 'select 1; drop table orders' }), 'bad_request', /One statement/);
    for (const sql of [
      `select * from url('http://127.0.0.1/', 'CSV', 'a String')`,
      `select * from hive('thrift://127.0.0.1', 'a', 'b', 'c String', 'c')`,
      `select catboostEvaluate('/etc/passwd', 1)`,
      `select * from remote ('127.0.0.2', system.one)`,
      `select * from /* x */ FILE('x', 'CSV', 'a String')`,
      'select * from `s3Cluster`(1)',
    ])
      await refused(ask(connector, 'query', { sql }), 'bad_request', /may do more than read/);
  });

  it('refuses what hides such a function, or what servers read in different ways', async () => {
    const reached: string[] = [];
    const web = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.end('1\n');
    }).listen(0, '127.0.0.1');
    await once(web, 'listening');
    const to = `('http://127.0.0.1:${addressOf(web).port}/', 'CSV', 'a String')`;
    try {
      for (const [sql, words] of [
        [`select * from \`\\x75rl\`${to}`, /names with a backslash/],
        [`select * from "\\x75rl"${to}`, /names with a backslash/],
        [`select 1 as \u2018a ' \u2019, * from url${to} --'`, /U\+2018 is not allowed/],
        [`select $ a $ ' $ a $, * from url${to} --'`, /Dollar quotes are not allowed/],
        [`select 1 --\r from url${to}`, /U\+000D is not allowed/],
        [`select * // '\nfrom url${to} // '`, /not every server reads \/\/ as one/],
        [`select * /* /* */ ' */ from url${to} -- '`, /comment within a comment/],
        [`select * apply(file) from (select '/etc/passwd')`, /file\(\) may do more/],
        [`select * apply file from (select '/etc/passwd')`, /file\(\) may do more/],
        // The server says itself which functions make tables.
        [`select * from catBoostPool('/etc/passwd', '/etc/passwd')`, /catboostpool\(\) may do more/],
      ] as const)
        await refused(ask(as('settings'), 'query', { sql }), 'bad_request', words);
      assert.deepEqual(reached, []);
      assert.equal((await ask(as('settings'), 'query', { sql: 'select * from numbers(3)' })).rows.length, 3);
    } finally {
      web.close();
    }
  });

  it('the server refuses what the words do not give away', async () => {
    // A table function that the fence does not know.
    await refused(
      ask(connector, 'query', { sql: 'select * from numbers(1)' }),
      'bad_request',
      /readonly mode.*code 164/,
    );
    await refused(
      ask(connector, 'query', { sql: 'select count() from orders settings readonly = 0' }),
      'bad_request',
      /./,
    );
  });

  it('the server stops it at its timeout', async () => {
    const sql = 'select count() from system.numbers';
    await refused(ask(connector, 'query', { sql }, { remainingMs: 900 }), 'timeout', /Timeout exceeded.*code 159/);
  });

  it('stops the query on the server once nobody is waiting', async () => {
    const gone = new AbortController();
    const asking = refused(
      ask(connector, 'query', { sql: `select count(), 'mark-a' from system.numbers` }, { signal: gone.signal }),
      'timeout',
      /stopped/,
    );
    await until('mark-a', 1);
    gone.abort();
    await asking;
    await until('mark-a', 0);
    await refused(ask(connector, 'query', { sql: 'select 1' }, { signal: AbortSignal.abort() }), 'timeout', /stopped/);
  });

  it('stops a result that is too large, and continues', async () => {
    const sql = `select number, 'mark-b' from system.numbers`;
    const asking = ask(connector, 'query', { sql, max_rows: 10_000 }, { maxBytes: 100_000 });
    await refused(asking, 'too_large', /exceed 100000 bytes/);
    await until('mark-b', 0);
    assert.deepEqual((await ask(connector, 'query', { sql: 'select 1' })).rows, [[1]]);
  });

  it('passes on what the server says', async () => {
    await refused(ask(connector, 'query', { sql: 'select custmer from orders' }), 'bad_request', /custmer/);
    await refused(ask(connector, 'query', { sql: 'select * frm orders' }), 'bad_request', /Syntax error/);
    await refused(ask(connector, 'query', { sql: 'select * from nothing' }), 'not_found', /nothing doesn't exist/);
    // Fails after rows have been sent with a status of 200.
    const late = ask(connector, 'query', {
      sql: 'select throwIf(number = 3000000) from system.numbers limit 4000000',
      max_rows: 10,
    });
    await late.catch(() => undefined);
    await refused(
      ask(
        as('nothing'),
        'query',
        { sql: 'select throwIf(number = 3000000) from system.numbers limit 4000000' },
        { maxBytes: 100_000_000 },
      ),
      'bad_request',
      /throwIf/,
    );
  });

  it('lists and describes tables, and says what is slow', async () => {
    const [orders] = await ask(connector, 'tables', { database: 'default' });
    assert.deepEqual([orders.name, orders.engine, orders.rows], ['orders', 'MergeTree', '1000']);
    const described = await ask(connector, 'describe_table', { table: 'default.orders' });
    assert.equal(described.sorting_key, 'id');
    assert.deepEqual(
      described.columns.map(({ name, type }: { name: string; type: string }) => [name, type]),
      [
        ['id', 'UInt64'],
        ['customer', 'String'],
        ['placed', 'DateTime'],
      ],
    );
    await refused(ask(connector, 'describe_table', { table: `x' or '1` }), 'not_found', /no table/);
    const slow = await waitUntil(
      async () => {
        const found = await ask(connector, 'slow_queries', { limit: 200 });
        return found.find(({ text }: { text: string }) => text.includes('select count() from orders'));
      },
      { what: 'the query in the log', intervalMs: 50 },
    );
    assert.ok(Number(slow.calls) >= 1);
  });

  it('checks that the server is up and accepts the user', async () => {
    const signal = new AbortController().signal;
    await connector.check(signal);
    await assert.rejects(as('everything', { password: 'wrong' }).check(signal), /ClickHouse: .*[Pp]assword/);
    const url = `http://127.0.0.1:${await freePort()}`;
    await assert.rejects(as('everything', { url }).check(signal), /No answer from ClickHouse: .*ECONNREFUSED/);
  });

  // Debian's version is older than parameters and than being told that nobody waits: what goes out to newer ones.
  describe('towards a newer server', () => {
    let recorder: Server;
    const asked: URLSearchParams[] = [];
    before(async () => {
      recorder = createServer((request, response) => {
        const url = new URL(request.url!, 'http://x');
        request.resume().on('end', () => {
          asked.push(url.searchParams);
          const data =
            asked.length === 1
              ? [
                  ['readonly', '0'],
                  ['cancel_http_readonly_queries_on_client_close', '0'],
                  ['normalizeQuery', ''],
                ]
              : [];
          response.end(
            JSON.stringify({
              meta: [
                { name: 'name', type: 'String' },
                { name: 'value', type: 'String' },
              ],
              data,
            }),
          );
        });
      }).listen(0, '127.0.0.1');
      await once(recorder, 'listening');
    });
    after(() => recorder.close());

    it('sends parameters and limits beside the statement', async () => {
      const newer = as('everything', { url: `http://127.0.0.1:${addressOf(recorder).port}` });
      await ask(
        newer,
        'query',
        { sql: 'select {x:String}', parameters: { x: `a'b\tc` }, max_rows: 7 },
        { remainingMs: 2500 },
      );
      const { query_id, ...sent } = Object.fromEntries(asked[2] ?? []);
      assert.ok(query_id);
      assert.deepEqual(sent, {
        param_x: "a\\'b\\tc",
        readonly: '1',
        cancel_http_readonly_queries_on_client_close: '1',
        max_execution_time: '3',
        max_result_rows: '8',
        result_overflow_mode: 'break',
        timeout_overflow_mode: 'throw',
      });
    });
  });
});
