import { Migration } from '@mikro-orm/migrations';

/** Indexes for queries of sweeps and checks on sessions and findings, most of which have ended. */
export class MonitoringIndexesMigration extends Migration {
  override up(): void {
    this.addSql(
      `create index "monitoring_sessions_running_index" on "monitoring_sessions" ("started_at") where "status" = 'running';`,
    );
    this.addSql(
      `create index "monitoring_findings_agent_id_dedup_key_closed_at_index" on "monitoring_findings" ("agent_id", "dedup_key", "closed_at");`,
    );
    this.addSql(
      `create index "monitoring_findings_team_id_opened_at_created_at_id_index" on "monitoring_findings" ("team_id", "opened_at", "created_at", "id");`,
    );
    this.addSql(
      `create index "monitoring_findings_current_index" on "monitoring_findings" ("agent_id") where "status" <> 'closed';`,
    );
    this.addSql(
      `create index "monitoring_findings_untold_index" on "monitoring_findings" ("updated_at") where "told_revision" < "revision";`,
    );
    this.addSql(
      `create index "monitoring_findings_investigation_index" on "monitoring_findings" ("investigation_id") where "investigation_id" is not null;`,
    );
  }

  override down(): void {
    this.addSql('drop index "monitoring_sessions_running_index";');
    for (const name of [
      'agent_id_dedup_key_closed_at',
      'team_id_opened_at_created_at_id',
      'current',
      'untold',
      'investigation',
    ])
      this.addSql(`drop index "monitoring_findings_${name}_index";`);
  }
}
