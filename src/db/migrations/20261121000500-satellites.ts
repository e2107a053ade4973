import { Migration } from '@mikro-orm/migrations';

/** Satellites, the tokens they connect with, and the requests runs sent them. */
export class SatellitesMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "satellite_tokens" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "name" varchar(255) not null, "prefix" varchar(255) not null, "hash" varchar(255) not null, "created_by_key_id" uuid null, "expires_at" timestamptz null, "last_used_at" timestamptz null, "revoked_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "satellite_tokens_team_id_index" on "satellite_tokens" ("team_id");`);
    this.addSql(`alter table "satellite_tokens" add constraint "satellite_tokens_hash_unique" unique ("hash");`);
    // A heartbeat updates one row per satellite every few seconds: the free space keeps that within the page.
    this.addSql(
      `create table "satellites" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "name" varchar(255) not null, "version" varchar(255) not null, "labels" jsonb not null, "instance" uuid not null, "token_id" uuid not null, "inbox" text null, "connection_id" uuid null, "connected_at" timestamptz not null, "disconnected_at" timestamptz null, "last_heartbeat_at" timestamptz not null, "clock_offset_ms" int not null, "health" jsonb not null, "summary" jsonb not null, "inventory" jsonb not null, "inventory_bytes" int not null, "inventory_digest" text not null, "clusters" jsonb not null, primary key ("id")) with (fillfactor = 70);`,
    );
    this.addSql(`create index "satellites_team_id_index" on "satellites" ("team_id");`);
    this.addSql(`alter table "satellites" add constraint "satellites_team_id_name_unique" unique ("team_id", "name");`);
    this.addSql(
      `create table "satellite_requests" ("id" uuid not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "team_id" uuid not null, "satellite_id" uuid not null, "target" text not null, primary key ("id"));`,
    );
    this.addSql(`create index "satellite_requests_team_id_index" on "satellite_requests" ("team_id");`);
    this.addSql(`create index "satellite_requests_created_at_index" on "satellite_requests" ("created_at");`);
  }

  override down(): void {
    for (const table of ['satellite_requests', 'satellites', 'satellite_tokens'])
      this.addSql(`drop table if exists "${table}" cascade;`);
  }
}
