import { Migration } from '@mikro-orm/migrations';

const REFERENCES = [
  ['team_id', 'teams'],
  ['run_id', 'runs'],
  ['conversation_id', 'conversations'],
  ['tool_call_id', 'tool_calls'],
];

/** People approve tool calls of runs. */
export class ApprovalsMigration extends Migration {
  override up(): void {
    this.addSql(`create index "runs_conversation_id_index" on "runs" ("conversation_id");`);
    this.addSql(
      `create table "approvals" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "run_id" uuid not null, "conversation_id" uuid not null, "kind" text not null, "tool_call_id" uuid not null, "digest" text not null, "requires" text not null, "status" text not null, "expires_at" timestamptz not null, "decided_at" timestamptz null, "decided_by_credential_id" uuid null, "decided_by_user_id" uuid null, "used_at" timestamptz null, "workflow_id" text not null, "delivered_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "approvals_team_id_index" on "approvals" ("team_id");`);
    this.addSql(`create index "approvals_team_id_created_at_id_index" on "approvals" ("team_id", "created_at", "id");`);
    this.addSql(`create index "approvals_conversation_id_index" on "approvals" ("conversation_id");`);
    this.addSql(`create index "approvals_run_id_index" on "approvals" ("run_id");`);
    this.addSql(
      `create index "approvals_unsettled_index" on "approvals" ("created_at") where "status" = 'pending' or ("decided_at" is not null and "delivered_at" is null);`,
    );
    this.addSql(`alter table "approvals" add constraint "approvals_tool_call_id_unique" unique ("tool_call_id");`);
    this.addSql(
      `alter table "approvals" add constraint "approvals_status_check" check ("status" in ('pending', 'approved', 'declined', 'expired', 'used'));`,
    );
    for (const [column, parent] of REFERENCES)
      this.addSql(
        `alter table "approvals" add constraint "approvals_${column}_foreign" foreign key ("${column}") references "${parent}" ("id") deferrable initially deferred;`,
      );
  }

  override down(): void {
    this.addSql('drop table "approvals";');
    this.addSql('drop index "runs_conversation_id_index";');
  }
}
