import { Migration } from '@mikro-orm/migrations';

/** Candidates for the excerpts that a model chooses, kept for a day. */
export class CitationsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "citation_extractions" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "claims" jsonb not null, "candidates" jsonb not null, "excerpts" jsonb null, primary key ("id"));`,
    );
    this.addSql(`create index "citation_extractions_team_id_index" on "citation_extractions" ("team_id");`);
    this.addSql(`create index "citation_extractions_created_at_index" on "citation_extractions" ("created_at");`);
  }

  override down(): void {
    this.addSql('drop table "citation_extractions"');
  }
}
