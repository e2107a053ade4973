import { Migration } from '@mikro-orm/migrations';

/** Browser sessions, which are keys in a cookie, and the links that create one. */
export class SessionsMigration extends Migration {
  override up(): void {
    this.addSql(
      `alter table "api_keys" add column "kind" text not null default 'key', add column "signed_in_with" text null, add column "expires_at" timestamptz null;`,
    );
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_kind_check" check ("kind" in ('key', 'session')), add constraint "api_keys_signed_in_with_check" check ("signed_in_with" in ('api_key', 'link', 'oidc'));`,
    );
    this.addSql(
      `create index "api_keys_created_by_key_id_index" on "api_keys" ("created_by_key_id") where "kind" = 'session';`,
    );
    this.addSql(`create index "api_keys_expires_at_index" on "api_keys" ("expires_at") where "kind" = 'session';`);
    this.addSql(
      `create table "sign_in_links" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "hash" varchar(255) not null, "scopes" text[] null, "user_id" uuid null, "created_by_key_id" uuid null, "created_by_user_id" uuid null, "created_in_session_id" uuid null, "expires_at" timestamptz not null, "used_at" timestamptz null, "attempt_hash" varchar(255) null, "session_id" uuid null, primary key ("id"));`,
    );
    this.addSql(`create index "sign_in_links_team_id_index" on "sign_in_links" ("team_id");`);
    this.addSql(`alter table "sign_in_links" add constraint "sign_in_links_hash_unique" unique ("hash");`);
  }

  override down(): void {
    this.addSql('drop table "sign_in_links";');
    this.addSql(`delete from "api_keys" where "kind" = 'session';`);
    this.addSql('alter table "api_keys" drop column "kind", drop column "signed_in_with", drop column "expires_at";');
    this.addSql('drop index if exists "api_keys_created_by_key_id_index";');
  }
}
