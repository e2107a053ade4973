import { Migration } from '@mikro-orm/migrations';

/**
 * What outside systems notified agents of: repeating the report of a deploy, an alert or a request starts nothing new.
 */
export class MonitoringTriggersMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "monitoring_triggers" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "key" text not null, "kind" text not null, "trigger_id" uuid not null, "digest" text not null, "details" jsonb not null default '{}', "received_at" timestamptz not null, "told" jsonb null, primary key ("id"));`,
    );
    this.addSql(`create index "monitoring_triggers_team_id_index" on "monitoring_triggers" ("team_id");`);
    this.addSql(`create index "monitoring_triggers_received_at_index" on "monitoring_triggers" ("received_at");`);
    this.addSql(
      `alter table "monitoring_triggers" add constraint "monitoring_triggers_team_id_key_unique" unique ("team_id", "key");`,
    );
    this.addSql(
      `alter table "monitoring_triggers" add constraint "monitoring_triggers_kind_check" check ("kind" in ('alert', 'deploy', 'check_now'));`,
    );
  }

  override down(): void {
    this.addSql('drop table "monitoring_triggers"');
  }
}
