import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { anyTeam } from '../../src/db/team-filter.ts';
import { Effect } from '../../src/features/effects/index.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('migrations of data', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const execute = (sql: string, params: unknown[] = []) => database.orm.em.fork().execute(sql, params);
  const effects = async (): Promise<Map<string, Effect>> => {
    const rows = await database.orm.em.fork().find(Effect, {}, anyTeam);
    return new Map(rows.map((row) => [row.key, row]));
  };
  const teamId = randomUUID();
  const base = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:00:05Z'), teamId];

  it('what agents were notified of and which calls a draft has become effects, and come back', async () => {
    await database.orm.migrator.down({ to: '20261121001100-investigation-search' });
    const insert = `insert into monitoring_triggers (id, created_at, updated_at, team_id, key, kind, trigger_id, digest, received_at, told)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const [deployTrigger, alertTrigger, alertRow] = [randomUUID(), randomUUID(), randomUUID()];
    const told = JSON.stringify([{ agentId: 'a', title: 'A', started: true }]);
    await execute(insert, [randomUUID(), ...base, 'deploy:x/all', 'deploy', deployTrigger, '', base[0], null]);
    await execute(insert, [randomUUID(), ...base, 'check_now/k', 'check_now', randomUUID(), 'abc', base[0], told]);
    await execute(insert, [alertRow, ...base, 'alert/f/1', 'alert', alertTrigger, '', base[0], told]);
    await execute(insert, [randomUUID(), ...base, 'alert/f/2', 'alert', alertTrigger, '', base[0], told]);
    const [draftId, toolCallId] = [randomUUID(), randomUUID()];
    await execute(
      `insert into workspace_draft_calls (id, created_at, updated_at, team_id, draft_id, tool_call_id, result) values (?, ?, ?, ?, ?, ?, ?)`,
      [randomUUID(), ...base, draftId, toolCallId, '{"output":{},"digest":"d"}'],
    );

    await database.orm.migrator.up();
    const migrated = await effects();
    assert.equal(migrated.size, 5);
    const deploy = migrated.get('trigger:deploy:x/all');
    assert.deepEqual([deploy?.id, deploy?.status, deploy?.receipt], [deployTrigger, 'pending', null]);
    assert.equal(deploy?.expiresAt?.toISOString(), '2026-01-01T00:10:00.000Z');
    const checkNow = migrated.get('trigger:check_now/k');
    assert.deepEqual([checkNow?.status, checkNow?.digest], ['done', 'abc']);
    assert.deepEqual(checkNow?.receipt, JSON.parse(told));
    assert.equal(checkNow?.expiresAt?.toISOString(), '2026-01-08T00:00:00.000Z');
    assert.equal(migrated.get('trigger:alert/f/1')?.id, alertRow);
    const call = migrated.get(`workspace_change:${draftId}:${toolCallId}`);
    assert.deepEqual([call?.status, call?.ownerId, call?.receipt], ['done', draftId, { output: {}, digest: 'd' }]);

    await database.orm.migrator.down({ to: '20261121001100-investigation-search' });
    assert.equal((await execute('select 1 from monitoring_triggers')).length, 4);
    assert.equal((await execute(`select 1 from workspace_draft_calls where draft_id = ?`, [draftId])).length, 1);
    await database.orm.migrator.up();
    assert.deepEqual([...(await effects()).keys()].toSorted(), [...migrated.keys()].toSorted());
  });
});
