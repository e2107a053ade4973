import { Migration } from '@mikro-orm/migrations';

/** Chats and their turns; messages of both sides; what compacting and closing a conversation needs; auxiliary model calls. */
export class ChatsMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "user_messages" rename to "messages";`);
    this.addSql(`alter index "user_messages_pkey" rename to "messages_pkey";`);
    this.addSql(`alter index "user_messages_team_id_index" rename to "messages_team_id_index";`);
    this.addSql(
      `alter index "user_messages_conversation_id_created_at_index" rename to "messages_conversation_id_created_at_index";`,
    );
    this.addSql(
      `create table "auxiliary_calls" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "conversation_id" uuid not null, "purpose" text not null, "key" text not null, "text" text not null, "stop_reason" text not null, "provider" text not null, "model" text not null, "input_tokens" int not null, "output_tokens" int not null, "cache_creation_input_tokens" int not null, "cache_read_input_tokens" int not null, "cost_usd" double precision not null, primary key ("id"));`,
    );
    this.addSql(`create index "auxiliary_calls_team_id_index" on "auxiliary_calls" ("team_id");`);
    this.addSql(
      `alter table "auxiliary_calls" add constraint "auxiliary_calls_conversation_id_purpose_key_unique" unique ("conversation_id", "purpose", "key");`,
    );
    this.addSql(
      `create table "chats" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "title" text not null, "titled_by" text not null, "created_by_key_id" uuid null, "created_by_user_id" uuid null, "investigation_id" uuid null, "side_effects_allowed" boolean not null default false, "last_turn_at" timestamptz not null, "deleted_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "chats_team_id_index" on "chats" ("team_id");`);
    this.addSql(`create index "chats_team_id_last_turn_at_id_index" on "chats" ("team_id", "last_turn_at", "id");`);
    this.addSql(
      `create index "chats_created_by_user_id_last_turn_at_id_index" on "chats" ("created_by_user_id", "last_turn_at", "id");`,
    );
    this.addSql(
      `create index "chats_created_by_key_id_last_turn_at_id_index" on "chats" ("created_by_key_id", "last_turn_at", "id");`,
    );
    this.addSql(`create index "chats_deleted_index" on "chats" ("deleted_at") where "deleted_at" is not null;`);
    this.addSql(`create index "chats_title_search_index" on "chats" using gin (to_tsvector('simple', "title"));`);
    this.addSql(
      `create table "chat_turns" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "chat_id" uuid not null, "number" int not null, "purpose" text not null, "status" text not null, "question" text not null, "model" text null, "system_prompt" text null, "mode" text null, "scopes" text[] not null, "side_effects" boolean not null default false, "first_step" int not null, "last_step" int null, "context_tokens" int not null default 0, "wants_title" boolean not null default false, "text" text null, "citations" jsonb not null default '[]', "outcome" jsonb null, "limit_reached" text null, "explanation" text null, "idempotency_key" varchar(255) null, "request_digest" text not null, "created_by_key_id" uuid null, "created_by_user_id" uuid null, "search_text" text not null default '', "started_at" timestamptz null, "finished_at" timestamptz null, "cancel_requested_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "chat_turns_team_id_index" on "chat_turns" ("team_id");`);
    this.addSql(`create index "chat_turns_status_created_at_index" on "chat_turns" ("status", "created_at");`);
    this.addSql(
      `create index "chat_turns_search_index" on "chat_turns" using gin (to_tsvector('simple', "search_text"));`,
    );
    this.addSql(
      `create unique index "chat_turns_one_running_index" on "chat_turns" ("chat_id") where "status" = 'processing';`,
    );
    this.addSql(
      `alter table "chat_turns" add constraint "chat_turns_chat_id_number_unique" unique ("chat_id", "number");`,
    );
    this.addSql(
      `alter table "chat_turns" add constraint "chat_turns_team_id_idempotency_key_unique" unique ("team_id", "idempotency_key");`,
    );
    this.addSql(
      `alter table "conversations" add "summary" text null, add "summary_through_step" int not null default 0, add "closed_through_step" int not null default 0, add "context_tokens" int not null default 0;`,
    );
    this.addSql(`alter table "conversations" alter column "opening" drop not null;`);
    this.addSql(
      `alter table "messages" add "role" text not null default 'user', add "context" text null, add "position" int not null default 0;`,
    );
    this.addSql(`alter table "messages" add constraint "messages_role_check" check ("role" in ('user', 'assistant'));`);
    this.addSql(
      `alter table "chats" add constraint "chats_titled_by_check" check ("titled_by" in ('question', 'model', 'person'));`,
    );
    this.addSql(
      `alter table "chat_turns" add constraint "chat_turns_purpose_check" check ("purpose" in ('answer', 'chart', 'edit'));`,
    );
    this.addSql(
      `alter table "chat_turns" add constraint "chat_turns_status_check" check ("status" in ('processing', 'completed', 'failed', 'cancelled'));`,
    );
    this.addSql(
      `alter table "chat_turns" add constraint "chat_turns_mode_check" check ("mode" in ('apply', 'propose'));`,
    );
  }

  override down(): void {
    for (const table of ['auxiliary_calls', 'chats', 'chat_turns'])
      this.addSql(`drop table if exists "${table}" cascade;`);
    this.addSql(`alter table "conversations" drop column "summary", drop column "summary_through_step";`);
    this.addSql(`alter table "conversations" drop column "closed_through_step", drop column "context_tokens";`);
    this.addSql(`update "conversations" set "opening" = '' where "opening" is null;`);
    this.addSql(`alter table "conversations" alter column "opening" set not null;`);
    this.addSql(`alter table "messages" drop column "role", drop column "context", drop column "position";`);
    this.addSql(`alter table "messages" rename to "user_messages";`);
    this.addSql(`alter index "messages_pkey" rename to "user_messages_pkey";`);
    this.addSql(`alter index "messages_team_id_index" rename to "user_messages_team_id_index";`);
    this.addSql(
      `alter index "messages_conversation_id_created_at_index" rename to "user_messages_conversation_id_created_at_index";`,
    );
  }
}
