import { Migration } from '@mikro-orm/migrations';

/** People open pull requests that runs suggest. */
export class PullRequestsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "pull_requests" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "created_by_credential_id" uuid null, "created_by_user_id" uuid null, "key" text not null, "origin" text not null, "created_in_conversation_id" uuid not null, "tool_call_id" uuid not null, "repository" text not null, "base" text not null, "title" text not null, "body" text not null, "change" jsonb not null, "is_draft" boolean not null, "branch" text not null, "status" text not null, "attempt" int not null default 1, "commit" text null, "number" int null, "url" text null, "checks" text not null default 'none', "review" text not null default 'none', "merge_commit" text null, "error" text null, "conflicts" jsonb null, "started_at" timestamptz null, "look_at" timestamptz null, "merged_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "pull_requests_created_in_conversation_id_index" on "pull_requests" ("created_in_conversation_id");`,
    );
    this.addSql(`create index "pull_requests_team_id_index" on "pull_requests" ("team_id");`);
    this.addSql(
      `create index "pull_requests_team_id_created_at_id_index" on "pull_requests" ("team_id", "created_at", "id");`,
    );
    this.addSql(
      `create index "pull_requests_look_at_index" on "pull_requests" ("look_at") where "look_at" is not null;`,
    );
    this.addSql(
      `create index "pull_requests_pending_index" on "pull_requests" ("updated_at") where "status" = 'pending';`,
    );
    this.addSql(
      `alter table "pull_requests" add constraint "pull_requests_team_id_key_unique" unique ("team_id", "key");`,
    );
    this.addSql(
      `alter table "pull_requests" add constraint "pull_requests_origin_check" check ("origin" in ('investigation', 'chat'));`,
    );
    this.addSql(
      `alter table "pull_requests" add constraint "pull_requests_status_check" check ("status" in ('pending', 'open', 'merged', 'closed', 'conflict', 'failed'));`,
    );
    this.addSql(
      `alter table "pull_requests" add constraint "pull_requests_checks_check" check ("checks" in ('none', 'pending', 'passing', 'failing'));`,
    );
    this.addSql(
      `alter table "pull_requests" add constraint "pull_requests_review_check" check ("review" in ('none', 'approved', 'changes_requested'));`,
    );
    this.addSql(
      `alter table "pull_requests" add constraint "pull_requests_team_id_foreign" foreign key ("team_id") references "teams" ("id") deferrable initially deferred;`,
    );
  }

  override down(): void {
    this.addSql('drop table "pull_requests";');
  }
}
