import { Migration } from '@mikro-orm/migrations';

/** The words of questions and findings, for searching investigations. */
export class InvestigationSearchMigration extends Migration {
  override up(): void {
    this.addSql(
      `create index "investigations_search_index" on "investigations" using gin (to_tsvector('simple', "query" || ' ' || coalesce("alert_summary", '')));`,
    );
  }

  override down(): void {
    this.addSql('drop index "investigations_search_index";');
  }
}
