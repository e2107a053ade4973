import { Migration } from '@mikro-orm/migrations';

const REFERENCES = [
  ['team_id', 'teams'],
  ['finding_id', 'monitoring_findings'],
  ['assignee_user_id', 'users'],
];

/** People acknowledge, close, mute, assign and comment on findings. */
export class FindingActsMigration extends Migration {
  override up(): void {
    this.addSql(
      `alter table "monitoring_findings" add column "acknowledged_at" timestamptz null, add column "acknowledged_by" text null, add column "muted_until" timestamptz null, add column "assignee_user_id" uuid null, add column "assignee_name" text null, add column "closed_by" text null, add column "is_held" boolean not null default false;`,
    );
    this.addSql(`create index "monitoring_findings_held_index" on "monitoring_findings" ("agent_id") where "is_held";`);
    this.addSql(
      `alter table "monitoring_findings" add constraint "monitoring_findings_assignee_user_id_foreign" foreign key ("assignee_user_id") references "users" ("id") deferrable initially deferred;`,
    );
    this.addSql(
      `create table "monitoring_finding_acts" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "finding_id" uuid not null, "kind" text not null, "via" text not null, "actor_name" text not null, "text" text null, "until" timestamptz null, "assignee_user_id" uuid null, "assignee_name" text null, "is_told" boolean not null, "created_by_credential_id" uuid null, "created_by_user_id" uuid null, primary key ("id"));`,
    );
    this.addSql(`create index "monitoring_finding_acts_team_id_index" on "monitoring_finding_acts" ("team_id");`);
    this.addSql(
      `create index "monitoring_finding_acts_finding_id_created_at_index" on "monitoring_finding_acts" ("finding_id", "created_at");`,
    );
    this.addSql(
      `alter table "monitoring_finding_acts" add constraint "monitoring_finding_acts_kind_check" check ("kind" in ('acknowledged', 'unacknowledged', 'closed', 'muted', 'unmuted', 'assigned', 'unassigned', 'commented'));`,
    );
    this.addSql(
      `alter table "monitoring_finding_acts" add constraint "monitoring_finding_acts_via_check" check ("via" in ('api', 'slack', 'time'));`,
    );
    for (const [column, parent] of REFERENCES)
      this.addSql(
        `alter table "monitoring_finding_acts" add constraint "monitoring_finding_acts_${column}_foreign" foreign key ("${column}") references "${parent}" ("id") deferrable initially deferred;`,
      );
  }

  override down(): void {
    this.addSql('drop table "monitoring_finding_acts";');
    this.addSql('drop index "monitoring_findings_held_index";');
    this.addSql(
      `alter table "monitoring_findings" drop column "acknowledged_at", drop column "acknowledged_by", drop column "muted_until", drop column "assignee_user_id", drop column "assignee_name", drop column "closed_by", drop column "is_held";`,
    );
  }
}
