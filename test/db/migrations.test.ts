import assert from 'node:assert/strict';
import { migrate } from '../../src/db/migrate.ts';
import { openOrm } from '../../src/db/orm.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

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
    const orms = await Promise.all([1, 2, 3].map(() => openOrm({ databaseUrl: database.url })));
    await Promise.all(orms.map((orm) => migrate(orm, database.url)));
    await Promise.all(orms.map((orm) => orm.close(true)));
    assert.deepEqual(await database.orm.migrator.getPending(), []);
    assert.equal((await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).trim(), '');
  });
});
