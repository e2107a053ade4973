import { Migration } from '@mikro-orm/migrations';

/**
 * Tables of the event log (`src/platform/event-log`). They are not entities: the log uses its own SQL. Data is text
 * rather than jsonb, because jsonb refuses `\u0000` and would parse what no query looks into.
 */
export class EventLogMigration extends Migration {
  override up(): void {
    // Free space for updating a busy stream's row within its page, without touching the index.
    this.addSql(`
      create table event_streams (
        stream text primary key,
        last_sequence bigint not null,
        updated_at timestamptz not null
      ) with (fillfactor = 50)`);
    this.addSql(`
      create table events (
        stream text not null,
        sequence bigint not null,
        type text not null,
        data text not null,
        size integer not null,
        key text null,
        created_at timestamptz not null,
        primary key (stream, sequence)
      )`);
    this.addSql('create unique index events_stream_key on events (stream, key) where key is not null');
  }

  override down(): void {
    this.addSql('drop table events');
    this.addSql('drop table event_streams');
  }
}
