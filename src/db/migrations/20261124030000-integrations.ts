import { Migration } from '@mikro-orm/migrations';

/** Teams connect systems of their own. */
export class IntegrationsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "integrations" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "created_by_credential_id" uuid null, "created_by_user_id" uuid null, "family" text not null, "name" text not null, "slug" text not null, "enabled" boolean not null default true, "status" text not null, "status_since" timestamptz not null, "error" text null, "settings" jsonb not null, "sealed" text not null, "pending" text null, "via" text null, "revision" int not null default 1, "found" jsonb not null, "tools" jsonb null, "checked_at" timestamptz null, "due_at" timestamptz not null, "last_used_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "integrations_team_id_index" on "integrations" ("team_id");`);
    this.addSql(`create index "integrations_due_at_index" on "integrations" ("due_at");`);
    this.addSql(
      `alter table "integrations" add constraint "integrations_team_id_slug_unique" unique ("team_id", "slug");`,
    );
    this.addSql(
      `alter table "integrations" add constraint "integrations_family_check" check ("family" in ('apm-a', 'sql-db', 'analytics-db', 'cloud-monitor-a', 'cloud-b', 'cloud-b-official', 'edge-a', 'mcp'));`,
    );
    this.addSql(
      `alter table "integrations" add constraint "integrations_status_check" check ("status" in ('pending', 'select_account', 'connected', 'failing', 'needs_reconnect'));`,
    );
    this.addSql(
      `alter table "integrations" add constraint "integrations_team_id_foreign" foreign key ("team_id") references "teams" ("id") deferrable initially deferred;`,
    );
    this.addSql(
      `create table "integration_alerts" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "channel" jsonb not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "integration_alerts" add constraint "integration_alerts_team_id_unique" unique ("team_id");`,
    );
    this.addSql(
      `alter table "integration_alerts" add constraint "integration_alerts_team_id_foreign" foreign key ("team_id") references "teams" ("id") deferrable initially deferred;`,
    );
  }

  override down(): void {
    this.addSql('drop table "integration_alerts";');
    this.addSql('drop table "integrations";');
  }
}
