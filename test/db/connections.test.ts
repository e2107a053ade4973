import assert from 'node:assert/strict';
import pg from 'pg';
import { waitUntil } from '../support/wait-until.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openOrm, type Orm } from '../../src/db/orm.ts';
import { entities } from '../../src/rooms.ts';
import { untilReachable } from '../../src/db/reach.ts';
import { isUnreachable } from '../../src/platform/unreachable.ts';
import { createTestDatabase, untilWaiting, type TestDatabase } from '../support/database.ts';
import { startNetwork, type Network } from '../support/network.ts';

const SILENCE_MS = 300;
const ANSWERED_WITHIN_MS = 240_000;
const answers = (orm: Orm): Promise<unknown> => orm.em.fork().execute('select 1');

/** Waits until the last queries of the connections to the database are as wanted. */
async function untilConnected(database: TestDatabase, wanted: (queries: string[]) => boolean): Promise<void> {
  const sql = 'select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  const asWanted = async (): Promise<true | undefined> => {
    const rows = await database.orm.em.fork().execute<{ query: string }[]>(sql);
    return wanted(rows.map(({ query }) => query)) || undefined;
  };
  await waitUntil(asWanted, { what: 'the connections' });
}

describe('connections to PostgreSQL', () => {
  let database: TestDatabase;
  let network: Network;
  let orm: Orm | undefined;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());
  beforeEach(async () => {
    network = await startNetwork(database.url);
  });
  afterEach(async () => {
    await orm?.close(true);
    orm = undefined;
    await network.stop();
  });

  it('that fall silent are given up, and their places in the pool come back', async () => {
    orm = await openOrm({ entities, databaseUrl: network.url, poolSize: 2, silenceMs: SILENCE_MS });
    const asking = orm;
    const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
    // A machine that stands still for a moment is silent, too.
    await Promise.all([1, 2].map(() => untilReachable(() => answers(asking), signal)));
    network.swallow();
    await Promise.all([1, 2, 3].map(() => untilReachable(() => answers(asking), signal)));
  });

  for (const [what, sql] of [
    ['are reset', 'select pg_sleep(20)'],
    ['are ended by the server, as when it restarts', 'select pg_terminate_backend(pg_backend_pid())'],
  ] as const) {
    it(`that ${what} within a transaction give their places in the pool back`, async () => {
      orm = await openOrm({ entities, databaseUrl: network.url, poolSize: 1 });
      const asking = orm;
      const work = assert.rejects(
        asking.em.fork().transactional((em) => em.execute(sql)),
        isUnreachable,
      );
      if (what === 'are reset') {
        await untilConnected(database, (queries) => queries.includes(sql));
        network.cut();
      }
      await work;
      await untilReachable(() => answers(asking), AbortSignal.timeout(ANSWERED_WITHIN_MS));
    });
  }

  it('that are idle may be silent: one that is given up ends nothing', async () => {
    orm = await openOrm({ entities, databaseUrl: network.url, poolSize: 1, silenceMs: 2_000 });
    await orm.em.fork().execute(`select 'idle'`);
    await untilConnected(database, (queries) => !queries.includes(`select 'idle'`));
    await answers(orm);
  });

  it('lose their transaction and its locks when their process is frozen in it', async () => {
    const [row] = await database.orm.em.fork().execute<[{ idle_in_transaction_session_timeout: string }]>(
      // A process that is frozen keeps its connection: only the server can end what it began.
      'show idle_in_transaction_session_timeout',
    );
    assert.match(row.idle_in_transaction_session_timeout, /^[1-9]\d*s$/);
  });

  it('that break during a migration fail it, and not the process', async () => {
    // Mocha fails a test in which an error event has no listener.
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table migrations in access exclusive mode');
      const migrating = assert.rejects(migrate(network.url), isUnreachable);
      await untilWaiting(database, 1);
      network.cut();
      await migrating;
    } finally {
      await holder.end();
    }
  });
});
