import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ForeignKeyConstraintViolationException } from '@mikro-orm/core';
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

  /** What the entities describe otherwise. They say nothing of foreign keys, nor of the tests' trigger. */
  const difference = async (): Promise<string[]> => {
    const statements = (await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).split('\n').filter(Boolean);
    const ours = /^alter table "\w+" drop constraint "\w+_foreign";$|bring_team/;
    return statements.filter((statement) => !ours.test(statement));
  };

  it('make exactly the schema that the entities describe', async () => {
    assert.deepEqual(await difference(), []);
  });

  it('give every reference a foreign key, unless it is one to several tables or may outlive what it names', async () => {
    const without = await database.orm.em.fork().execute<{ name: string }[]>(`
      select c.table_name || '.' || c.column_name as name
        from information_schema.columns c
       where c.table_schema = 'public' and c.data_type = 'uuid' and c.column_name like '%\\_id' and not exists (
         select 1 from pg_constraint f
           join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey)
          where f.contype = 'f' and f.conrelid = c.table_name::regclass and a.attname = c.column_name)
       order by 1`);
    const names = without.map(({ name }) => name);
    // Who or what made something is known of it for ever, also when the key, session, turn or call is gone.
    const provenance =
      /\.(created_by|changed_by|decided_by|created_in)_\w+_id$|\.(turn|tool_call|session|connection|parent_run)_id$/;
    assert.deepEqual(
      names.filter((name) => !provenance.test(name)),
      [
        // Of a conversation, a finding, or a run.
        'auxiliary_calls.conversation_id',
        'effects.owner_id',
        'effects.subject_id',
        // Says which answer in the event log the sweep removes, also when the satellite is gone.
        'satellite_requests.satellite_id',
        'satellites.token_id',
        'workspace_drafts.run_id',
      ],
    );
  });

  it('let no parent go that has children left, and no child come without one', async () => {
    const { em } = database.orm;
    const [teamId, conversationId] = [randomUUID(), randomUUID()];
    const now = new Date();
    const row = [randomUUID(), now, now, teamId];
    const say = (): Promise<unknown> =>
      em
        .fork()
        .execute(
          `insert into messages (id, created_at, updated_at, team_id, conversation_id, text) values (?, ?, ?, ?, ?, 'x')`,
          [...row, conversationId],
        );
    await assert.rejects(say(), ForeignKeyConstraintViolationException);
    await em
      .fork()
      .execute(`insert into conversations (id, created_at, updated_at, team_id, kind) values (?, ?, ?, ?, 'chat')`, [
        conversationId,
        now,
        now,
        teamId,
      ]);
    await say();
    const remove = (): Promise<unknown> =>
      em.fork().execute('delete from conversations where id = ?', [conversationId]);
    await assert.rejects(remove(), ForeignKeyConstraintViolationException);
    await em.fork().execute('delete from messages where conversation_id = ?', [conversationId]);
    await remove();
  });

  it('can be run by several processes at once, and again', async () => {
    await database.orm.migrator.down({ to: 0 });
    await Promise.all([1, 2, 3].map(() => migrate(database.url)));
    assert.deepEqual(await database.orm.migrator.getPending(), []);
    assert.deepEqual(await difference(), []);
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
      assert.match(said[0]!, /Another process .*; waiting/);
      await other.query('select pg_advisory_unlock(4117009)');
      await migrating;
      assert.equal(said.length, 1);
    });

    it('fail if the connection holding the lock is lost: none runs concurrently with another process', async () => {
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
