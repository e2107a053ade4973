import assert from 'node:assert/strict';
import type { EntityManager } from '../../src/db/orm.ts';
import { boundedSearch } from '../../src/http/bounded-search.ts';
import { TooManyRequests } from '../../src/http/errors.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('searches', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  const search = <T>(team: string, run: (tx: EntityManager) => Promise<T>): Promise<T> =>
    boundedSearch(database.orm.em.fork(), team, 'chats', run);

  it('of one team wait for each other and not for those of others; too many are refused', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const slow = Promise.allSettled(Array.from({ length: 8 }, () => search('team', () => promise)));
    assert.equal(await search('other', async () => 'found'), 'found');
    resolve('slow');
    const settled = await slow;
    const found = settled.filter((outcome) => outcome.status === 'fulfilled');
    const refused = settled.filter((outcome) => outcome.status === 'rejected');
    assert.deepEqual([found.length, refused.length], [5, 3]);
    assert.ok(refused.every(({ reason }) => reason instanceof TooManyRequests && reason.code === 'busy'));
  });

  it('that take too long end with 503', async () => {
    const sleep = (tx: EntityManager): Promise<unknown> => tx.execute('select pg_sleep(20)');
    await assert.rejects(search('team', sleep), { status: 503, code: 'search_too_broad' });
  });
});
