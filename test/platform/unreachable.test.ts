/** Errors of the real server and the real driver, told apart. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { openOrm, type Orm } from '../../src/db/orm.ts';
import { entities } from '../../src/rooms.ts';
import { EventLogError } from '../../src/platform/event-log/index.ts';
import { isUnreachable } from '../../src/platform/unreachable.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const raise = (sqlstate: string): string => `do $$ begin raise exception 'x' using errcode = '${sqlstate}'; end $$`;

describe('unreachable', () => {
  let database: TestDatabase;
  let orm: Orm;
  before(async () => {
    database = await createTestDatabase();
    orm = await openOrm({ entities, databaseUrl: database.url, poolSize: 1 });
  });
  after(async () => {
    await orm?.close(true);
    await database?.drop();
  });

  const failing = async (work: Promise<unknown>): Promise<unknown> => {
    let caught: unknown;
    await assert.rejects(work, (error) => {
      caught = error;
      return true;
    });
    return caught;
  };
  const errorOf = (sql: string): Promise<unknown> => failing(orm.em.fork().execute(sql));

  for (const [what, sql] of [
    ['a mistake in the query', 'selekt 1'],
    ['a table that is not there', 'select * from nowhere'],
    ['a row that breaks a rule', 'insert into teams (id) values (null)'],
    ['a number out of range', 'select 1 / 0'],
  ] as const) {
    it(`is not ${what}`, async () => {
      assert.ok(!isUnreachable(await errorOf(sql)));
    });
  }

  for (const [what, sql] of [
    ['a standby that still takes connections after a failover', `set transaction_read_only = on; create table t ()`],
    ['the victim of a deadlock', raise('40P01')],
    ['a serialization failure or recovery conflict', raise('40001')],
    ['a statement that was cancelled', `set local statement_timeout = 20; select pg_sleep(5)`],
    ['a lock that was not to be had in time', raise('55P03')],
    ['a transaction that was ended because it was idle', raise('25P03')],
    ['a server without memory', raise('53200')],
    ['a server that is starting up', raise('57P03')],
    ['a server that shuts down', 'select pg_terminate_backend(pg_backend_pid())'],
  ] as const) {
    it(`is ${what}`, async () => {
      assert.ok(isUnreachable(await errorOf(sql)));
    });
  }

  const connected = async (options: pg.ClientConfig): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url, ...options });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  it('is a query that was not answered in time', async () => {
    const client = await connected({ query_timeout: 50 });
    const error = await failing(client.query('select pg_sleep(0.5)'));
    await client.end();
    assert.ok(isUnreachable(error));
  });

  it('is a client that was closed', async () => {
    const client = await connected({});
    await client.end();
    assert.ok(isUnreachable(await failing(client.query('select 1'))));
  });

  it('is a port without a listener, on every address of the host', async () => {
    const nobody = new pg.Client({ host: 'localhost', port: 1 });
    const refused = await failing(nobody.connect());
    assert.ok(isUnreachable(refused));
    assert.ok(isUnreachable(new AggregateError([refused])));
    assert.ok(isUnreachable(new Error('wrapped', { cause: refused })));
  });

  it('is an event log that is away, and not one that refuses an event', () => {
    assert.ok(isUnreachable(new EventLogError('unavailable', 'away')));
    assert.ok(!isUnreachable(new EventLogError('too_large', 'too large')));
    assert.ok(!isUnreachable('connection terminated'));
  });
});
