import { Migration } from '@mikro-orm/migrations';

/** The enrolment tokens of satellites are credentials too: they are revoked with what they came from. */
export class SatelliteCredentialsMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "credentials" drop constraint "credentials_kind_check";`);
    this.addSql(
      `alter table "credentials" add constraint "credentials_kind_check" check ("kind" in ('key', 'session', 'link', 'satellite'));`,
    );
    this.addSql(
      `insert into "credentials" ("id", "created_at", "updated_at", "team_id", "kind", "name", "prefix", "hash", "scopes", "created_by_credential_id", "created_by_user_id", "expires_at", "last_used_at", "revoked_at") select t."id", t."created_at", t."updated_at", t."team_id", 'satellite', t."name", t."prefix", t."hash", '{}', maker."id", t."created_by_user_id", t."expires_at", t."last_used_at", coalesce(t."revoked_at", maker."revoked_at") from "satellite_tokens" t left join "credentials" maker on maker."id" = t."created_by_credential_id" and maker."team_id" = t."team_id";`,
    );
    this.addSql('drop table "satellite_tokens";');
  }

  override down(): void {
    this.addSql(
      `create table "satellite_tokens" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "name" varchar(255) not null, "prefix" varchar(255) not null, "hash" varchar(255) not null, "created_by_credential_id" uuid null, "created_by_user_id" uuid null, "expires_at" timestamptz null, "last_used_at" timestamptz null, "revoked_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "satellite_tokens_team_id_index" on "satellite_tokens" ("team_id");`);
    this.addSql(`alter table "satellite_tokens" add constraint "satellite_tokens_hash_unique" unique ("hash");`);
    this.addSql(
      `insert into "satellite_tokens" ("id", "created_at", "updated_at", "team_id", "name", "prefix", "hash", "created_by_credential_id", "created_by_user_id", "expires_at", "last_used_at", "revoked_at") select "id", "created_at", "updated_at", "team_id", "name", "prefix", "hash", "created_by_credential_id", "created_by_user_id", "expires_at", "last_used_at", "revoked_at" from "credentials" where "kind" = 'satellite';`,
    );
    this.addSql(
      `alter table "satellite_tokens" add constraint "satellite_tokens_team_id_foreign" foreign key ("team_id") references "teams" ("id") deferrable initially deferred;`,
    );
    this.addSql(`delete from "credentials" where "kind" = 'satellite';`);
    this.addSql(`alter table "credentials" drop constraint "credentials_kind_check";`);
    this.addSql(
      `alter table "credentials" add constraint "credentials_kind_check" check ("kind" in ('key', 'session', 'link'));`,
    );
  }
}
