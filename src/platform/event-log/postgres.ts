import { Pool, type ClientConfig, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import type { Logger } from '../logger.ts';
import { Batcher } from './batcher.ts';
import type { EncodedEvent } from './encode.ts';
import { pageBytes, pageEvents, type Page } from './follow.ts';
import type { Nudges } from './nudges.ts';
import { Outage } from './outage.ts';
import type { EventData, EventLog, LogEvent } from './port.ts';
import { channel, PostgresListener } from './postgres-listener.ts';
import { appendSql, deleteEventsSql, expireStreamsSql, pagesSql, readSql, removeStreamsSql } from './postgres-sql.ts';
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
