import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Credential, bootstrapFirstTeam, Membership, Team, User } from '../../../src/features/identity/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const hash = (apiKey: string): string => `hash of ${apiKey}`;

describe('bootstrap of the first team', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const counts = async () => {
    const em = database.orm.em.fork();
    return {
      teams: await em.count(Team),
      users: await em.count(User),
      memberships: await em.count(Membership, {}, anyTeam),
      keys: await em.count(Credential, {}, anyTeam),
    };
  };

  it('makes team, admin and key once, however many processes start', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => bootstrapFirstTeam(database.orm.em, { hash })));
    assert.equal(new Set(results.map(({ teamId }) => teamId)).size, 1);
    assert.equal(results.filter(({ generatedApiKey }) => generatedApiKey !== undefined).length, 1);
    assert.deepEqual(await counts(), { teams: 1, users: 1, memberships: 1, keys: 1 });
  });

  it('takes a configured key, and adds one that differs later', async () => {
    const first = await bootstrapFirstTeam(database.orm.em, { apiKey: 'configured-key-1', hash });
    assert.equal(first.generatedApiKey, undefined);
    await bootstrapFirstTeam(database.orm.em, { apiKey: 'configured-key-1', hash });
    assert.deepEqual(await counts(), { teams: 1, users: 1, memberships: 1, keys: 1 });
    const later = await bootstrapFirstTeam(database.orm.em, { apiKey: 'configured-key-2', hash });
    assert.equal(later.teamId, first.teamId);
    assert.deepEqual(await counts(), { teams: 1, users: 1, memberships: 1, keys: 2 });
    const keys = await database.orm.em.fork().find(Credential, {}, anyTeam);
    assert.ok(
      keys.every(({ scopes, userId, teamId }) => scopes?.[0] === 'system:admin' && userId && teamId === first.teamId),
    );
  });

  it('does not bring a revoked key back', async () => {
    await bootstrapFirstTeam(database.orm.em, { apiKey: 'configured-key-1', hash });
    await database.orm.em.fork().nativeUpdate(Credential, {}, { revokedAt: new Date() }, anyTeam);
    await bootstrapFirstTeam(database.orm.em, { apiKey: 'configured-key-1', hash });
    const [key] = await database.orm.em.fork().find(Credential, {}, anyTeam);
    assert.ok(key?.revokedAt);
  });

  it('shows little of a short configured key', async () => {
    await bootstrapFirstTeam(database.orm.em, { apiKey: 'sixteen-letters!', hash });
    const [key] = await database.orm.em.fork().find(Credential, {}, anyTeam);
    assert.equal(key?.prefix, 'sixt');
  });
});
