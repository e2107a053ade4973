import assert from 'node:assert/strict';
import { migrate } from '../../src/db/migrate.ts';
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
    await Promise.all([1, 2, 3].map(() => migrate(database.url)));
    assert.deepEqual(await database.orm.migrator.getPending(), []);
    assert.equal((await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).trim(), '');
  });
});
