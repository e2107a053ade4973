import { Migration } from '@mikro-orm/migrations';

/** Tool calls record what a source made of them, and investigations what their sources covered. */
export class CoverageMigration extends Migration {
  override up(): void {
    this.addSql('alter table "tool_calls" add "answer" text null;');
    this.addSql(
      `alter table "tool_calls" add constraint "tool_calls_answer_check" check ("answer" in ('data', 'nothing', 'refused', 'unavailable'));`,
    );
    this.addSql('alter table "investigations" add "coverage" jsonb null;');
  }

  override down(): void {
    this.addSql('alter table "investigations" drop column "coverage";');
    this.addSql('alter table "tool_calls" drop column "answer";');
  }
}
