import { Migration } from '@mikro-orm/migrations';

/** Names for what they say: the revision a workflow was last signalled, and whether people are notified of an act. */
export class SignalledRevisionMigration extends Migration {
  override up(): void {
    for (const table of ['monitoring_agents', 'monitoring_findings'])
      this.addSql(`alter table "${table}" rename column "told_revision" to "signalled_revision";`);
    this.addSql(`alter table "monitoring_finding_acts" rename column "is_told" to "is_notified";`);
    this.addSql(`alter index "monitoring_findings_untold_index" rename to "monitoring_findings_signalled_index";`);
  }

  override down(): void {
    this.addSql(`alter index "monitoring_findings_signalled_index" rename to "monitoring_findings_untold_index";`);
    this.addSql(`alter table "monitoring_finding_acts" rename column "is_notified" to "is_told";`);
    for (const table of ['monitoring_agents', 'monitoring_findings'])
      this.addSql(`alter table "${table}" rename column "signalled_revision" to "told_revision";`);
  }
}
