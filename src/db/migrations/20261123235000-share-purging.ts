import { Migration } from '@mikro-orm/migrations';

const NAME = 'investigation_shares_id_foreign';

/** An ended link to a report is deleted with its credential. */
export class SharePurgingMigration extends Migration {
  override up(): void {
    this.#reference('on delete cascade');
  }

  override down(): void {
    this.#reference('');
  }

  #reference(onDelete: string): void {
    this.addSql(
      `alter table "investigation_shares" drop constraint "${NAME}", add constraint "${NAME}" foreign key ("id") references "credentials" ("id") ${onDelete} deferrable initially deferred;`,
    );
  }
}
