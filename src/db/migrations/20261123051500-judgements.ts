import { Migration } from '@mikro-orm/migrations';

const REFERENCES = [
  ['judged_by_credential_id', 'credentials'],
  ['judged_by_user_id', 'users'],
];

/** What investigations can be recognized by, and whether people judged them right. */
export class JudgementsMigration extends Migration {
  override up(): void {
    this.addSql(
      `alter table "investigations" add column "traits" jsonb null, add column "judgement" text null, add column "judged_at" timestamptz null, add column "judged_by_credential_id" uuid null, add column "judged_by_user_id" uuid null;`,
    );
    for (const [column, parent] of REFERENCES)
      this.addSql(
        `alter table "investigations" add constraint "investigations_${column}_foreign" foreign key ("${column}") references "${parent}" ("id") deferrable initially deferred;`,
      );
    this.addSql(
      `alter table "investigations" add constraint "investigations_judgement_check" check ("judgement" in ('right', 'wrong'));`,
    );
  }

  override down(): void {
    this.addSql(
      `alter table "investigations" drop column "traits", drop column "judgement", drop column "judged_at", drop column "judged_by_credential_id", drop column "judged_by_user_id";`,
    );
  }
}
