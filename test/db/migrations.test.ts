import assert from 'node:assert/strict';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { isUnreachable } from '../../src/platform/unreachable.ts';
import { createTestDatabase, untilWaiting, type TestDatabase } from '../support/database.ts';

describe('migrations', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it('make exactly the schema that the entities describe', async () => {
    assert.equal((await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).trim(), '');
  });

  it('can be run by several processes at once, and again', async () => {
    await database.orm.migrator.down({ to: 0 });
    await Promise.all([1, 2, 3].map(() => migrate(database.url)));
    assert.deepEqual(await database.orm.migrator.getPending(), []);
    assert.equal((await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).trim(), '');
  });

  describe('with others about', () => {
    let other: pg.Client;
    beforeEach(async () => {
      other = new pg.Client({ connectionString: database.url });
      await other.connect();
    });
    afterEach(() => other?.end());

    it('say once that they wait for another process, and nothing when they need not', async () => {
      const said: string[] = [];
      const say = (message: string): unknown => said.push(message);
      await migrate(database.url, say);
      assert.deepEqual(said, []);
      await other.query('select pg_advisory_lock(4117009)');
      const migrating = migrate(database.url, say);
      await untilWaiting(database, 1);
      assert.equal(said.length, 1);
      assert.match(said[0]!, /Another process .* waits/);
      await other.query('select pg_advisory_unlock(4117009)');
      await migrating;
      assert.equal(said.length, 1);
    });

    it('fail with the connection that holds the lock: none goes on beside another process', async () => {
      await other.query('begin');
      await other.query('lock table migrations in access exclusive mode');
      const failed = assert.rejects(migrate(database.url), isUnreachable);
      await untilWaiting(database, 1);
      const { rowCount } = await database.orm.em
        .getConnection()
        .getNativeClient()
        .then((pool) =>
          pool.query(
            `select pg_terminate_backend(pid) from pg_locks
              where locktype = 'advisory' and objid = 4117009 and granted
                and database = (select oid from pg_database where datname = current_database())`,
          ),
        );
      assert.equal(rowCount, 1);
      await other.query('rollback');
      await failed;
      await migrate(database.url);
    });
  });
});
