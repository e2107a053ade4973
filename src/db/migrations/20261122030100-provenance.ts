import { Migration } from '@mikro-orm/migrations';

/** One-time links are credentials too, scopes may be those of a role, and teams have names of their own for members. */
export class ProvenanceMigration extends Migration {
  override up(): void {
    this.addSql(
      `alter table "credentials" alter column "scopes" drop not null, alter column "kind" drop default, add column "used_at" timestamptz null, add column "attempt_hash" varchar(255) null;`,
    );
    this.addSql(`alter table "credentials" drop constraint "credentials_kind_check";`);
    this.addSql(
      `alter table "credentials" add constraint "credentials_kind_check" check ("kind" in ('key', 'session', 'link'));`,
    );
    this.addSql('drop index "credentials_expires_at_index";');
    this.addSql(`create index "credentials_expires_at_index" on "credentials" ("expires_at") where "kind" <> 'key';`);
    this.addSql(
      `insert into "credentials" ("id", "created_at", "updated_at", "team_id", "kind", "name", "prefix", "hash", "scopes", "user_id", "created_by_credential_id", "created_by_user_id", "expires_at", "used_at", "attempt_hash") select "id", "created_at", "updated_at", "team_id", 'link', '', '', "hash", "scopes", "user_id", coalesce((select s."id" from "credentials" s where s."id" = l."created_in_session_id"), "created_by_credential_id"), "created_by_user_id", "expires_at", "used_at", "attempt_hash" from "sign_in_links" l;`,
    );
    this.addSql(
      `update "credentials" s set "created_by_credential_id" = l."id", "scopes" = l."scopes" from "sign_in_links" l where l."session_id" = s."id" and s."kind" = 'session';`,
    );
    this.addSql(`update "credentials" set "scopes" = null where "signed_in_with" = 'oidc';`);
    this.addSql('drop table "sign_in_links";');
    this.addSql('alter table "memberships" add column "name" varchar(255) null;');
    this.addSql('update "memberships" m set "name" = u."name" from "users" u where u."id" = m."user_id";');
    this.addSql(`update "memberships" set "name" = '' where "name" is null;`);
    this.addSql('alter table "memberships" alter column "name" set not null;');
    this.addSql('alter table "users" drop column "name";');
  }

  override down(): void {
    this.addSql('alter table "users" add column "name" varchar(255) null;');
    this.addSql(
      `update "users" u set "name" = coalesce((select m."name" from "memberships" m where m."user_id" = u."id" order by m."created_at" limit 1), '');`,
    );
    this.addSql('alter table "users" alter column "name" set not null;');
    this.addSql('alter table "memberships" drop column "name";');
    this.addSql(
      `create table "sign_in_links" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "hash" varchar(255) not null, "scopes" text[] null, "user_id" uuid null, "created_by_credential_id" uuid null, "created_by_user_id" uuid null, "created_in_session_id" uuid null, "expires_at" timestamptz not null, "used_at" timestamptz null, "attempt_hash" varchar(255) null, "session_id" uuid null, primary key ("id"));`,
    );
    this.addSql('create index "sign_in_links_team_id_index" on "sign_in_links" ("team_id");');
    this.addSql('alter table "sign_in_links" add constraint "sign_in_links_hash_unique" unique ("hash");');
    this.addSql(
      `insert into "sign_in_links" select l."id", l."created_at", l."updated_at", l."team_id", l."hash", l."scopes", l."user_id", case when m."kind" = 'session' then m."created_by_credential_id" else m."id" end, l."created_by_user_id", case when m."kind" = 'session' then m."id" end, coalesce(l."revoked_at", l."expires_at"), l."used_at", l."attempt_hash", (select s."id" from "credentials" s where s."created_by_credential_id" = l."id" and s."kind" = 'session' order by s."created_at" desc limit 1) from "credentials" l left join "credentials" m on m."id" = l."created_by_credential_id" where l."kind" = 'link';`,
    );
    this.addSql(
      `update "credentials" s set "created_by_credential_id" = l."created_by_credential_id" from "sign_in_links" l where l."session_id" = s."id";`,
    );
    this.addSql(`delete from "credentials" where "kind" = 'link' or "scopes" is null;`);
    this.addSql(`alter table "credentials" drop constraint "credentials_kind_check";`);
    this.addSql(
      `alter table "credentials" add constraint "credentials_kind_check" check ("kind" in ('key', 'session'));`,
    );
    this.addSql(
      `alter table "credentials" alter column "scopes" set not null, alter column "kind" set default 'key', drop column "used_at", drop column "attempt_hash";`,
    );
    this.addSql('drop index "credentials_expires_at_index";');
    this.addSql(
      `create index "credentials_expires_at_index" on "credentials" ("expires_at") where "kind" = 'session';`,
    );
  }
}
