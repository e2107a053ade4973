import { Migration } from '@mikro-orm/migrations';

/** The source that a tool call queried, where its input does not name it. */
export class ToolCallSourcesMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "tool_calls" add column "source" text null;`);
  }

  override down(): void {
    this.addSql(`alter table "tool_calls" drop column "source";`);
  }
}
