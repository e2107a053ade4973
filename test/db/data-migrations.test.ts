import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import { migrate } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { anyTeam } from '../../src/db/team-filter.ts';
import { Effect } from '../../src/features/effects/index.ts';
import { notificationOf } from '../../src/features/notifications/index.ts';
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

    await database.orm.migrator.up({ to: '20261122010100-notifications' });
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
    await database.orm.migrator.up({ to: '20261122010100-notifications' });
    assert.deepEqual([...(await effects()).keys()].toSorted(), [...migrated.keys()].toSorted());
  });

  it('notifications become effects that are delivered as before, and come back', async () => {
    await database.orm.migrator.down({ to: '20261122010000-effects' });
    const [agentId, findingId] = [randomUUID(), randomUUID()];
    const insert = `insert into monitoring_notifications (id, created_at, updated_at, team_id, agent_id, finding_id, key, event, channel_type, channel_label, status, message, attempts, last_error, receipt, thread, delivered_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const said = { agentId, agent: 'Watch', severity: 'info', title: 't', text: 'x', links: [], at: 1 };
    const opened = JSON.stringify({ ...said, event: 'opened', findingId });
    const resolved = JSON.stringify({ ...said, event: 'resolved', findingId });
    const test = JSON.stringify({ ...said, event: 'test' });
    const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const slack = ['slack', '#ops'];
    const rows = [
      [
        ids[0],
        ...base,
        agentId,
        findingId,
        'k0',
        'opened',
        ...slack,
        'delivered',
        opened,
        2,
        null,
        'took it',
        '{"ts":"1"}',
        base[1],
      ],
      [
        ids[1],
        ...base,
        agentId,
        findingId,
        'k1',
        'resolved',
        ...slack,
        'pending',
        resolved,
        1,
        'away',
        null,
        null,
        null,
      ],
      [ids[2], ...base, agentId, findingId, 'k2', 'opened', null, null, 'skipped', opened, 0, null, null, null, null],
      [ids[3], ...base, agentId, null, 'k3', 'test', ...slack, 'failed', test, 1, 'no', null, null, null],
    ];
    for (const row of rows) await execute(insert, row);
    const before = await execute('select * from monitoring_notifications order by key');

    await database.orm.migrator.up({ to: '20261122010100-notifications' });
    const migrated = [...(await effects()).values()].map((effect) => ({ ...effect, ...notificationOf(effect) }));
    migrated.sort((a, b) => (a.key < b.key ? -1 : 1));
    assert.deepEqual(
      migrated.map(({ id, status, attempts, lastError, subjectId }) => [id, status, attempts, lastError, subjectId]),
      [
        [ids[0], 'delivered', 2, null, findingId],
        [ids[1], 'pending', 1, 'away', findingId],
        [ids[2], 'skipped', 0, null, findingId],
        [ids[3], 'failed', 1, 'no', null],
      ],
    );
    assert.ok(migrated.every(({ ownerId }) => ownerId === agentId));
    const [first, second, , last] = migrated;
    assert.deepEqual(first?.delivered, { receipt: 'took it', thread: { ts: '1' } });
    assert.deepEqual(first?.channel, { type: 'slack', label: '#ops' });
    assert.deepEqual(second?.message, {
      event: 'resolved',
      sender: { id: agentId, title: 'Watch' },
      data: { agent: { id: agentId, title: 'Watch' }, finding: { id: findingId } },
      isOver: true,
      isBroadcast: false,
      severity: 'info',
      title: 't',
      text: 'x',
      links: [],
      at: 1,
    });
    assert.deepEqual(last?.message.data, { agent: { id: agentId, title: 'Watch' }, finding: null });

    await database.orm.migrator.down({ to: '20261122010000-effects' });
    assert.deepEqual(await execute('select * from monitoring_notifications order by key'), before);
  });

  it('API keys and sessions become credentials, with who made them, and come back', async () => {
    await database.orm.migrator.down({ to: '20261122010100-notifications' });
    const [maker, key, userId, agentId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const insert = `insert into api_keys (id, created_at, updated_at, team_id, name, prefix, hash, scopes, user_id, created_by_key_id)
      values (?, ?, ?, ?, 'A key', 'cb_', ?, '{team:read}', ?, ?)`;
    await execute(insert, [maker, ...base, 'hash of the maker', userId, null]);
    await execute(insert, [key, ...base, 'hash', null, maker]);
    await execute(
      `insert into monitoring_plan_versions (id, created_at, updated_at, team_id, agent_id, version, plan, reason, changed_by_key_id, changed_by_user_id)
       values (?, ?, ?, ?, ?, 1, '{}', '', ?, ?)`,
      [randomUUID(), ...base, agentId, key, userId],
    );
    const made = 'created_by_credential_id, created_by_user_id';

    await database.orm.migrator.up({ to: '20261122030000-credentials' });
    const creator = [{ created_by_credential_id: maker, created_by_user_id: userId }];
    assert.deepEqual(await execute(`select ${made} from credentials where id = ?`, [key]), creator);
    const versions = await execute(`select ${made} from monitoring_plan_versions where agent_id = ?`, [agentId]);
    assert.deepEqual(versions, [{ created_by_credential_id: key, created_by_user_id: userId }]);

    await database.orm.migrator.down({ to: '20261122010100-notifications' });
    const back = await execute(`select created_by_key_id from api_keys where id = ?`, [key]);
    assert.deepEqual(back, [{ created_by_key_id: maker }]);
    assert.equal(
      (await execute(`select 1 from monitoring_plan_versions where changed_by_key_id = ?`, [key])).length,
      1,
    );
    await database.orm.migrator.up({ to: '20261122030000-credentials' });
  });

  it('rows of parents that are gone go with them, and mentions of them are cleared', async () => {
    const before = '20261122030100-provenance';
    await database.orm.migrator.down({ to: before });
    const [team, chat, gone] = [randomUUID(), randomUUID(), randomUUID()];
    const now = new Date();
    const insert = async (table: string, columns: Record<string, unknown>): Promise<void> => {
      const row = { id: randomUUID(), created_at: now, updated_at: now, ...columns };
      const names = Object.keys(row).join(', ');
      const marks = Object.keys(row).map(() => '?');
      await execute(`insert into ${table} (${names}) values (${marks.join(', ')})`, Object.values(row));
    };
    await insert('teams', { id: team, name: 'Here' });
    await insert('chats', {
      id: chat,
      team_id: team,
      title: 't',
      titled_by: 'person',
      last_turn_at: now,
      investigation_id: gone,
    });
    for (const [id, of] of [
      [chat, team],
      [randomUUID(), gone],
    ] as const)
      await insert('conversations', { id, team_id: of, kind: 'chat' });
    for (const id of [chat, gone]) await insert('messages', { team_id: team, conversation_id: id, text: 'x' });
    await execute(`delete from teams where id = ?`, [gone]);

    await database.orm.migrator.up();
    assert.deepEqual(await execute('select id from conversations'), [{ id: chat }]);
    assert.deepEqual(await execute('select conversation_id from messages'), [{ conversation_id: chat }]);
    assert.deepEqual(await execute('select investigation_id from chats'), [{ investigation_id: null }]);
  });

  it('investigations, chat turns and instruction checks become runs with what was granted, and come back', async () => {
    await database.orm.migrator.down({ to: '20261122030100-provenance' });
    const [key, session, user, investigation, chat, turn, agent, check] = Array.from({ length: 8 }, () => randomUUID());
    const row = (table: string, values: Record<string, unknown>) => {
      const all = { id: randomUUID(), created_at: base[0], updated_at: base[1], team_id: teamId, ...values };
      const columns = Object.keys(all);
      const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
      return execute(sql, Object.values(all));
    };
    const credential = { name: 'x', prefix: 'x' };
    await row('credentials', { ...credential, id: key, kind: 'key', hash: 'a', scopes: '{monitoring:write}' });
    await row('credentials', { ...credential, id: session, kind: 'session', hash: 'b', scopes: null, user_id: user });
    await row('memberships', { user_id: user, role: 'member', name: 'Ada' });
    const asked = { query: 'Why?', status: 'failed', explanation: 'gone', idempotency_key: 'k' };
    await row('investigations', { id: investigation, ...asked, created_by_credential_id: session });
    const said = { chat_id: chat, number: 1, purpose: 'answer', question: 'Why?', first_step: 1, request_digest: 'd' };
    await row('chat_turns', { id: turn, ...said, status: 'processing', scopes: '{chats:write}', side_effects: true });
    const version = { agent_id: agent, version: 1, plan: '{"checks":[]}', reason: 'x' };
    await row('monitoring_plan_versions', { ...version, created_by_credential_id: key });
    await row('conversations', { id: check, kind: 'check', opening: 'Look.' });
    const looked = { agent_id: agent, check_id: 'c', check_type: 'instruction', title: 'c', plan_version: 1 };
    const when = { trigger: 'schedule', scheduled_at: base[0], started_at: base[0], finished_at: base[1] };
    await row('monitoring_sessions', { id: check, ...looked, ...when, status: 'finding' });

    await database.orm.migrator.up({ to: '20261122040000-runs' });
    // Not by entities: they have columns of later migrations.
    const runs = await execute('select * from runs order by kind');
    assert.deepEqual(
      runs.map((run) => [run.id, run.kind, run.conversation_id, run.status, run.idempotency_key, run.explanation]),
      [
        [investigation, 'investigation', investigation, 'failed', 'k', 'gone'],
        [turn, 'chat', chat, 'processing', null, null],
        [check, 'check', check, 'completed', null, null],
      ].toSorted((a, b) => (a[1]! < b[1]! ? -1 : 1)),
    );
    const granted = Object.fromEntries(runs.map(({ kind, scopes }) => [kind, scopes]));
    assert.deepEqual([granted['chat'], granted['check']], [['chats:write'], ['monitoring:write']]);
    assert.ok(granted['investigation']?.includes('satellites:query'));
    const digest = createHash('sha256').update('Why?').digest('base64url');
    assert.equal(runs.find(({ id }) => id === investigation)?.request_digest, digest);

    await database.orm.migrator.down({ to: '20261122030100-provenance' });
    const turns = await execute('select status, scopes, side_effects, request_digest from chat_turns');
    assert.deepEqual(turns, [
      { status: 'processing', scopes: ['chats:write'], side_effects: true, request_digest: 'd' },
    ]);
    assert.deepEqual(await execute('select explanation from investigations'), [{ explanation: 'gone' }]);
    await database.orm.migrator.up({ to: '20261122040000-runs' });
  });

  it('tokens of satellites become credentials, revoked with what they came from, and come back', async () => {
    await database.orm.migrator.down({ to: '20261122040000-runs' });
    const [maker, other, ofMaker, ofNobody] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const team = randomUUID();
    const row = [base[0], base[1], team];
    await execute(`insert into teams (id, created_at, updated_at, name) values (?, ?, ?, 'A team')`, [
      team,
      ...row.slice(0, 2),
    ]);
    await execute(
      `insert into credentials (id, created_at, updated_at, team_id, kind, name, prefix, hash, scopes, revoked_at)
       values (?, ?, ?, ?, 'key', 'A key', 'cb_', 'hash of the maker', '{team:admin}', ?)`,
      [maker, ...row, base[1]],
    );
    const insert = `insert into satellite_tokens (id, created_at, updated_at, team_id, name, prefix, hash, created_by_credential_id, expires_at)
      values (?, ?, ?, ?, 'A token', 'cbs_abc', ?, ?, ?)`;
    await execute(insert, [ofMaker, ...row, 'hash 1', maker, null]);
    await execute(insert, [ofNobody, ...row, 'hash 2', other, base[1]]);
    const columns = 'id, name, prefix, hash, expires_at, revoked_at, created_by_credential_id';

    await database.orm.migrator.up();
    const migrated = await execute(`select ${columns} from credentials where kind = 'satellite' order by hash`);
    const token = { name: 'A token', prefix: 'cbs_abc' };
    const at = '2026-01-01T00:00:05.000Z';
    const timeOf = (value: string | null) => value && new Date(value).toISOString();
    assert.deepEqual(
      migrated.map((one) => ({ ...one, expires_at: timeOf(one.expires_at), revoked_at: timeOf(one.revoked_at) })),
      [
        { ...token, id: ofMaker, hash: 'hash 1', expires_at: null, revoked_at: at, created_by_credential_id: maker },
        { ...token, id: ofNobody, hash: 'hash 2', expires_at: at, revoked_at: null, created_by_credential_id: null },
      ],
    );

    await database.orm.migrator.down({ to: '20261122040000-runs' });
    assert.deepEqual(await execute(`select ${columns} from satellite_tokens order by hash`), migrated);
    assert.equal((await execute(`select 1 from credentials`)).length, 1);

    // The next version's migration alters the table into which this one puts rows.
    class Next extends Migration {
      override up(): void {
        this.addSql('alter table "credentials" add column "next" text null;');
      }
    }
    migrations.push({ name: '29991231000000-next', class: Next });
    try {
      await migrate(database.url);
    } finally {
      migrations.pop();
    }
    assert.equal((await execute(`select "next" from credentials where kind = 'satellite'`)).length, 2);
  });
});
