import { Migration } from '@mikro-orm/migrations';

/** What an investigation was opened by. Earlier ones are told by what is stored: their rerun, finding, chat or user. */
export class InvestigationTriggerMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "investigations" add column "trigger" text not null default 'api';`);
    this.addSql(
      `update investigations i set trigger = case
         when i.rerun_of_id is not null then 'rerun'
         when exists (select 1 from monitoring_findings f where f.investigation_id = i.id) then 'finding'
         when r.parent_run_id is not null then 'chat'
         when r.created_by_user_id is not null then 'person'
         else 'api' end
       from runs r where r.id = i.id;`,
    );
    this.addSql(`alter table "investigations" alter column "trigger" drop default;`);
    this.addSql(
      `alter table "investigations" add constraint "investigations_trigger_check" check ("trigger" in ('person', 'api', 'chat', 'finding', 'rerun'));`,
    );
  }

  override down(): void {
    this.addSql(`alter table "investigations" drop column "trigger";`);
  }
}
