/** What was said in a chat is deleted in parts, and whoever comes after one that was killed ends the deletion. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Chat, ChatTurn, purgeChat } from '../../../src/features/chats/index.ts';
import { runStream, newRun } from '../../../src/features/runs/index.ts';
import { Conversation, ToolCall } from '../../../src/features/transcripts/index.ts';
import { createGitWorkspaces, createWorkspaceDrafts } from '../../../src/features/workspace/index.ts';
import { cutShort } from '../../support/cut-short.ts';
import { startDatabaseWithEvents, type DatabaseWithEvents } from '../../support/database-with-events.ts';
import { createChatRows } from './rows.ts';

const CALLS = 250;
const MAX_AT_ONCE = 100;

describe('purging a chat', () => {
  let given: DatabaseWithEvents;
  before(async () => {
    given = await startDatabaseWithEvents();
  });
  after(() => given?.stop());

  const teamId = randomUUID();
  const em = () => forTeam(given.database.orm.em, teamId);
  const purge = (chat: { id: string; teamId: string }) => {
    const workspaces = createGitWorkspaces({ directory: '/nonexistent' });
    const drafts = createWorkspaceDrafts({ orm: given.database.orm, workspaces });
    return purgeChat({ events: given.events, drafts }, em(), chat);
  };
  /** A deleted chat with one turn, in which very many tools were called. */
  const storeChat = async () => {
    const [id, turnId] = [randomUUID(), randomUUID()];
    const rows = em();
    createChatRows(rows, teamId, id, { deletedAt: new Date() });
    rows.create(ChatTurn, {
      id: turnId,
      ...newRun('chat', id, { teamId, scopes: [] }),
      chatId: id,
      number: 1,
      purpose: 'answer',
      status: 'completed',
      question: 'Why?',
      firstStep: 1,
      citations: [],
    });
    for (let evidence = 1; evidence <= CALLS; evidence++) rows.create(ToolCall, callOf(teamId, id, evidence));
    await rows.flush();
    await given.events.append(runStream({ conversationId: id, runId: turnId }), [{ type: 'x', data: {} }]);
    return { id, teamId, turnId };
  };
  const left = async ({ id, turnId }: { id: string; turnId: string }) => ({
    chats: await em().count(Chat, { id }, { filters: { present: false } }),
    turns: await em().count(ChatTurn, { chatId: id }),
    conversations: await em().count(Conversation, { id }),
    calls: await em().count(ToolCall, { conversationId: id }),
    events: (await given.events.read(runStream({ conversationId: id, runId: turnId }))).length,
  });
  const nothing = { chats: 0, turns: 0, conversations: 0, calls: 0, events: 0 };

  it('resumes after a kill: deleted rows stay deleted, and the mark is removed last', async () => {
    const [chat, other] = [await storeChat(), await storeChat()];
    await cutShort(given.database, `select 1 from chat_turns where id = '${chat.turnId}'`, () => purge(chat));
    assert.deepEqual(await left(chat), { ...nothing, chats: 1, turns: 1, calls: CALLS });
    await cutShort(given.database, `select 1 from tool_calls where conversation_id = '${chat.id}'`, () => purge(chat));
    assert.deepEqual(await left(chat), { ...nothing, chats: 1, calls: CALLS });
    await cutShort(given.database, `select 1 from chats where id = '${chat.id}'`, () => purge(chat));
    assert.deepEqual(await left(chat), { ...nothing, chats: 1 });
    await purge(chat);
    assert.deepEqual(await left(chat), nothing);
    assert.deepEqual(await left(other), { chats: 1, turns: 1, conversations: 1, calls: CALLS, events: 1 });
  });

  it('deletes few rows in one transaction', async () => {
    const chat = await storeChat();
    await given.database.orm.em.fork().execute(`
      create table noted (id bigint, rows integer);
      create function note() returns trigger language plpgsql as $$ begin
        insert into noted select txid_current(), count(*) from gone;
        return null;
      end $$;
      create trigger note after delete on tool_calls referencing old table as gone
        for each statement execute function note()`);
    await purge(chat);
    const noted = await given.database.orm.em
      .fork()
      .execute<{ rows: number }[]>('select sum(rows)::int as rows from noted group by id order by id');
    assert.deepEqual(
      noted.map(({ rows }) => rows),
      [MAX_AT_ONCE, MAX_AT_ONCE, CALLS - 2 * MAX_AT_ONCE],
    );
    assert.deepEqual(await left(chat), nothing);
  });
});

const callOf = (teamId: string, conversationId: string, evidence: number) => ({
  teamId,
  conversationId,
  step: evidence,
  evidence,
  toolUseId: `use-${evidence}`,
  name: 'search_logs',
  input: {},
  summary: 'Looks.',
  status: 'completed' as const,
  digest: 'nothing',
  view: null,
  content: 'nothing',
  bytes: 7,
  sha256: null,
  startedAt: null,
  finishedAt: null,
});
