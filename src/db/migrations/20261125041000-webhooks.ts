import { Migration } from '@mikro-orm/migrations';

/** Webhooks name repositories by their hosts' ids. */
export class WebhooksMigration extends Migration {
  override up(): void {
    this.addSql(`create index "repositories_host_id_index" on "repositories" ("host_id");`);
  }

  override down(): void {
    this.addSql('drop index "repositories_host_id_index";');
  }
}
