import { Migration } from '@mikro-orm/migrations';

/** Teams connect code hosts. */
export class CodeHostsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "repositories" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "integration_id" uuid null, "host_id" text not null, "full_name" text not null, "default_branch" text not null, "clone_url" text not null, "web_url" text not null, "is_private" boolean not null, "is_archived" boolean not null, "webhook_id" text null, "head" text null, "wanted_at" timestamptz null, "synced_at" timestamptz null, "due_at" timestamptz not null, "error" text null, "size_bytes" bigint null, primary key ("id"));`,
    );
    this.addSql(`create index "repositories_team_id_index" on "repositories" ("team_id");`);
    this.addSql(`create index "repositories_team_id_full_name_index" on "repositories" ("team_id", "full_name");`);
    this.addSql(`create index "repositories_due_at_index" on "repositories" ("due_at");`);
    this.addSql(
      `alter table "repositories" add constraint "repositories_team_id_integration_id_host_id_unique" unique ("team_id", "integration_id", "host_id");`,
    );
    this.addSql(
      `alter table "repositories" add constraint "repositories_team_id_foreign" foreign key ("team_id") references "teams" ("id") deferrable initially deferred;`,
    );
    this.addSql(
      `alter table "repositories" add constraint "repositories_integration_id_foreign" foreign key ("integration_id") references "integrations" ("id") deferrable initially deferred;`,
    );
  }

  override down(): void {
    this.addSql('drop table "repositories";');
  }
}
