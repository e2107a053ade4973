import { Pool, type ClientConfig, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import type { Logger } from '../logger.ts';
import { Batcher } from './batcher.ts';
import { checkStream, encodeEvent, type EncodedEvent } from './encode.ts';
import { EventLogError, unavailable } from './errors.ts';
import { follow, pageBytes, pageEvents, type Page } from './follow.ts';
import { Nudges } from './nudges.ts';
import { Outage } from './outage.ts';
import type { EventData, EventLog, LogEvent, NewEvent } from './port.ts';
import { channel, PostgresListener } from './postgres-listener.ts';
import { appendSql, expireEventsSql, expireStreamsSql, pagesSql, readSql } from './postgres-sql.ts';

interface Append {
  stream: string;
  events: EncodedEvent[];
}

interface PageRequest {
  stream: string;
  afterId: string | undefined;
}

interface Row {
  request: number;
  sequence: string;
  type: string;
  data: string;
  size: number;
  created_at: Date;
}

const connectTimeoutMs = 5_000;
const queryTimeoutMs = 30_000;
const pollMs = 5_000;
/** Streams deleted in one transaction, to keep its locks short. */
const expireBatch = 500;

/** 1 to 18 digits: every such number fits a PostgreSQL bigint. */
const idPattern = /^(0|[1-9]\d{0,17})$/;

/**
 * The event log in PostgreSQL: two tables and LISTEN/NOTIFY. It holds at most four pooled connections, and one more for
 * LISTEN once something is tailed, however many streams are tailed.
 *
 * Appends and page reads are shared between streams (see {@link Batcher}): NOTIFY takes a lock of the whole server until
 * the commit is on disk, so 500 streams that each committed on their own would wait for one another.
 * @param options.databaseUrl a database with the tables of the `event-log` migration
 */
export function createPostgresEventLog(options: { databaseUrl: string; log: Logger }): EventLog {
  return new PostgresEventLog(options.databaseUrl, options.log);
}

class PostgresEventLog implements EventLog {
  readonly kind = 'postgres';
  readonly #pool: Pool;
  readonly #nudges = new Nudges({ pollMs });
  readonly #listener: PostgresListener;
  readonly #outage: Outage;
  // One lane: events appended by this instance to one stream are stored in the order of the calls.
  readonly #appends = new Batcher<Append, void>({
    run: (batch) => this.#append(batch),
    lanes: 1,
    maxItems: 1_000,
    maxWeight: 4 * 1024 * 1024,
  });
  readonly #pages = new Batcher<PageRequest, Page>({
    run: (batch) => this.#readPages(batch),
    lanes: 2,
    // Bounds the memory of one answer: 64 pages, 16 MB and what overshoots it.
    maxItems: 64,
    maxWeight: 0,
  });
  #closed: Promise<void> | undefined;

  constructor(databaseUrl: string, log: Logger) {
    this.#outage = new Outage(log, 'Reaching the event log in PostgreSQL');
    const connection: ClientConfig = {
      connectionString: databaseUrl,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      application_name: 'casebook-event-log',
    };
    this.#pool = new Pool({ ...connection, max: 4, idleTimeoutMillis: 60_000 });
    // Idle clients report a killed server here; without a listener that would end the process.
    this.#pool.on('error', (error) => this.#outage.failed(error));
    this.#listener = new PostgresListener({ connection, log, nudges: this.#nudges });
  }

  async append(stream: string, events: readonly NewEvent[]): Promise<void> {
    this.#checkOpen();
    checkStream(stream);
    const encoded = events.map(encodeEvent);
    if (encoded.length === 0) return;
    const bytes = encoded.reduce((sum, { size }) => sum + size, 0);
    await this.#appends.add({ stream, events: encoded }, bytes);
  }

  async read(stream: string, options: { afterId?: string; limit?: number } = {}): Promise<LogEvent[]> {
    this.#checkOpen();
    checkStream(stream);
    this.#checkId(options.afterId);
    const values = [stream, options.afterId ?? '0', options.limit ?? 1_000];
    const { rows } = await this.#query<Row>({ name: 'event-log-read', text: readSql, values });
    return rows.map(toEvent);
  }

  tail(stream: string, options: { afterId?: string; signal: AbortSignal }): AsyncIterable<LogEvent> {
    this.#checkOpen();
    checkStream(stream);
    this.#checkId(options.afterId);
    return follow({
      afterId: options.afterId,
      signal: options.signal,
      subscribe: () => {
        this.#listener.start();
        return this.#nudges.subscribe(stream);
      },
      readPage: (afterId) => this.#pages.add({ stream, afterId }),
    });
  }

  isValidId(id: string): boolean {
    return idPattern.test(id);
  }

  async expire(before: Date): Promise<number> {
    this.#checkOpen();
    let expired = 0;
    for (;;) {
      const count = await this.#expireSome(before);
      expired += count;
      if (count < expireBatch) return expired;
    }
  }

  async check(): Promise<void> {
    this.#checkOpen();
    await this.#query({ text: 'select from event_streams limit 1' });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#nudges.close();
    await this.#appends.drain();
    await this.#pages.drain();
    await Promise.all([this.#listener.close(), this.#pool.end()]);
  }

  #checkOpen(): void {
    if (this.#closed) throw new EventLogError('closed', 'The event log was closed');
  }

  #checkId(id: string | undefined): void {
    if (id !== undefined && !this.isValidId(id)) {
      throw new EventLogError('invalid_id', 'The position is not an id of this event log');
    }
  }

  async #query<R extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<R>> {
    try {
      const result = await this.#pool.query<R>(query);
      this.#outage.worked();
      return result;
    } catch (error) {
      this.#outage.failed(error);
      throw unavailable(error);
    }
  }

  async #append(batch: Append[]): Promise<void[]> {
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

  async #readPages(requests: PageRequest[]): Promise<Page[]> {
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
    const sizes = requests.map(() => 0);
    const pages = requests.map((): Page => ({ events: [], more: false }));
    for (const row of rows) {
      // The SQL counts requests from 1.
      const page = pages[row.request - 1]!;
      page.events.push(toEvent(row));
      sizes[row.request - 1]! += row.size;
      page.more = page.events.length >= pageEvents || sizes[row.request - 1]! >= pageBytes;
    }
    return pages;
  }

  async #expireSome(before: Date): Promise<number> {
    let client: PoolClient | undefined;
    let failure: Error | undefined;
    // Without a listener a connection lost in the middle would end the process; the query rejects as well.
    const onError = () => undefined;
    try {
      client = await this.#pool.connect();
      client.on('error', onError);
      await client.query('begin');
      const { rows } = await client.query<{ stream: string }>(expireStreamsSql, [before, expireBatch]);
      await client.query(expireEventsSql, [rows.map(({ stream }) => stream)]);
      await client.query('commit');
      return rows.length;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw unavailable(error);
    } finally {
      client?.off('error', onError);
      // A failed client is not given back: its transaction may be open.
      client?.release(failure);
    }
  }
}

function toEvent(row: Row): LogEvent {
  const data: EventData = JSON.parse(row.data);
  return { id: row.sequence, type: row.type, data, at: row.created_at };
}
