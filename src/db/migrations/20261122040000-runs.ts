import { Migration } from '@mikro-orm/migrations';

const SHARED = `"id", "created_at", "updated_at", "team_id", "status", "limit_reached", "explanation", "idempotency_key", "created_by_credential_id", "created_by_user_id", "started_at", "finished_at", "cancel_requested_at"`;
const MOVED = [
  `drop column "created_at"`,
  `drop column "updated_at"`,
  `drop column "team_id"`,
  `drop column "status"`,
  `drop column "limit_reached"`,
  `drop column "explanation"`,
  `drop column "idempotency_key"`,
  `drop column "created_by_credential_id"`,
  `drop column "created_by_user_id"`,
  `drop column "started_at"`,
  `drop column "finished_at"`,
  `drop column "cancel_requested_at"`,
].join(', ');
const RESTORED = [
  `add "created_at" timestamptz`,
  `add "updated_at" timestamptz`,
  `add "team_id" uuid`,
  `add "status" text`,
  `add "limit_reached" text null`,
  `add "explanation" text null`,
  `add "idempotency_key" varchar(255) null`,
  `add "created_by_credential_id" uuid null`,
  `add "created_by_user_id" uuid null`,
  `add "started_at" timestamptz null`,
  `add "finished_at" timestamptz null`,
  `add "cancel_requested_at" timestamptz null`,
].join(', ');
const COPIED = MOVED.matchAll(/"(\w+)"/g)
  .map(([, column]) => `"${column}" = r."${column}"`)
  .toArray()
  .join(', ');
const REQUIRED = ['created_at', 'updated_at', 'team_id', 'status']
  .map((column) => `alter column "${column}" set not null`)
  .join(', ');
const MEMBER = `{investigations:read,investigations:write,chats:read,chats:write,workspace:read,workspace:write,satellites:read,satellites:query,monitoring:read,monitoring:write,monitoring:trigger,team:read}`;
/** The scopes a row's credential has today, for rows that did not store theirs. */
const granted = (credential: string): string =>
  `coalesce((select coalesce(k."scopes", case m."role" when 'admin' then '{team:admin}'::text[] when 'member' then '${MEMBER}'::text[] end) from "credentials" k left join "memberships" m on m."team_id" = k."team_id" and m."user_id" = k."user_id" where k."id" = ${credential}), '{}')`;

/** One table of runs replaces columns of investigations, chat turns and instruction checks. */
export class RunsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "runs" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "kind" text not null, "conversation_id" uuid not null, "status" text not null, "limit_reached" text null, "explanation" text null, "idempotency_key" varchar(255) null, "request_digest" text null, "created_by_credential_id" uuid null, "created_by_user_id" uuid null, "scopes" text[] not null, "side_effects" boolean not null default false, "budget" jsonb null, "parent_run_id" uuid null, "started_at" timestamptz null, "finished_at" timestamptz null, "cancel_requested_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`alter table "monitoring_plan_versions" add "scopes" text[] not null default '{}';`);
    this.addSql(
      `update "monitoring_plan_versions" set "scopes" = ${granted('"monitoring_plan_versions"."created_by_credential_id"')};`,
    );
    this.addSql(`alter table "monitoring_plan_versions" alter column "scopes" drop default;`);
    this.addSql(
      `insert into "runs" (${SHARED}, "kind", "conversation_id", "request_digest", "scopes") select ${SHARED}, 'investigation', "id", rtrim(translate(encode(sha256(convert_to("query", 'UTF8')), 'base64'), '+/', '-_'), '='), ${granted('"investigations"."created_by_credential_id"')} from "investigations";`,
    );
    this.addSql(
      `insert into "runs" (${SHARED}, "kind", "conversation_id", "request_digest", "scopes", "side_effects") select ${SHARED}, 'chat', "chat_id", "request_digest", "scopes", "side_effects" from "chat_turns";`,
    );
    this.addSql(
      `insert into "runs" ("id", "created_at", "updated_at", "team_id", "kind", "conversation_id", "status", "explanation", "created_by_credential_id", "created_by_user_id", "scopes", "started_at", "finished_at") select s."id", s."created_at", s."updated_at", s."team_id", 'check', s."id", case s."status" when 'running' then 'processing' when 'ok' then 'completed' when 'finding' then 'completed' else s."status" end, case when s."status" in ('failed', 'cancelled') then s."summary" end, v."created_by_credential_id", v."created_by_user_id", coalesce(v."scopes", '{}'), s."started_at", s."finished_at" from "monitoring_sessions" s join "conversations" c on c."id" = s."id" left join "monitoring_plan_versions" v on v."agent_id" = s."agent_id" and v."version" = s."plan_version" where s."check_type" = 'instruction';`,
    );
    this.addSql(`alter table "investigations" ${MOVED};`);
    this.addSql(
      `alter table "chat_turns" ${MOVED}, drop column "request_digest", drop column "scopes", drop column "side_effects";`,
    );
    this.addSql(
      `alter table "investigations" add constraint "investigations_id_foreign" foreign key ("id") references "runs" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "chat_turns" add constraint "chat_turns_id_foreign" foreign key ("id") references "runs" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(`create index "runs_team_id_index" on "runs" ("team_id");`);
    this.addSql(
      `create index "runs_team_id_kind_created_at_id_index" on "runs" ("team_id", "kind", "created_at", "id");`,
    );
    this.addSql(
      `create index "runs_open_index" on "runs" ("kind", "created_at") where ("status" in ('processing', 'awaiting_approval'));`,
    );
    this.addSql(
      `create unique index "runs_one_open_index" on "runs" ("conversation_id") where ("status" in ('processing', 'awaiting_approval'));`,
    );
    this.addSql(
      `alter table "runs" add constraint "runs_team_id_idempotency_key_kind_unique" unique ("team_id", "idempotency_key", "kind");`,
    );
    this.addSql(
      `alter table "runs" add constraint "runs_kind_check" check ("kind" in ('investigation', 'chat', 'check'));`,
    );
    this.addSql(
      `alter table "runs" add constraint "runs_status_check" check ("status" in ('processing', 'awaiting_approval', 'completed', 'failed', 'cancelled'));`,
    );
  }

  override down(): void {
    for (const table of ['investigations', 'chat_turns']) {
      this.addSql(`alter table "${table}" drop constraint "${table}_id_foreign";`);
      this.addSql(`alter table "${table}" ${RESTORED};`);
      this.addSql(`update "${table}" t set ${COPIED} from "runs" r where r."id" = t."id";`);
      this.addSql(`update "${table}" set "status" = 'processing' where "status" = 'awaiting_approval';`);
      this.addSql(`alter table "${table}" ${REQUIRED};`);
      this.addSql(
        `alter table "${table}" add constraint "${table}_status_check" check ("status" in ('processing', 'completed', 'failed', 'cancelled'));`,
      );
      this.addSql(`create index "${table}_team_id_index" on "${table}" ("team_id");`);
      this.addSql(`create index "${table}_status_created_at_index" on "${table}" ("status", "created_at");`);
      this.addSql(
        `alter table "${table}" add constraint "${table}_team_id_idempotency_key_unique" unique ("team_id", "idempotency_key");`,
      );
    }
    this.addSql(
      `create index "investigations_team_id_created_at_id_index" on "investigations" ("team_id", "created_at", "id");`,
    );
    this.addSql(
      `alter table "chat_turns" add "request_digest" text, add "scopes" text[], add "side_effects" boolean not null default false;`,
    );
    this.addSql(
      `update "chat_turns" t set "request_digest" = r."request_digest", "scopes" = r."scopes", "side_effects" = r."side_effects" from "runs" r where r."id" = t."id";`,
    );
    this.addSql(
      `alter table "chat_turns" alter column "request_digest" set not null, alter column "scopes" set not null;`,
    );
    this.addSql(
      `create unique index "chat_turns_one_running_index" on "chat_turns" ("chat_id") where "status" = 'processing';`,
    );
    this.addSql(`alter table "monitoring_plan_versions" drop column "scopes";`);
    this.addSql(`drop table "runs";`);
  }
}
