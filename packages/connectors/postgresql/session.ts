/** One PostgreSQL, read one statement at a time, in a read-only transaction that is always rolled back. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type pgModule from 'pg';
import type { ClientBase, ClientConfig, FieldDef, Pool, PoolClient } from 'pg';
import type Cursor from 'pg-cursor';
import { QueryError, type Log, type Network } from '../connector.ts';
import { clientConfig, hostProblem, type PostgresConfig } from './config.ts';
import { encrypts, guardedSocket } from './socket.ts';
import { watchWire } from './wire.ts';
import { Opened } from '../shared/opened.ts';
import { abortedError, orAborted } from '../shared/or-aborted.ts';
import type { Table } from '../shared/sql/table.ts';

interface ReadOptions {
  maxRows: number;
  maxBytes: number;
  signal: AbortSignal;
  remainingMs?: number;
}

const BATCH_ROWS = 200;
const WATCH_MS = 25;
const CONNECT_TIMEOUT_MS = 10_000;
const CANCEL_GRACE_MS = 3_000;
const CLEAN_UP_MS = 2_000;

interface Wire {
  /** Counts the incoming bytes on arrival, before they become rows. */
  socket: Socket;
  /** Has everything ignored that still comes in. */
  mute(): void;
}

interface Vendor {
  pool: Pool;
  wires: WeakMap<object, Wire>;
  newCursor: (sql: string, values: unknown[]) => Cursor<unknown[]>;
  typeName: (oid: number) => string;
}

export class PostgresSession {
  readonly #settings: PostgresConfig;
  readonly #log: Log;
  readonly #network: Network | undefined;
  readonly #vendor = new Opened(() => this.#open());

  constructor(settings: PostgresConfig, { log, network }: { log: Log; network?: Network | undefined }) {
    this.#settings = settings;
    this.#log = log;
    this.#network = network;
  }

  /**
   * Reads the rows of one statement. When `signal` fires, the server is asked to cancel it.
   * @throws {QueryError} with the server's message
   */
  async read(sql: string, values: unknown[], options: ReadOptions): Promise<Table> {
    const problem = hostProblem(this.#settings, this.#network);
    if (problem !== undefined) throw new QueryError('failed', problem);
    const vendor = await orAborted(this.#vendor.get(), options.signal).catch((error: unknown) => {
      throw asQueryError(error);
    });
    const client = await connected(vendor.pool, options.signal);
    // A cancelled connection may be cancelled later still, in the middle of another caller's statement.
    let spoiled = false;
    let cancelling: Promise<void> | undefined;
    const stop = Promise.withResolvers<never>();
    stop.promise.catch(() => undefined);
    const cancel = (reason: QueryError): void => {
      if (spoiled) return;
      spoiled = true;
      wire?.mute();
      cancelling = cancelOn(client, this.#network).finally(() => stop.reject(reason));
    };
    const onAbort = (): void => cancel(abortedError());
    const wire = vendor.wires.get(client);
    options.signal.addEventListener('abort', onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    const before = wire?.socket.bytesRead ?? 0;
    const tooLarge = (): boolean => (wire?.socket.bytesRead ?? 0) - before > options.maxBytes;
    const watch = setInterval(() => {
      if (tooLarge()) cancel(tooLargeError(options.maxBytes));
    }, WATCH_MS);
    try {
      const reading = this.#readIn(client, vendor, sql, values, options);
      reading.catch(() => undefined);
      const table = await Promise.race([reading, stop.promise]);
      if (tooLarge()) throw tooLargeError(options.maxBytes);
      return table;
    } catch (error) {
      // The server's message about its cancellation is not the reason.
      if (cancelling) await stop.promise;
      throw asQueryError(error);
    } finally {
      clearInterval(watch);
      options.signal.removeEventListener('abort', onAbort);
      if (!spoiled) spoiled = !(await cleanedUp(client));
      client.release(spoiled);
    }
  }

  async close(): Promise<void> {
    await this.#vendor.close(({ pool }) => pool.end());
  }

  async #readIn(
    client: PoolClient,
    vendor: Vendor,
    sql: string,
    values: unknown[],
    { maxRows, remainingMs = Infinity }: ReadOptions,
  ): Promise<Table> {
    const { lock_timeout_seconds, statement_timeout_seconds } = this.#settings;
    const lockTimeoutMs = lock_timeout_seconds * 1_000;
    const statementTimeoutMs = Math.max(1, Math.ceil(Math.min(statement_timeout_seconds * 1_000, remainingMs)));
    // The select takes the transaction's snapshot: from then on the server refuses to make the transaction read-write.
    await client.query(
      `begin read only; select set_config('statement_timeout', '${statementTimeoutMs}', true),
       set_config('lock_timeout', '${lockTimeoutMs}', true), set_config('TimeZone', 'UTC', true),
       set_config('standard_conforming_strings', 'on', true),
       set_config('idle_in_transaction_session_timeout', '${statementTimeoutMs + CANCEL_GRACE_MS}', true)`,
    );
    const cursor = client.query(vendor.newCursor(sql, values));
    const rows: unknown[][] = [];
    let fields: FieldDef[] = [];
    for (;;) {
      const wanted = Math.min(BATCH_ROWS, maxRows + 1 - rows.length);
      const batch = await new Promise<unknown[][]>((resolve, reject) => {
        cursor.read(wanted, (error, some, result) => {
          if (error) return reject(error);
          fields = result.fields;
          resolve(some);
        });
      });
      rows.push(...batch);
      if (batch.length < wanted || rows.length > maxRows) break;
    }
    const truncated = rows.length > maxRows;
    if (truncated) await cursor.close();
    const columns = fields.map(({ name, dataTypeID }) => ({ name, type: vendor.typeName(dataTypeID) }));
    return { columns, rows: rows.slice(0, maxRows), truncated };
  }

  async #open(): Promise<Vendor> {
    const [{ default: pg }, { default: Cursor }] = await Promise.all([import('pg'), import('pg-cursor')]);
    const wires = new WeakMap<object, Wire>();
    const log = this.#log;
    const network = this.#network;
    const settings = this.#settings;
    const { ssl_mode: mode } = settings;
    const isEncrypting = mode === 'prefer' ? await encrypts(settings, network) : mode !== 'disable';
    class CountedClient extends pg.Client {
      constructor(config?: ClientConfig) {
        const socket = guardedSocket(network);
        // The pool hides the password from those who copy its options.
        super({ ...config, password: config?.password, stream: () => socket });
        wires.set(this, { socket, mute: watchWire(this) });
        // The current reader also learns of a lost connection; an unhandled event would end this process.
        this.on('error', (error) => log.debug({ err: error }, 'a connection to PostgreSQL was lost'));
      }
    }
    const pool = new pg.Pool({
      ...clientConfig(settings, isEncrypting),
      max: settings.max_connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      application_name: 'casebook',
      Client: CountedClient,
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, its types do not say so
      ...(!settings.allow_powerful && { onConnect: refusePowerful }),
    });
    pool.on('error', () => undefined);
    const names = typeNames(pg.types);
    const types = valueParsers(pg.types);
    return {
      pool,
      wires,
      newCursor: (sql, values) => new Cursor(sql, values, { rowMode: 'array', types }),
      typeName: (oid) => names.get(oid) ?? String(oid),
    };
  }
}

function tooLargeError(maxBytes: number): QueryError {
  return new QueryError('too_large', `The rows exceed ${maxBytes} bytes. Ask for fewer rows or columns.`);
}

/** A connection from the pool; one that arrives after `signal` has fired goes straight back. */
async function connected(pool: Pool, signal: AbortSignal): Promise<PoolClient> {
  let connecting: Promise<PoolClient> | undefined;
  try {
    signal.throwIfAborted();
    // Throws synchronously when a certificate cannot be read.
    connecting = pool.connect();
    return await orAborted(connecting, signal);
  } catch (error) {
    connecting?.then(
      (client) => client.release(),
      () => undefined,
    );
    throw signal.aborted ? abortedError() : asQueryError(error);
  }
}

/** A superuser is a member of every role. */
const POWERFUL = `select rolname from pg_catalog.pg_roles
  where (rolsuper or rolname in ('pg_execute_server_program', 'pg_write_server_files', 'pg_write_all_data'))
    and pg_catalog.pg_has_role(oid, 'member') order by rolsuper desc limit 1`;

/** A read-only transaction does not restrain a role that may run programs or write files. @throws {QueryError} */
async function refusePowerful(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(POWERFUL);
  if (!rows[0]) return;
  throw new QueryError(
    'failed',
    `This connector's role is a superuser, or may write: it is a member of ${rows[0].rolname}. Give it one that only ` +
      'reads: create role casebook login; grant pg_read_all_data, pg_monitor to casebook.',
  );
}

/**
 * Ends the transaction and leaves nothing of the session behind: no locks, no settings. Bounded in time, since the
 * answer may never arrive.
 * @returns false when the connection is not reusable
 */
async function cleanedUp(client: PoolClient): Promise<boolean> {
  const ended = client
    .query('rollback')
    .then(() => client.query('discard all'))
    .then(
      () => true,
      () => false,
    );
  const waiting = new AbortController();
  const late = delay(CLEAN_UP_MS, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([ended, late]);
  } finally {
    waiting.abort();
  }
}

/** The client has the connection's address and its cancel key, but not in its types. */
const cancelTarget = z.object({ host: z.string(), port: z.number(), processID: z.number(), secretKey: z.number() });

async function cancelOn(client: PoolClient, network: Network | undefined): Promise<void> {
  const { data } = cancelTarget.safeParse(client);
  if (data) await requestCancel({ ...data, processId: data.processID }, network);
}

interface CancelTarget {
  host: string;
  port: number;
  processId: number;
  secretKey: number;
}

/** The code of PostgreSQL's CancelRequest message (protocol, "Message Formats"). */
const CANCEL_REQUEST = 80_877_102;
const TIMEOUT_MS = 2_000;

/**
 * Asks the server, over a separate connection, to cancel the current work of one of its connections. The message is
 * never encrypted: it holds only a process number and a random key.
 * @returns once the server has read it, or cannot be reached; it never answers
 */
function requestCancel(
  { host, port, processId, secretKey }: CancelTarget,
  network: Network | undefined,
): Promise<void> {
  const message = Buffer.alloc(16);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(CANCEL_REQUEST, 4);
  message.writeInt32BE(processId, 8);
  message.writeInt32BE(secretKey, 12);
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${port}`)
    : connect({ port, host, lookup: network?.lookup });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('close', () => resolve());
  socket.on('connect', () => socket.end(message));
  socket.resume();
  return promise;
}

/**
 * bool, the integers that fit, floats, json and arrays of simple values; everything else stays as the server writes it.
 */
const PARSED = new Set([16, 21, 23, 26, 114, 3802, 1000, 1005, 1007, 1009, 1015]);
const INT8 = 20;
const FLOATS = new Set([700, 701]);

/**
 * Times stay text (the session's time zone is UTC) and so does `numeric` (it may be more exact than a number); the
 * client's own parsers would read times in this machine's zone.
 */
function valueParsers(types: typeof pgModule.types): pgModule.CustomTypesConfig {
  return {
    getTypeParser: (oid: number, format?: 'text' | 'binary') => {
      if (oid === INT8) return (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);
      if (FLOATS.has(oid)) return (text: string) => (Number.isFinite(Number(text)) ? Number(text) : text);
      return PARSED.has(oid) && format !== 'binary' ? types.getTypeParser(oid, 'text') : (text: string) => text;
    },
  };
}

/** @returns the names of PostgreSQL's own types by OID, in lower case */
function typeNames(types: typeof pgModule.types): ReadonlyMap<number, string> {
  return new Map(Object.entries(types.builtins).map(([name, oid]) => [oid, name.toLowerCase()]));
}

const CODES: Record<string, QueryError['code']> = {
  // query_canceled (its time limit), too_many_connections, lock_not_available.
  '57014': 'timeout',
  '53300': 'busy',
  '55P03': 'busy',
};

/** Classes: data exception, cardinality, invalid transaction state (read-only), syntax or access rule, parameters. */
const CALLER_ERRORS = /^(?:22|21|25|42|08P01)/u;

/** The server's message, with its detail and hint. */
function asQueryError(error: unknown): QueryError {
  if (error instanceof QueryError) return error;
  if (!(error instanceof Error)) return new QueryError('failed', String(error));
  const part = (name: string): string | undefined => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const state = part('code');
  const position = part('position');
  const words = [
    error.message || state || 'no connection',
    part('detail'),
    part('hint') && `Hint: ${part('hint')}`,
    position && `At character ${position}.`,
  ].filter(Boolean);
  // An SQLSTATE has five characters; anything else comes from the network or the client.
  const isServers = state !== undefined && /^[0-9A-Z]{5}$/u.test(state) && part('severity') !== undefined;
  if (!isServers) return new QueryError('failed', `No answer from PostgreSQL: ${words.join('. ')}`, { cause: error });
  const code = CODES[state] ?? (CALLER_ERRORS.test(state) ? 'bad_request' : 'failed');
  return new QueryError(code, `PostgreSQL: ${words.join('. ')} (${state})`, { cause: error });
}
