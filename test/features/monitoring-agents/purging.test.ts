/** What an agent has stored is deleted in parts, and whoever comes after one that was killed ends the deletion. */
import assert from 'node:assert/strict';
import { Effect } from '../../../src/features/effects/index.ts';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import {
  Finding,
  MonitoringAgent,
  MonitoringPlanVersion,
  MonitoringSession,
} from '../../../src/features/monitoring-agents/entities.ts';
import type { FindingLauncher } from '../../../src/features/monitoring-agents/findings/index.ts';
import { purgeAgent } from '../../../src/features/monitoring-agents/index.ts';
import { Plan } from '../../../src/features/monitoring-agents/plan/schema.ts';
import { conversationStream } from '../../../src/features/runs/index.ts';
import { AuxiliaryCall, Conversation, Message } from '../../../src/features/transcripts/index.ts';
import { createGitWorkspaces, createWorkspaceDrafts } from '../../../src/features/workspace/index.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { cutShort } from '../../support/cut-short.ts';
import { startDatabaseWithEvents, type DatabaseWithEvents } from '../../support/database-with-events.ts';
import { storeAgent, type StoredAgent } from './findings/support.ts';
import { message } from '../notifications/delivery.ts';
import { findingRow, sessionRow } from './rows.ts';

/** More than are deleted in one transaction. */
const MANY = 130;
const MAX_AT_ONCE = 100;

describe('purging a monitoring agent', () => {
  let given: DatabaseWithEvents;
  /** Findings whose workflows were told. */
  let told: string[];
  before(async () => {
    given = await startDatabaseWithEvents();
  });
  after(() => given?.stop());
  beforeEach(() => (told = []));

  const purge = ({ id: agentId, teamId }: StoredAgent): Promise<void> => {
    const { orm } = given.database;
    const drafts = createWorkspaceDrafts({ orm, workspaces: createGitWorkspaces({ directory: '/nonexistent' }) });
    const launcher: FindingLauncher = {
      notify: async ({ id }) => void told.push(id),
      state: () => assert.fail('nothing else is asked'),
    };
    const findings = { orm, log: createLogger({ name: 'test', level: 'silent' }), launcher };
    return purgeAgent({ orm, events: given.events, drafts, findings }, { agentId, teamId });
  };

  it('resumes after a kill: deleted rows stay deleted, and the mark is removed last', async () => {
    const agent = await storeDeleted();
    const { id, sessions } = agent;
    const all = await left(agent);
    const sessionsGone = { ...all, sessions: 0, conversations: 0, messages: 0, events: 0 };
    const at = (table: string, where: string) =>
      cutShort(given.database, `select 1 from ${table} where ${where}`, () => purge(agent));

    await at('messages', `conversation_id = '${sessions[0]}'`);
    const begun = await left(agent);
    const { conversations, messages } = begun;
    assert.ok(conversations! < all['conversations']!);
    // A few sessions at a time, and the others are as they were.
    assert.deepEqual(begun, { ...all, sessions: begun['sessions'], conversations, events: conversations, messages });
    assert.ok(messages! > 0);
    await at('effects', `owner_id = '${id}'`);
    assert.deepEqual(await left(agent), sessionsGone);
    assert.deepEqual(told, []);
    await at('monitoring_findings', `agent_id = '${id}'`);
    const later = { ...sessionsGone, notifications: 0, judgements: 0 };
    assert.deepEqual(await left(agent), later);
    await at('monitoring_plan_versions', `agent_id = '${id}'`);
    assert.deepEqual(await left(agent), { ...later, findings: 0 });
    await at('monitoring_agents', `id = '${id}'`);
    assert.deepEqual(await left(agent), { ...later, findings: 0, plans: 0 });
    await purge(agent);
    assert.deepEqual(
      Object.values(await left(agent)),
      Object.values(all).map(() => 0),
    );
    assert.equal(new Set(told).size, MANY, 'each was told before it went');
  });

  it('deletes few rows in one transaction', async () => {
    const agent = await storeDeleted();
    const tables = ['monitoring_sessions', 'messages', 'monitoring_findings', 'auxiliary_calls', 'effects'];
    const em = given.database.orm.em.fork();
    await em.execute(`
      create table noted (name text, id bigint, rows integer);
      create function note() returns trigger language plpgsql as $$ begin
        insert into noted select tg_table_name, txid_current(), count(*) from gone;
        return null;
      end $$`);
    for (const table of tables)
      await em.execute(
        `create trigger note after delete on ${table} referencing old table as gone for each statement execute function note()`,
      );
    await purge(agent);
    for (const table of tables) {
      const noted = await em.execute<{ rows: number }[]>(
        'select sum(rows)::int as rows from noted where name = ? group by id having sum(rows) > 0 order by id',
        [table],
      );
      const parts = noted.map(({ rows }) => rows);
      assert.ok(Math.max(...parts) <= MAX_AT_ONCE, `${table}: ${parts.join(', ')}`);
      assert.equal(
        parts.reduce((sum, rows) => sum + rows, 0),
        MANY,
        table,
      );
    }
    assert.deepEqual(
      Object.values(await left(agent)).filter((n) => n > 0),
      [],
    );
  });

  interface Deleted extends StoredAgent {
    sessions: string[];
    findings: string[];
  }

  async function storeDeleted(): Promise<Deleted> {
    const agent = await storeAgent(given.database.orm, { deletedAt: new Date() });
    const { id: agentId, teamId } = agent;
    const rows = forTeam(given.database.orm.em, teamId);
    const [sessions, findings] = [
      Array.from({ length: MANY }, () => randomUUID()),
      Array.from({ length: MANY }, () => randomUUID()),
    ];
    const nobody = { createdByCredentialId: null, createdByUserId: null, turnId: null, scopes: [] };
    rows.create(MonitoringPlanVersion, {
      teamId,
      agentId,
      version: 1,
      plan: Plan.parse({}),
      reason: 'test',
      ...nobody,
    });
    for (const id of sessions) {
      rows.create(MonitoringSession, { ...sessionRow(agent, new Date()), id });
      rows.create(Conversation, { id, teamId, kind: 'monitoring', opening: 'Look.', summary: null, result: null });
      rows.create(Message, { teamId, conversationId: id, text: 'Look.', context: null, deliveredStep: 1 });
    }
    for (const id of findings) {
      rows.create(Finding, { ...findingRow(agent), id, dedupKey: `look/${id}`, signalledRevision: 1 });
      rows.create(AuxiliaryCall, judgementOf(id, agent));
      rows.create(Effect, notificationOf(id, agent));
    }
    await rows.flush();
    await Promise.all(sessions.map((id) => given.events.append(conversationStream(id), [{ type: 'x', data: {} }])));
    return { ...agent, sessions, findings };
  }

  async function left({ id, teamId, sessions, findings }: Deleted): Promise<Record<string, number>> {
    const em = () => forTeam(given.database.orm.em, teamId);
    const events = await Promise.all(sessions.map((session) => given.events.read(conversationStream(session))));
    return {
      agents: await em().count(MonitoringAgent, { id }, { filters: { present: false } }),
      plans: await em().count(MonitoringPlanVersion, { agentId: id }),
      sessions: await em().count(MonitoringSession, { agentId: id }),
      conversations: await em().count(Conversation, { id: { $in: sessions } }),
      messages: await em().count(Message, { conversationId: { $in: sessions } }),
      events: events.flat().length,
      findings: await em().count(Finding, { agentId: id }),
      judgements: await em().count(AuxiliaryCall, { conversationId: { $in: findings } }),
      notifications: await em().count(Effect, { ownerId: id }),
    };
  }
});

const judgementOf = (conversationId: string, { teamId }: StoredAgent) => ({
  teamId,
  conversationId,
  purpose: 'judgement',
  key: '1',
  text: '{}',
  stopReason: 'end_turn',
  provider: 'test',
  model: 'test',
  inputTokens: 1,
  outputTokens: 1,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
  costUsd: 0,
});

const notificationOf = (subjectId: string, { id: ownerId, teamId }: StoredAgent) => ({
  teamId,
  kind: 'notification',
  key: randomUUID(),
  payload: message(),
  status: 'skipped' as const,
  ownerId,
  subjectId,
  target: null,
  receipt: null,
  lastError: null,
  leasedUntil: null,
  finishedAt: null,
  expiresAt: null,
});
