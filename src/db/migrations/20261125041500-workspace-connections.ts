import { Migration } from '@mikro-orm/migrations';

/** Which API nodes hold a team's sockets. */
export class WorkspaceConnectionsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "workspace_connections" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "node" uuid not null, "sockets" int not null, "seen_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "workspace_connections_team_id_index" on "workspace_connections" ("team_id");`);
    this.addSql(`create index "workspace_connections_node_index" on "workspace_connections" ("node");`);
    this.addSql(
      `alter table "workspace_connections" add constraint "workspace_connections_team_id_foreign" foreign key ("team_id") references "teams" ("id") deferrable initially deferred;`,
    );
  }

  override down(): void {
    this.addSql(`drop table if exists "workspace_connections" cascade;`);
  }
}
