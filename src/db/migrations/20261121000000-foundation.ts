import { Migration } from '@mikro-orm/migrations';

/** Teams and their keys, conversations with their turns and tool calls, investigations. */
export class FoundationMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "api_keys" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "name" varchar(255) not null, "prefix" varchar(255) not null, "hash" varchar(255) not null, "scopes" text[] not null, "user_id" uuid null, "created_by_key_id" uuid null, "last_used_at" timestamptz null, "revoked_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "api_keys_team_id_index" on "api_keys" ("team_id");`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_hash_unique" unique ("hash");`);
    this.addSql(
      `create table "conversations" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "kind" text not null, "opening" text not null, "plan" jsonb not null default '[]', "result" jsonb null, primary key ("id"));`,
    );
    this.addSql(`create index "conversations_team_id_index" on "conversations" ("team_id");`);
    this.addSql(
      `create table "investigations" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "query" text not null, "status" text not null, "alert_summary" text null, "investigation_text" text null, "report" jsonb null, "limit_reached" text null, "explanation" text null, "idempotency_key" varchar(255) null, "created_by_key_id" uuid null, "created_by_user_id" uuid null, "rerun_of_id" uuid null, "started_at" timestamptz null, "finished_at" timestamptz null, "cancel_requested_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "investigations_team_id_index" on "investigations" ("team_id");`);
    this.addSql(
      `create index "investigations_team_id_created_at_id_index" on "investigations" ("team_id", "created_at", "id");`,
    );
    this.addSql(`create index "investigations_status_created_at_index" on "investigations" ("status", "created_at");`);
    this.addSql(
      `alter table "investigations" add constraint "investigations_team_id_idempotency_key_unique" unique ("team_id", "idempotency_key");`,
    );
    this.addSql(
      `alter table "investigations" add constraint "investigations_status_check" check ("status" in ('processing', 'completed', 'failed', 'cancelled'));`,
    );
    this.addSql(
      `create table "memberships" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "user_id" uuid not null, "role" text not null, primary key ("id"));`,
    );
    this.addSql(`create index "memberships_team_id_index" on "memberships" ("team_id");`);
    this.addSql(
      `alter table "memberships" add constraint "memberships_team_id_user_id_unique" unique ("team_id", "user_id");`,
    );
    this.addSql(
      `alter table "memberships" add constraint "memberships_role_check" check ("role" in ('admin', 'member'));`,
    );
    this.addSql(
      `create table "model_turns" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "conversation_id" uuid not null, "step" int not null, "note" text null, "content" jsonb not null, "stop_reason" text not null, "provider" text not null, "model" text not null, "input_tokens" int not null, "output_tokens" int not null, "cache_creation_input_tokens" int not null, "cache_read_input_tokens" int not null, "cost_usd" double precision not null, "attempt" int not null, "started_at" timestamptz not null, "finished_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "model_turns_team_id_index" on "model_turns" ("team_id");`);
    this.addSql(
      `alter table "model_turns" add constraint "model_turns_conversation_id_step_unique" unique ("conversation_id", "step");`,
    );
    this.addSql(
      `create table "teams" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "name" varchar(255) not null, primary key ("id"));`,
    );
    this.addSql(
      `create table "tool_calls" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "conversation_id" uuid not null, "step" int not null, "evidence" int not null, "tool_use_id" text not null, "name" text not null, "input" jsonb not null, "summary" text not null, "status" text not null, "is_error" boolean not null default false, "digest" text null, "view" text null, "content" text null, "bytes" int null, "sha256" text null, "started_at" timestamptz null, "finished_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "tool_calls_team_id_index" on "tool_calls" ("team_id");`);
    this.addSql(
      `alter table "tool_calls" add constraint "tool_calls_conversation_id_evidence_unique" unique ("conversation_id", "evidence");`,
    );
    this.addSql(
      `alter table "tool_calls" add constraint "tool_calls_status_check" check ("status" in ('pending', 'completed', 'cancelled'));`,
    );
    this.addSql(
      `create table "users" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "email" varchar(255) not null, "name" varchar(255) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "users" add constraint "users_email_unique" unique ("email");`);
    this.addSql(
      `create table "user_messages" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "conversation_id" uuid not null, "text" text not null, "delivered_step" int null, primary key ("id"));`,
    );
    this.addSql(`create index "user_messages_team_id_index" on "user_messages" ("team_id");`);
    this.addSql(
      `create index "user_messages_conversation_id_created_at_index" on "user_messages" ("conversation_id", "created_at");`,
    );
  }

  override down(): void {
    for (const table of [
      'api_keys',
      'conversations',
      'investigations',
      'memberships',
      'model_turns',
      'teams',
      'tool_calls',
      'users',
      'user_messages',
    ]) {
      this.addSql(`drop table if exists "${table}" cascade;`);
    }
  }
}
