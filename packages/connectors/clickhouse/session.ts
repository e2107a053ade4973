/** One ClickHouse over HTTP, read with limits that the server enforces. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { z } from 'zod';
import { QueryError, type Network, type OperationContext } from '../connector.ts';
import { Opened } from '../shared/opened.ts';
import { abortedError, orAborted } from '../shared/or-aborted.ts';
import type { Table } from '../shared/sql/table.ts';
import { asQueryError, exceptionOf, NOT_CLICKHOUSE } from './errors.ts';

interface SessionOptions {
  url: string;
  username: string;
  password: string;
  database?: string;
  /** PEM of a certificate authority, in addition to those of Node. */
  caFile?: string;
  /** The same as text. */
  ca?: string | undefined;
  network?: Network | undefined;
  maxExecutionSeconds: number;
}

interface ReadOptions extends OperationContext {
  maxRows: number;
  parameters?: Record<string, unknown>;
}

/** What the user's profile and the server's version allow. */
interface Abilities {
  /** 0: everything, 1: neither writing nor settings, 2: settings but no writing. */
  readonly: number;
  /** The server can stop a query after its client disconnects. */
  stopsWhenClosed: boolean;
  /** Whether the function `normalizeQuery` exists. */
  normalizes: boolean;
  /** Names of the server's table functions; empty if it does not list them. */
  tableFunctions: string[];
}

interface Vendor {
  client: ClickHouseClient;
  abilities: Abilities;
}

const answer = z.object({
  meta: z.array(z.object({ name: z.string(), type: z.string() })),
  data: z.array(z.array(z.unknown())),
});

const STOPS_WHEN_CLOSED = 'cancel_http_readonly_queries_on_client_close';
const ABILITIES = `select name, value from system.settings where name in ('readonly', '${STOPS_WHEN_CLOSED}')
  union all select name, '' from system.functions where name = 'normalizeQuery'`;
const TABLE_FUNCTIONS = 'select name from system.table_functions';
const PROBE_BYTES = 100_000;
const PROBE_TIMEOUT_MS = 10_000;
const GRACE_SECONDS = 10;
const KILL_TIMEOUT_MS = 2_000;
const MAX_ERROR_BYTES = 100_000;

export class ClickhouseSession {
  readonly #options: SessionOptions;
  readonly #client = new Opened(() => this.#open());
  #abilities: Promise<Abilities> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * Reads the rows of one statement.
   * @throws {QueryError} with the server's message
   */
  async read(sql: string, options: ReadOptions): Promise<Table> {
    const { abilities } = await orAborted(this.#vendor(), options.signal);
    const settings = settingsFor(abilities, options, this.#options.maxExecutionSeconds);
    const { meta, data } = await this.#ask(sql, options, settings, abilities);
    return { columns: meta, rows: data.slice(0, options.maxRows), truncated: data.length > options.maxRows };
  }

  /** @throws {QueryError} when the server does not answer, or refuses the user */
  async abilities(signal: AbortSignal): Promise<Abilities> {
    return (await orAborted(this.#vendor(), signal)).abilities;
  }

  async close(): Promise<void> {
    await this.#client.close((client) => client.close());
  }

  async #vendor(): Promise<Vendor> {
    const client = await this.#client.get();
    this.#abilities ??= this.#probe();
    try {
      return { client, abilities: await this.#abilities };
    } catch (error) {
      // Ask again next time: the server may have been down.
      this.#abilities = undefined;
      throw asQueryError(error);
    }
  }

  async #probe(): Promise<Abilities> {
    // Not one caller's signal: others may wait for the same answer.
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const limits = { signal, maxBytes: PROBE_BYTES, maxRows: 1_000 };
    const { data } = await this.#ask(ABILITIES, limits, {});
    const tableFunctions = await this.#ask(TABLE_FUNCTIONS, limits, {}).catch((error: unknown) => {
      // Servers before 18.16 lack this table, and a user may lack the permission to read it.
      if (error instanceof QueryError && ['not_found', 'failed'].includes(error.code)) return undefined;
      throw error;
    });
    const values = new Map(data.map(([name, value]) => [name, value]));
    return {
      readonly: Number(values.get('readonly') ?? 0),
      stopsWhenClosed: values.has(STOPS_WHEN_CLOSED),
      normalizes: values.has('normalizeQuery'),
      tableFunctions: tableFunctions?.data.map(([name]) => String(name)) ?? [],
    };
  }

  async #ask(
    sql: string,
    { signal, maxBytes, parameters }: ReadOptions,
    settings: ClickHouseSettings,
    abilities?: Abilities,
  ): Promise<z.output<typeof answer>> {
    const client = await this.#client.get();
    const query_id = randomUUID();
    try {
      signal.throwIfAborted();
      const { stream, http_status_code = 0 } = await client.exec({
        // On its own line: the statement may end in a comment.
        query: `${sql}\nFORMAT JSONCompact`,
        query_id,
        query_params: parameters,
        clickhouse_settings: settings,
        abort_signal: signal,
        // The client would read an error to its end, however long it is.
        ignore_error_response: true,
      });
      if (http_status_code !== 200) throw exceptionOf(await startOf(stream)) ?? new Error(NOT_CLICKHOUSE);
      const text = await bounded(stream, maxBytes);
      const parsed = answer.safeParse(parsedJson(text));
      // An error in the middle of the rows follows a status of 200, as text after them.
      if (!parsed.success) throw exceptionOf(text.slice(-10_000)) ?? new Error(NOT_CLICKHOUSE);
      return parsed.data;
    } catch (error) {
      const ours = error instanceof QueryError && error.code === 'too_large';
      if ((signal.aborted || ours) && abilities?.readonly === 0) await kill(client, query_id).catch(() => undefined);
      throw signal.aborted ? abortedError() : asQueryError(error);
    }
  }

  async #open(): Promise<ClickHouseClient> {
    const { url, username, password, database, caFile, ca, network, maxExecutionSeconds } = this.#options;
    const problem = network?.urlProblem(url);
    if (problem !== undefined) throw new QueryError('failed', problem);
    const [{ createClient, ClickHouseLogLevel }, ca_cert] = await Promise.all([
      import('@clickhouse/client'),
      caFile === undefined ? ca && Buffer.from(ca) : readFile(caFile),
    ]);
    const options = { keepAlive: true, lookup: network?.lookup };
    // An agent of its own has to know the certificate itself.
    const http_agent = url.startsWith('https:')
      ? new HttpsAgent({ ...options, ...(ca_cert && { ca: ca_cert }) })
      : new HttpAgent(options);
    return createClient({
      url,
      username,
      password,
      database,
      request_timeout: (maxExecutionSeconds + GRACE_SECONDS) * 1000,
      application: 'casebook',
      log: { level: ClickHouseLogLevel.OFF },
      ...(network ? { http_agent } : ca_cert && { tls: { ca_cert } }),
    });
  }
}

/**
 * `readonly=1` if the user may set it: nothing can be written, and the statement cannot change settings. A user whose
 * profile already has it may send no settings, so the profile's limits apply instead of these.
 */
function settingsFor(
  { readonly, stopsWhenClosed }: Abilities,
  { maxRows, remainingMs = Infinity }: Pick<ReadOptions, 'maxRows' | 'remainingMs'>,
  maxExecutionSeconds: number,
): ClickHouseSettings {
  if (readonly === 1) return {};
  return {
    ...(readonly === 0 && { readonly: '1' }),
    ...(stopsWhenClosed && { [STOPS_WHEN_CLOSED]: 1 }),
    // A profile may have it return what it has by then, as if that were all.
    timeout_overflow_mode: 'throw',
    max_execution_time: Math.max(1, Math.ceil(Math.min(maxExecutionSeconds, remainingMs / 1000))),
    // One row more than requested shows that there are more. The server sends whole blocks of rows.
    max_result_rows: String(maxRows + 1),
    result_overflow_mode: 'break',
  };
}

async function kill(client: ClickHouseClient, queryId: string): Promise<void> {
  const { stream } = await client.exec({
    query: `KILL QUERY WHERE query_id = '${queryId}' ASYNC`,
    abort_signal: AbortSignal.timeout(KILL_TIMEOUT_MS),
    ignore_error_response: true,
  });
  await startOf(stream);
}

/** Of an answer that is not rows, as much as anybody reads. */
async function startOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.length > MAX_ERROR_BYTES) break;
  }
  return text;
}

/** Enforced here: ClickHouse would silently cut the rows at its own byte limit. */
async function bounded(stream: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    // Leaving the loop ends the stream and with it the connection.
    if (bytes > maxBytes)
      throw new QueryError('too_large', `The rows exceed ${maxBytes} bytes. Ask for fewer rows or columns.`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
