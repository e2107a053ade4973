import { setTimeout as sleep } from 'node:timers/promises';
import {
  Pool,
  type ClientConfig,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
  Client,
} from 'pg';
import type { Logger } from '../logger.ts';
import { Batcher } from './batcher.ts';
import type { EncodedEvent } from './encode.ts';
import { pageBytes, pageEvents, type Page } from './follow.ts';
import type { Nudges } from './nudges.ts';
import { Outage } from './outage.ts';
import type { EventData, EventLog, LogEvent } from './port.ts';
import { type EventStore, StoredEventLog } from './stored-event-log.ts';

interface Row {
  /** Only in pages. */
  request: number;
  sequence: string;
  type: string;
  data: string;
  size: number;
  created_at: Date;
}

const defaultConnectTimeoutMs = 5_000;
const queryTimeoutMs = 30_000;
/** A process frozen in a transaction must not block the streams it has locked. */
const idleInTransactionMs = 15_000;
/** Streams deleted per transaction: its locks are short, and it ends long before its timeout. */
const deletedAtOnce = 50;

/**
 * The event log in PostgreSQL: two tables and LISTEN/NOTIFY. It holds at most four pooled connections, and one more for
 * LISTEN once something is tailed, however many streams are tailed.
 * @param options.databaseUrl a database with the tables of the `event-log` migration
 * @param options.connectTimeoutMs how long connecting may take, waiting for a place in the pool included
 */
export function createPostgresEventLog(options: {
  databaseUrl: string;
  log: Logger;
  pollMs?: number;
  connectTimeoutMs?: number;
}): EventLog {
  return new StoredEventLog(options, (nudges) => new PostgresStore({ ...options, nudges }));
}

/**
 * Appends and page reads of all streams share round trips (see {@link Batcher}): NOTIFY takes a server-wide lock until
 * the commit is on disk, so 500 streams that each committed separately would wait for one another.
 */
class PostgresStore implements EventStore {
  readonly kind = 'postgres';
  // Up to 18 digits: every such number fits a bigint.
  readonly idPattern = /^(0|[1-9]\d{0,17})$/;
  readonly #pool: Pool;
  readonly #listener: PostgresListener;
  readonly #outage: Outage;
  readonly #appends = new Batcher({
    run: (batch: { stream: string; events: EncodedEvent[] }[]) => this.#append(batch),
    // One call at a time: this process's appends to a stream are stored in call order.
    lanes: 1,
    maxItems: 1_000,
    maxWeight: 4 * 1024 * 1024,
  });
  readonly #pages = new Batcher({
    run: (batch: { stream: string; afterId: string | undefined }[]) => this.#readPages(batch),
    lanes: 2,
    // Bounds the memory of one answer to 64 pages.
    maxItems: 64,
    maxWeight: 0,
  });

  constructor(options: { databaseUrl: string; connectTimeoutMs?: number; log: Logger; nudges: Nudges }) {
    const connection: ClientConfig = {
      connectionString: options.databaseUrl,
      connectionTimeoutMillis: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
      query_timeout: queryTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      keepAlive: true,
      application_name: 'casebook-event-log',
    };
    this.#outage = new Outage(options.log, 'Reaching the event log in PostgreSQL');
    this.#pool = new Pool({ ...connection, max: 4, idleTimeoutMillis: 60_000 });
    // Idle clients report a killed server here; without a listener that would end the process.
    this.#pool.on('error', (error) => this.#outage.failed(error));
    this.#listener = new PostgresListener({ connection, log: options.log, nudges: options.nudges });
  }

  async append(stream: string, events: EncodedEvent[]): Promise<void> {
    const bytes = events.reduce((sum, { size }) => sum + size, 0);
    await this.#appends.add({ stream, events }, bytes);
  }

  async read(stream: string, afterId: string | undefined, limit: number): Promise<LogEvent[]> {
    const values = [stream, afterId ?? '0', limit];
    const { rows } = await this.#query<Row>({ name: 'event-log-read', text: readSql, values });
    return rows.map(toEvent);
  }

  readPage(stream: string, afterId: string | undefined): Promise<Page> {
    return this.#pages.add({ stream, afterId });
  }

  listen(): void {
    this.#listener.start();
  }

  async remove(streams: readonly string[]): Promise<void> {
    for (let from = 0; from < streams.length; from += deletedAtOnce) {
      const some = streams.slice(from, from + deletedAtOnce);
      await this.#inTransaction(async (client) => {
        await client.query(removeStreamsSql, [some]);
        await client.query(deleteEventsSql, [some]);
      });
    }
  }

  async expire(before: Date): Promise<number> {
    let expired = 0;
    // No stream name is empty.
    for (let after = ''; ;) {
      const streams = await this.#inTransaction((client) => expireIn(client, before, after));
      expired += streams.length;
      if (streams.length < deletedAtOnce) return expired;
      after = streams.at(-1) ?? after;
    }
  }

  async check(): Promise<void> {
    await this.#query({ text: 'select from event_streams limit 1' });
  }

  async close(): Promise<void> {
    await this.#appends.drain();
    await this.#pages.drain();
    await Promise.all([this.#listener.close(), this.#pool.end()]);
  }

  async #query<R extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<R>> {
    try {
      const result = await this.#pool.query<R>(query);
      this.#outage.worked();
      return result;
    } catch (error) {
      this.#outage.failed(error);
      throw error;
    }
  }

  async #append(batch: { stream: string; events: EncodedEvent[] }[]): Promise<void[]> {
    const rows = batch.flatMap(({ stream, events }) => events.map((event) => ({ stream, ...event })));
    await this.#query({
      name: 'event-log-append',
      text: appendSql,
      values: [
        rows.map((row) => row.stream),
        rows.map((row) => row.type),
        rows.map((row) => row.json),
        rows.map((row) => row.size),
        rows.map((row) => row.key ?? null),
        channel,
      ],
    });
    return batch.map(() => undefined);
  }

  async #readPages(requests: { stream: string; afterId: string | undefined }[]): Promise<Page[]> {
    const { rows } = await this.#query<Row>({
      name: 'event-log-pages',
      text: pagesSql,
      values: [
        requests.map(({ stream }) => stream),
        requests.map(({ afterId }) => afterId ?? '0'),
        pageEvents,
        pageBytes,
      ],
    });
    // The SQL counts requests from 1.
    const byRequest = Map.groupBy(rows, ({ request }) => request - 1);
    return requests.map((_, index) => {
      const ofPage = byRequest.get(index) ?? [];
      const bytes = ofPage.reduce((sum, { size }) => sum + size, 0);
      return { events: ofPage.map(toEvent), more: ofPage.length >= pageEvents || bytes >= pageBytes };
    });
  }

  async #inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    // Without a listener a connection lost midway would end the process; the query rejects as well.
    const ignore = () => undefined;
    client.on('error', ignore);
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      // Not returned to the pool: its transaction may be open.
      client.release(true);
      throw error;
    } finally {
      client.off('error', ignore);
    }
  }
}

/** @returns the deleted streams, in name order */
async function expireIn(client: PoolClient, before: Date, after: string): Promise<string[]> {
  const { rows } = await client.query<{ stream: string }>(expireStreamsSql, [before, deletedAtOnce, after]);
  const streams = rows.map(({ stream }) => stream);
  await client.query(deleteEventsSql, [streams]);
  return streams;
}

function toEvent(row: Row): LogEvent {
  const data: EventData = JSON.parse(row.data);
  return { id: row.sequence, type: row.type, data, at: row.created_at };
}

/** NOTIFY channel of all streams; the payload is the stream's name. */
const channel = 'casebook_events';

const heartbeatMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 2_000;

/** The process's single LISTEN connection. Reconnects until it is closed. */
export class PostgresListener {
  readonly #connection: ClientConfig;
  readonly #nudges: Nudges;
  readonly #outage: Outage;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #pauseMs = firstPauseMs;

  constructor(options: { connection: ClientConfig; log: Logger; nudges: Nudges }) {
    this.#connection = options.connection;
    this.#nudges = options.nudges;
    this.#outage = new Outage(options.log, 'Listening for events in PostgreSQL');
  }

  /** Starts listening unless it already does. A process that only appends needs no such connection. */
  start(): void {
    if (!this.#closing.signal.aborted) this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const error = await this.#listen();
      if (signal.aborted) return;
      this.#outage.failed(error);
      // Jitter, so that processes do not all reconnect at the same instant.
      await sleep(this.#pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    }
  }

  /** The lifetime of one connection. @returns why it ended */
  async #listen(): Promise<unknown> {
    const client = new Client(this.#connection);
    const ended = Promise.withResolvers<unknown>();
    client.on('error', (error) => ended.resolve(error));
    client.on('end', () => ended.resolve(new Error('The connection ended')));
    client.on('notification', ({ payload }) => {
      if (payload) this.#nudges.nudge(payload);
    });
    const { signal } = this.#closing;
    const onClose = (): void => ended.resolve(new Error('The event log was closed'));
    signal.addEventListener('abort', onClose, { once: true });
    /** A client that is ended while connecting never settles its `connect`. */
    const unlessEnded = <T>(work: Promise<T>): Promise<T> =>
      Promise.race([
        work,
        ended.promise.then((reason): never => {
          throw reason;
        }),
      ]);
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      await unlessEnded(client.connect());
      await unlessEnded(client.query(`listen ${channel}`));
      this.#pauseMs = firstPauseMs;
      this.#outage.worked();
      // Catches up on what was appended while nobody listened.
      this.#nudges.nudgeAll();
      // A silently dropped connection (a firewall, a vanished host) shows only when it is used.
      heartbeat = setInterval(() => {
        client.query('select').catch((error: unknown) => ended.resolve(error));
      }, heartbeatMs).unref();
      return await ended.promise;
    } catch (error) {
      return error;
    } finally {
      clearInterval(heartbeat);
      signal.removeEventListener('abort', onClose);
      client.end().catch(() => undefined);
    }
  }
}

/**
 * Appends a batch: one row per event in parallel arrays $1 streams, $2 types, $3 data, $4 sizes, $5 keys; $6 channel.
 *
 * The upsert locks the streams' rows in name order, so that two batches cannot deadlock. A stream's row stays locked
 * until the commit, so events become visible in sequence order. A duplicate key uses up a sequence number, which leaves
 * a gap but no disorder. A new stream counts from the current time, so that a stream that expired and came back never
 * reuses an id.
 */
const appendSql = `
with added as materialized (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[]) with ordinality
    as added (stream, type, data, size, key, position)
), counted as materialized (
  select stream, count(*) as events from added group by stream order by stream
), locked as (
  insert into event_streams as s (stream, last_sequence, updated_at)
  select stream, (extract(epoch from clock_timestamp()) * 1000)::bigint + events, clock_timestamp()
  from counted order by stream
  on conflict (stream) do update set
    last_sequence = s.last_sequence + (select events from counted where counted.stream = s.stream),
    updated_at = excluded.updated_at
  returning s.stream, s.last_sequence
), inserted as (
  insert into events (stream, sequence, type, data, size, key, created_at)
  select stream,
    last_sequence - events + row_number() over (partition by stream order by position),
    type, data, size, key, clock_timestamp()
  from locked join counted using (stream) join added using (stream)
  order by stream, position
  on conflict (stream, key) where key is not null do nothing
  returning stream
)
select pg_notify($6, stream) from (select distinct stream from inserted) as grown`;

/** Events of stream $1 after $2, at most $3. */
const readSql = `
select sequence, type, data, created_at from events
where stream = $1 and sequence > $2 order by sequence limit $3`;

/**
 * One page for each of the parallel arrays $1 streams and $2 ids: at most $3 events, ending with the one that brings
 * the page to $4 bytes. \`request\` is the position in the arrays, from 1. Sizes are a column so that the data of
 * events beyond the page is not read.
 */
const pagesSql = `
select wanted.request::integer, page.sequence, page.type, page.data, page.size, page.created_at
from unnest($1::text[], $2::bigint[]) with ordinality as wanted (stream, after, request)
cross join lateral (
  select * from (
    select *, sum(next.size) over (order by next.sequence) - next.size as before
    from (
      select sequence, type, data, size, created_at from events
      where events.stream = wanted.stream and events.sequence > wanted.after
      order by events.sequence limit $3
    ) as next
  ) as summed
  where before < $4
) as page
order by wanted.request, page.sequence`;

/**
 * Deletes up to $2 streams without an event since $1, in name order starting after the name $3; skips those being
 * appended to. Returns them in name order.
 */
const expireStreamsSql = `
with old as materialized (
  select stream from event_streams where updated_at < $1 and stream > $3 order by stream limit $2
  for update skip locked
), expired as (
  delete from event_streams using old where event_streams.stream = old.stream returning event_streams.stream
)
select stream from expired order by stream`;

/** Deletes the streams $1, in the order in which appends lock them. */
const removeStreamsSql = `
with locked as materialized (select stream from event_streams where stream = any($1::text[]) order by stream for update)
delete from event_streams using locked where event_streams.stream = locked.stream`;

/** A separate statement after the streams are deleted, to see every event stored before they were locked. */
const deleteEventsSql = 'delete from events where stream = any($1::text[])';
