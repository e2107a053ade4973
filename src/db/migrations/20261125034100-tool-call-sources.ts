import { Migration } from '@mikro-orm/migrations';

/** The source that a tool call queried. */
export class ToolCallSourcesMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "tool_calls" add column "source" text null;`);
    this.addSql(`create index "tool_calls_team_id_source_index" on "tool_calls" ("team_id", "source");`);
  }

  override down(): void {
    this.addSql(`alter table "tool_calls" drop column "source";`);
  }
}
