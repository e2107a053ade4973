import { Migration } from '@mikro-orm/migrations';

/**
 * A single ledger of side effects: notifications from outside to agents, and the tool calls that are in a draft, move
 * there.
 */
export class EffectsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "effects" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "kind" text not null, "key" text not null, "digest" text not null default '', "payload" jsonb null, "status" text not null, "target" jsonb null, "receipt" jsonb null, "attempts" int not null default 0, "last_error" text null, "leased_until" timestamptz null, "finished_at" timestamptz null, "owner_id" uuid null, "expires_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "effects_team_id_index" on "effects" ("team_id");`);
    this.addSql(`create index "effects_owner_id_created_at_index" on "effects" ("owner_id", "created_at");`);
    this.addSql(`create index "effects_expires_at_index" on "effects" ("expires_at") where "expires_at" is not null;`);
    this.addSql(`alter table "effects" add constraint "effects_team_id_key_unique" unique ("team_id", "key");`);
    this.addSql(
      `alter table "effects" add constraint "effects_status_check" check ("status" in ('pending', 'done', 'failed', 'skipped'));`,
    );
    // Agents know a trigger by its id, which becomes the effect's; several alerts share one.
    this.addSql(
      `insert into effects (id, created_at, updated_at, team_id, kind, key, digest, status, receipt, attempts, finished_at, expires_at)
       select case kind when 'alert' then id else trigger_id end, created_at, updated_at, team_id, 'trigger', 'trigger:' || key, digest,
              case when told is null then 'pending' else 'done' end, told, case when told is null then 0 else 1 end,
              case when told is null then null else updated_at end,
              received_at + case kind when 'deploy' then interval '10 minutes' else interval '7 days' end
         from monitoring_triggers;`,
    );
    this.addSql(`drop table "monitoring_triggers";`);
    this.addSql(
      `insert into effects (id, created_at, updated_at, team_id, kind, key, status, receipt, attempts, finished_at, owner_id)
       select id, created_at, updated_at, team_id, 'workspace_change', 'workspace_change:' || draft_id || ':' || tool_call_id,
              'done', result, 1, created_at, draft_id
         from workspace_draft_calls;`,
    );
    this.addSql(`drop table "workspace_draft_calls";`);
  }

  override down(): void {
    this.addSql(
      `create table "workspace_draft_calls" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "draft_id" uuid not null, "tool_call_id" uuid not null, "result" jsonb not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "workspace_draft_calls" add constraint "workspace_draft_calls_draft_id_tool_call_id_unique" unique ("draft_id", "tool_call_id");`,
    );
    this.addSql(`create index "workspace_draft_calls_team_id_index" on "workspace_draft_calls" ("team_id");`);
    this.addSql(
      `insert into workspace_draft_calls (id, created_at, updated_at, team_id, draft_id, tool_call_id, result)
       select id, created_at, updated_at, team_id, owner_id, split_part(key, ':', 3)::uuid, receipt
         from effects where kind = 'workspace_change';`,
    );
    this.addSql(
      `create table "monitoring_triggers" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "key" text not null, "kind" text not null, "trigger_id" uuid not null, "digest" text not null, "details" jsonb not null default '{}', "received_at" timestamptz not null, "told" jsonb null, primary key ("id"));`,
    );
    this.addSql(`create index "monitoring_triggers_team_id_index" on "monitoring_triggers" ("team_id");`);
    this.addSql(`create index "monitoring_triggers_received_at_index" on "monitoring_triggers" ("received_at");`);
    this.addSql(
      `alter table "monitoring_triggers" add constraint "monitoring_triggers_team_id_key_unique" unique ("team_id", "key");`,
    );
    this.addSql(
      `insert into monitoring_triggers (id, created_at, updated_at, team_id, key, kind, trigger_id, digest, received_at, told)
       select id, created_at, updated_at, team_id, substr(key, 9),
              case when key like 'trigger:alert/%' then 'alert' when key like 'trigger:check_now/%' then 'check_now' else 'deploy' end,
              id, digest, created_at, receipt
         from effects where kind = 'trigger';`,
    );
    this.addSql(
      `alter table "monitoring_triggers" add constraint "monitoring_triggers_kind_check" check ("kind" in ('alert', 'deploy', 'check_now'));`,
    );
    this.addSql('drop table "effects"');
  }
}
