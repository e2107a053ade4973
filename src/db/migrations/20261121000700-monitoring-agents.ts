import { Migration } from '@mikro-orm/migrations';

/** Monitoring agents: their plans, check results, findings and notifications. */
export class MonitoringAgentsMigration extends Migration {
  override up(): void {
    // Each check updates its agent's row: the free space keeps that within the page.
    this.addSql(
      `create table "monitoring_agents" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "title" text not null, "active" boolean not null default true, "revision" int not null default 1, "told_revision" int not null default 0, "plan_version" int not null, "channel" jsonb null, "eviction_hours" int not null default 72, "model_budget_usd_per_day" double precision not null default 5, "health" text not null default 'starting', "health_reasons" jsonb not null default '[]', "health_since" timestamptz not null, "last_result_at" timestamptz null, "next_due_at" timestamptz null, "silent_at" timestamptz null, "created_by_key_id" uuid null, "created_by_user_id" uuid null, "deleted_at" timestamptz null, primary key ("id")) with (fillfactor = 70);`,
    );
    this.addSql(`create index "monitoring_agents_team_id_index" on "monitoring_agents" ("team_id");`);
    this.addSql(
      `create table "monitoring_plan_versions" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "agent_id" uuid not null, "version" int not null, "plan" jsonb not null, "reason" text not null, "changed_by_key_id" uuid null, "changed_by_user_id" uuid null, "turn_id" uuid null, primary key ("id"));`,
    );
    this.addSql(`create index "monitoring_plan_versions_team_id_index" on "monitoring_plan_versions" ("team_id");`);
    this.addSql(
      `alter table "monitoring_plan_versions" add constraint "monitoring_plan_versions_agent_id_version_unique" unique ("agent_id", "version");`,
    );
    this.addSql(
      `create table "monitoring_sessions" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "agent_id" uuid not null, "check_id" text not null, "check_type" text not null, "title" text not null, "plan_version" int not null, "trigger" text not null, "status" text not null, "scheduled_at" timestamptz not null, "started_at" timestamptz not null, "finished_at" timestamptz null, "missed" int not null default 0, "summary" text null, "observations" jsonb not null default '[]', "evidence" jsonb not null default '[]', "cost_usd" double precision not null default 0, "input_tokens" int not null default 0, "output_tokens" int not null default 0, "model" text null, "budget_spent" boolean not null default false, primary key ("id"));`,
    );
    this.addSql(`create index "monitoring_sessions_team_id_index" on "monitoring_sessions" ("team_id");`);
    this.addSql(
      `create index "monitoring_sessions_agent_id_started_at_id_index" on "monitoring_sessions" ("agent_id", "started_at", "id");`,
    );
    this.addSql(
      `create index "monitoring_sessions_agent_id_check_id_started_at_index" on "monitoring_sessions" ("agent_id", "check_id", "started_at");`,
    );
    this.addSql(
      `alter table "monitoring_sessions" add constraint "monitoring_sessions_trigger_check" check ("trigger" in ('schedule', 'now', 'deploy', 'alert'));`,
    );
    this.addSql(
      `alter table "monitoring_sessions" add constraint "monitoring_sessions_status_check" check ("status" in ('running', 'ok', 'finding', 'failed', 'cancelled'));`,
    );
    this.addSql(
      `create table "monitoring_findings" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "agent_id" uuid null, "dedup_key" text not null, "origin" text not null, "opened_at" timestamptz null, "status" text not null, "title" text not null, "summary" text not null, "severity" text not null, "service" text null, "actions" jsonb not null, "judge" boolean not null default false, "judgement" jsonb null, "sources" jsonb not null, "evidence" jsonb not null default '[]', "details" jsonb not null default '{}', "cool_down_seconds" int not null, "last_seen_at" timestamptz not null, "resolved_at" timestamptz null, "closed_at" timestamptz null, "occurrences" int not null default 1, "opens" jsonb not null default '[]', "is_flapping" boolean not null default false, "investigation_id" uuid null, "revision" int not null default 1, "told_revision" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`create index "monitoring_findings_team_id_index" on "monitoring_findings" ("team_id");`);
    this.addSql(
      `create index "monitoring_findings_agent_id_opened_at_id_index" on "monitoring_findings" ("agent_id", "opened_at", "id");`,
    );
    this.addSql(
      `create index "monitoring_findings_status_updated_at_index" on "monitoring_findings" ("status", "updated_at");`,
    );
    this.addSql(
      `create unique index "monitoring_findings_one_at_a_time_index" on "monitoring_findings" ("team_id", coalesce("agent_id", '00000000-0000-0000-0000-000000000000'::uuid), "dedup_key") where "status" <> 'closed';`,
    );
    this.addSql(
      `alter table "monitoring_findings" add constraint "monitoring_findings_origin_check" check ("origin" in ('check', 'health', 'alert'));`,
    );
    this.addSql(
      `alter table "monitoring_findings" add constraint "monitoring_findings_status_check" check ("status" in ('pending', 'open', 'resolved', 'closed'));`,
    );
    this.addSql(
      `alter table "monitoring_findings" add constraint "monitoring_findings_severity_check" check ("severity" in ('info', 'warning', 'critical'));`,
    );
    this.addSql(
      `create table "monitoring_notifications" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "agent_id" uuid not null, "finding_id" uuid null, "key" text not null, "event" text not null, "channel_type" text null, "channel_label" text null, "status" text not null, "message" jsonb not null, "attempts" int not null default 0, "last_error" text null, "receipt" text null, "thread" jsonb null, "delivered_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "monitoring_notifications_team_id_index" on "monitoring_notifications" ("team_id");`);
    this.addSql(
      `create index "monitoring_notifications_finding_id_created_at_index" on "monitoring_notifications" ("finding_id", "created_at");`,
    );
    this.addSql(
      `create index "monitoring_notifications_agent_id_created_at_index" on "monitoring_notifications" ("agent_id", "created_at");`,
    );
    this.addSql(
      `alter table "monitoring_notifications" add constraint "monitoring_notifications_team_id_key_unique" unique ("team_id", "key");`,
    );
    this.addSql(
      `alter table "monitoring_notifications" add constraint "monitoring_notifications_status_check" check ("status" in ('pending', 'delivered', 'failed', 'skipped'));`,
    );
    this.addSql(
      `alter table "monitoring_agents" add constraint "monitoring_agents_health_check" check ("health" in ('starting', 'healthy', 'degraded'));`,
    );
    this.addSql(`alter table "chats" add "is_monitoring" boolean not null default false;`);
    this.addSql(`alter table "chat_turns" drop constraint "chat_turns_purpose_check";`);
    this.addSql(
      `alter table "chat_turns" add constraint "chat_turns_purpose_check" check ("purpose" in ('answer', 'chart', 'edit', 'monitor'));`,
    );
  }

  override down(): void {
    this.addSql(`delete from "chat_turns" where "purpose" = 'monitor';`);
    this.addSql(`alter table "chat_turns" drop constraint "chat_turns_purpose_check";`);
    this.addSql(
      `alter table "chat_turns" add constraint "chat_turns_purpose_check" check ("purpose" in ('answer', 'chart', 'edit'));`,
    );
    this.addSql(`alter table "chats" drop column "is_monitoring";`);
    for (const table of ['notifications', 'findings', 'sessions', 'plan_versions', 'agents'])
      this.addSql(`drop table if exists "monitoring_${table}" cascade;`);
  }
}
