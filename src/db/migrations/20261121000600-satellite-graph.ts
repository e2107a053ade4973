import { Migration } from '@mikro-orm/migrations';

/**
 * The live dependency graph of each satellite: its head and its edges. They are written in bulk and read by version,
 * without entities.
 */
export class SatelliteGraphMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "satellite_graphs" ("satellite_id" uuid not null, "team_id" uuid not null, "epoch" uuid not null, "seq" int not null, "version" bigint not null, "complete_since" bigint not null, "as_of" timestamptz not null, "edges" int not null, "tombstones" int not null, "truncated" boolean not null, primary key ("satellite_id")) with (fillfactor = 70);`,
    );
    this.addSql(`create index "satellite_graphs_team_id_index" on "satellite_graphs" ("team_id");`);
    // Names are only compared for equality, which is cheapest byte by byte.
    this.addSql(
      `create table "satellite_graph_edges" ("satellite_id" uuid not null, "caller" text collate "C" not null, "callee" text collate "C" not null, "team_id" uuid not null, "calls_per_second" double precision null, "error_ratio" double precision null, "p50_seconds" double precision null, "p95_seconds" double precision null, "sources" smallint not null, "stale" boolean not null, "seen_at" timestamptz not null, "gone" boolean not null, "version" bigint not null, primary key ("satellite_id", "caller", "callee"));`,
    );
    this.addSql(
      `create index "satellite_graph_edges_version_index" on "satellite_graph_edges" ("satellite_id", "version");`,
    );
  }

  override down(): void {
    this.addSql('drop table "satellite_graph_edges"');
    this.addSql('drop table "satellite_graphs"');
  }
}
