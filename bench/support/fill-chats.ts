import type { Client } from 'pg';

/** Whose chats they are. */
export interface ChatOwner {
  teamId: string;
  credentialId: string;
  userId: string | null;
}

/** Every third chat is the caller's own; the others are somebody else's. In no order on disk, as after years of use. */
const CHATS = `
  insert into chats (id, created_at, updated_at, team_id, title, titled_by, created_by_credential_id, created_by_user_id,
    investigation_id, last_turn_at, deleted_at)
  select gen_random_uuid(), at, at, $1::uuid, 'Why is service ' || n || ' slow?', 'model',
    case n % 3 when 0 then $2::uuid else $1::uuid end, case n % 3 when 0 then $3::uuid else $1::uuid end, null, at, null
  from generate_series(1, $4) as n, lateral (select now() - n * interval '37 seconds' as at) as moment
  order by random()`;

/** One ended turn for each chat: forty words out of two thousand, one that all have, and one that thirty chats have. */
const TURNS = `
  with conversation as (
    insert into conversations (id, created_at, updated_at, team_id, kind)
    select id, created_at, created_at, team_id, 'chat' from chats where team_id = $1
    returning id, created_at, team_id
  ), run as (
    insert into runs (id, created_at, updated_at, team_id, kind, conversation_id, status, scopes, started_at, finished_at)
    select gen_random_uuid(), created_at, created_at, team_id, 'chat', id, 'completed', '{}', created_at, created_at
    from conversation
    returning id, conversation_id
  )
  insert into chat_turns (id, chat_id, number, purpose, question, first_step, last_step, text, search_text)
  select run.id, chat.id, 1, 'answer', title, 1, 1, words, title || ' ' || words
  from (select *, row_number() over (order by last_turn_at desc) as n from chats where team_id = $1) as chat join run on run.conversation_id = chat.id,
    lateral (select 'everywhere ' || case when n <= 30 then 'needle ' else '' end || string_agg('word' || (random() * 2000)::int, ' ') as words
      from generate_series(1, 40) where n > 0) as said`;

/** Gives a team so many chats with one turn each, without the product's help. */
export async function fillChats(
  database: Client,
  { teamId, credentialId, userId }: ChatOwner,
  count: number,
): Promise<void> {
  await database.query(CHATS, [teamId, credentialId, userId, count]);
  await database.query(TURNS, [teamId]);
}
