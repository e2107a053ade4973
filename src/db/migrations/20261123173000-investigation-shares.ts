import { Migration } from '@mikro-orm/migrations';

const KINDS_BEFORE = `'key', 'session', 'link', 'satellite'`;

/** Read-only links to reports. Their tokens are credentials: they are revoked with what they came from. */
export class InvestigationSharesMigration extends Migration {
  override up(): void {
    this.#allowKinds(`${KINDS_BEFORE}, 'share'`);
    this.addSql(
      `create table "investigation_shares" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "investigation_id" uuid not null, "opened" int not null, "last_opened_at" timestamptz null, primary key ("id"));`,
    );
    for (const column of ['team_id', 'investigation_id'])
      this.addSql(`create index "investigation_shares_${column}_index" on "investigation_shares" ("${column}");`);
    for (const [column, parent] of [
      ['id', 'credentials'],
      ['team_id', 'teams'],
      ['investigation_id', 'investigations'],
    ])
      this.addSql(
        `alter table "investigation_shares" add constraint "investigation_shares_${column}_foreign" foreign key ("${column}") references "${parent}" ("id") deferrable initially deferred;`,
      );
  }

  override down(): void {
    this.addSql('drop table "investigation_shares";');
    this.addSql(`delete from "credentials" where "kind" = 'share';`);
    this.#allowKinds(KINDS_BEFORE);
  }

  #allowKinds(kinds: string): void {
    // Earlier migrations of the same transaction may have written rows, and a table with pending checks is not altered.
    this.addSql('set constraints all immediate;');
    this.addSql(`alter table "credentials" drop constraint "credentials_kind_check";`);
    this.addSql(`alter table "credentials" add constraint "credentials_kind_check" check ("kind" in (${kinds}));`);
    this.addSql('set constraints all deferred;');
  }
}
