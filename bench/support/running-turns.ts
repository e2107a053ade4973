import type { Client } from 'pg';

export interface RunningTurn {
  chatId: string;
  turnId: string;
}

const TURNS = `
  with chat as (
    insert into chats (id, created_at, updated_at, team_id, title, titled_by, last_turn_at)
    select gen_random_uuid(), now(), now(), $1, 'A chat', 'model', now() from generate_series(1, $2)
    returning id
  ), conversation as (
    insert into conversations (id, created_at, updated_at, team_id, kind)
    select id, now(), now(), $1, 'chat' from chat
    returning id
  ), run as (
    insert into runs (id, created_at, updated_at, team_id, kind, conversation_id, status, scopes, started_at)
    select gen_random_uuid(), now(), now(), $1, 'chat', id, 'processing', '{}', now() from conversation
    returning id, conversation_id
  )
  insert into chat_turns (id, chat_id, number, purpose, question, first_step)
  select id, conversation_id, 1, 'answer', 'Is anything broken?', 1 from run
  returning id as "turnId", chat_id as "chatId"`;

/** Commits chats whose first turn counts as running, though nothing executes it: followers wait for the log. */
export async function commitRunningTurns(database: Client, teamId: string, count: number): Promise<RunningTurn[]> {
  return (await database.query<RunningTurn>(TURNS, [teamId, count])).rows;
}
