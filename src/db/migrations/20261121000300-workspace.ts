import { Migration } from '@mikro-orm/migrations';

/** Drafts: changes that runs propose to the teams' workspaces. */
export class WorkspaceMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "workspace_drafts" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "run_id" uuid not null, "base" text not null, "tree" text null, "status" text not null, "commit" text null, "outcome" jsonb null, "finished_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "workspace_drafts_team_id_index" on "workspace_drafts" ("team_id");`);
    this.addSql(`alter table "workspace_drafts" add constraint "workspace_drafts_run_id_unique" unique ("run_id");`);
    this.addSql(
      `create table "workspace_draft_calls" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "draft_id" uuid not null, "tool_call_id" uuid not null, "result" jsonb not null, primary key ("id"));`,
    );
    this.addSql(`create index "workspace_draft_calls_team_id_index" on "workspace_draft_calls" ("team_id");`);
    this.addSql(
      `alter table "workspace_draft_calls" add constraint "workspace_draft_calls_draft_id_tool_call_id_unique" unique ("draft_id", "tool_call_id");`,
    );
    this.addSql(
      `create table "workspace_draft_changes" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "draft_id" uuid not null, "path" text not null, "content" text null, "size" int not null, "tool_call_id" uuid not null, primary key ("id"));`,
    );
    this.addSql(`create index "workspace_draft_changes_team_id_index" on "workspace_draft_changes" ("team_id");`);
    this.addSql(
      `alter table "workspace_draft_changes" add constraint "workspace_draft_changes_draft_id_path_unique" unique ("draft_id", "path");`,
    );
    this.addSql(
      `alter table "workspace_drafts" add constraint "workspace_drafts_status_check" check ("status" in ('open', 'proposed', 'committed', 'conflict', 'unchanged', 'discarded'));`,
    );
  }

  override down(): void {
    for (const table of ['workspace_draft_changes', 'workspace_draft_calls', 'workspace_drafts'])
      this.addSql(`drop table if exists "${table}" cascade;`);
  }
}
