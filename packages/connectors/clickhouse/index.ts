/**
 * ClickHouse over HTTP. Reading is enforced by the statement's first word and its table functions, and by the server's
 * `readonly`. Give the user a profile with `readonly = 2`, or with `readonly = 1` and limits of its own: then the
 * satellite may send no settings, and the profile's limits on time and rows apply.
 */
import { z } from 'zod';
import {
  TEST_CONNECTION,
  defineConnectorKind,
  defineOperation,
  QueryError,
  type ConnectorOperation,
  type OperationContext,
} from '../connector.ts';
import { recordsOf, DEFAULT_ROWS, MAX_ROWS } from '../shared/sql/table.ts';
import * as catalogue from './catalogue.ts';
import { readingClickhouse } from './guard.ts';
import { ClickhouseSession } from './session.ts';
import { testConnection } from './test-connection.ts';

const config = z
  .strictObject({
    /** `https://host:8443`; the HTTP interface, not the native one. */
    url: z
      .url({ protocol: /^https?$/u })
      // The client would take them for options of its own.
      .refine((url) => new URL(url).search === '', 'must not have parameters')
      .optional(),
    /** Instead of a URL: a host name or an address. */
    host: z
      .string()
      .regex(/^[\w.:-]{1,253}$/u, 'must be a host name or an address')
      .optional(),
    /** Of the HTTP interface; by default 8443, or 8123 without TLS. */
    port: z.number().int().min(1).max(65_535).optional(),
    /** Whether to use TLS. */
    secure: z.boolean().default(true),
    username: z.string().default('default'),
    password: z.string().default(''),
    database: z.string().optional(),
    ca_file: z.string().optional(),
    /** PEM of the authority that signed the server's certificate. */
    ca_certificate: z.string().optional(),
    /** Timeout of one statement. */
    max_execution_seconds: z.number().int().min(1).max(600).default(60),
  })
  .refine(({ url, host }) => (url === undefined) !== (host === undefined), {
    path: ['host'],
    error: 'or url is needed',
  });

/** The address of the HTTP interface at a host. */
export function clickhouseUrl({ host, port, secure = true }: Readonly<Record<string, unknown>>): string {
  const name = typeof host === 'string' && host.includes(':') ? `[${host}]` : String(host);
  const at = typeof port === 'number' ? port : secure === true ? 8443 : 8123;
  return `${secure === true ? 'https' : 'http'}://${name}:${at}`;
}

/** How a customer's ClickHouse is configured and created. */
export const clickhouse = defineConnectorKind({
  kind: 'clickhouse',
  config,
  create: (settings, { id, title, network }) => {
    const session = new ClickhouseSession({
      url: settings.url ?? clickhouseUrl(settings),
      network,
      username: settings.username,
      password: settings.password,
      database: settings.database,
      caFile: settings.ca_file,
      ca: settings.ca_certificate,
      maxExecutionSeconds: settings.max_execution_seconds,
    });
    return {
      id,
      kind: 'clickhouse',
      title,
      operations: [...operationsOn(session), testOf(session, settings)],
      async check(signal) {
        await session.read('select 1', { maxRows: 1, maxBytes: 100_000, signal });
      },
      close: () => session.close(),
    };
  },
});

const testOf = (session: ClickhouseSession, settings: z.output<typeof config>): ConnectorOperation =>
  defineOperation({
    name: TEST_CONNECTION,
    description: 'Whether it answers, and what the user may do.',
    parameters: z.strictObject({}),
    tool: false,
    run: (_parameters, context) => testConnection(session, settings, context),
  });

function operationsOn(session: ClickhouseSession): ConnectorOperation[] {
  const records = async (sql: string, context: OperationContext) =>
    recordsOf(await session.read(sql, { ...context, maxRows: MAX_ROWS }));
  return [
    defineOperation({
      name: 'query',
      description:
        'Runs one reading statement (SELECT, WITH, SHOW, DESCRIBE, EXISTS, EXPLAIN) on ClickHouse and returns columns and rows. Do not write a FORMAT. Parameters are written {name:Type}. Aggregate in SQL rather than reading many rows.',
      parameters: z.strictObject({
        sql: z.string().min(1).max(100_000),
        parameters: z
          .record(z.string().regex(/^\w{1,64}$/u), z.union([z.string(), z.number(), z.boolean(), z.null()]))
          .optional(),
        max_rows: z.number().int().min(1).max(MAX_ROWS).optional(),
      }),
      tool: true,
      async run({ sql, parameters, max_rows = DEFAULT_ROWS }, context) {
        // What every server refuses is refused without asking this one.
        readingClickhouse(sql);
        const { tableFunctions } = await session.abilities(context.signal);
        const statement = readingClickhouse(sql, tableFunctions);
        return session.read(statement, { ...context, parameters, maxRows: max_rows });
      },
    }),
    defineOperation({
      name: 'tables',
      description: 'The tables of all databases, or of one: engine, rows, bytes on disk, parts, when last changed.',
      parameters: z.strictObject({ database: z.string().max(200).optional() }),
      tool: true,
      async run({ database }, context) {
        const [tables, parts] = await Promise.all([
          records(catalogue.tables(database), context),
          records(catalogue.partsByTable(database), context),
        ]);
        const partsOf = new Map(parts.map(({ database, table, ...sums }) => [JSON.stringify([database, table]), sums]));
        return tables.map((table) => ({
          ...table,
          ...partsOf.get(JSON.stringify([table['database'], table['name']])),
        }));
      },
    }),
    defineOperation({
      name: 'describe_table',
      description: 'Columns with their sizes, engine and keys of a table: `name` or `database.name`.',
      parameters: z.strictObject({ table: z.string().min(1).max(400) }),
      tool: true,
      async run({ table }, context) {
        const [[found], columns] = await Promise.all([
          records(catalogue.findTable(table), context),
          records(catalogue.columns(table), context),
        ]);
        if (!found) throw new QueryError('not_found', `There is no table ${table}.`);
        return { ...found, columns };
      },
    }),
    defineOperation({
      name: 'processes',
      description: 'The running queries, oldest first, with rows and bytes read and memory used.',
      parameters: z.strictObject({}),
      tool: true,
      run: (_parameters, context) => records(catalogue.PROCESSES, context),
    }),
    defineOperation({
      name: 'parts_and_merges',
      description:
        'Tables with the most active parts, merges that run now with their progress, and mutations that are not done, with the reason of their last failure.',
      parameters: z.strictObject({}),
      tool: true,
      async run(_parameters, context) {
        const [parts, merges, mutations] = await Promise.all(
          [catalogue.PARTS, catalogue.MERGES, catalogue.MUTATIONS].map((sql) => records(sql, context)),
        );
        return { parts, merges, mutations };
      },
    }),
    defineOperation({
      name: 'replicas',
      description:
        'Replicated tables, worst first: whether they are read-only, their delay in seconds, and the length of their queue. Empty without replication.',
      parameters: z.strictObject({}),
      tool: true,
      run: (_parameters, context) => records(catalogue.REPLICAS, context),
    }),
    defineOperation({
      name: 'errors',
      description: 'Errors that the server counted since its start, newest first, with the last message of each.',
      parameters: z.strictObject({}),
      tool: true,
      run: (_parameters, context) => records(catalogue.ERRORS, context),
    }),
    defineOperation({
      name: 'slow_queries',
      description:
        'The queries that took the most time in total in the last seconds (default 3600), from system.query_log, with calls, mean and maximum in ms, rows and bytes read.',
      parameters: z.strictObject({
        limit: z.number().int().min(1).max(200).optional(),
        since_seconds: z
          .number()
          .int()
          .min(1)
          .max(30 * 86_400)
          .optional(),
      }),
      tool: true,
      async run({ limit = 20, since_seconds = 3600 }, context) {
        const { normalizes } = await session.abilities(context.signal);
        return records(catalogue.slowQueries(limit, since_seconds, normalizes), context);
      },
    }),
  ];
}
