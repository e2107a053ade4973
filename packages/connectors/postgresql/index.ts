/**
 * PostgreSQL 14 and later, and systems with its protocol. Reading is enforced by the statement's first word and a list
 * of functions it may call, and by the server: a read-only transaction with time limits that is always rolled back, in
 * a session that is discarded. Neither stops a superuser, so such a role is refused: `create role casebook login; grant
 * pg_read_all_data, pg_monitor to casebook`.
 */
import { z } from 'zod';
import { config, type PostgresConfig } from './config.ts';
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
import { readingPostgres } from './guard.ts';
import { PostgresSession } from './session.ts';
import { testConnection } from './test-connection.ts';

const CHECK_BYTES = 100_000;

/** How a customer's PostgreSQL is configured and created. */
export const postgresql = defineConnectorKind({
  kind: 'postgresql',
  config,
  create: (settings, { id, title, log, network }) => {
    const session = new PostgresSession(settings, { log, network });
    return {
      id,
      kind: 'postgresql',
      title,
      operations: [...operationsOn(session, new Set(settings.allowed_functions)), testOf(session, settings)],
      async check(signal) {
        await session.read('select 1', [], { maxRows: 1, maxBytes: CHECK_BYTES, signal });
      },
      close: () => session.close(),
    };
  },
});

const testOf = (session: PostgresSession, settings: PostgresConfig): ConnectorOperation =>
  defineOperation({
    name: TEST_CONNECTION,
    description: 'Whether it answers, and what the role may do.',
    parameters: z.strictObject({}),
    tool: false,
    run: (_parameters, { signal }) => testConnection(session, settings, signal),
  });

function operationsOn(session: PostgresSession, allowed: ReadonlySet<string>): ConnectorOperation[] {
  const read = (sql: string, values: unknown[], context: OperationContext, maxRows = MAX_ROWS) =>
    session.read(sql, values, { ...context, maxRows });
  const records = async (sql: string, values: unknown[], context: OperationContext) =>
    recordsOf(await read(sql, values, context));
  const reading = async (sql: string, context: OperationContext): Promise<string> => {
    const { statement, attributes } = readingPostgres(sql, allowed);
    if (attributes.length === 0) return statement;
    const [name] = (await read(catalogue.FUNCTIONS_OF_ONE, [attributes], context)).rows[0] ?? [];
    if (typeof name !== 'string') return statement;
    throw new QueryError(
      'bad_request',
      `Only reading is allowed: .${name} may call the function ${name}(), which is not known to only read. Write a column of that name without what is before it, or call it something else.`,
    );
  };
  return [
    defineOperation({
      name: 'query',
      description:
        'Runs one reading SQL statement (SELECT, WITH, VALUES, TABLE, SHOW, EXPLAIN) on PostgreSQL and returns columns and rows. Parameters are written $1, $2 … Times are in UTC. Only functions known to be read-only may be called. Aggregate in SQL rather than reading many rows.',
      parameters: z.strictObject({
        sql: z.string().min(1).max(100_000),
        parameters: z
          .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
          .max(100)
          .optional(),
        max_rows: z.number().int().min(1).max(MAX_ROWS).optional(),
      }),
      tool: true,
      run: async ({ sql, parameters = [], max_rows = DEFAULT_ROWS }, context) =>
        read(await reading(sql, context), parameters, context, max_rows),
    }),
    defineOperation({
      name: 'tables',
      description:
        'The tables and views of the database (or of one schema), largest first: estimated rows, bytes with indexes, scans, dead rows, last vacuum and analyze.',
      parameters: z.strictObject({ schema: z.string().max(200).optional() }),
      tool: true,
      run: ({ schema = null }, context) => records(catalogue.TABLES, [schema], context),
    }),
    defineOperation({
      name: 'describe_table',
      description:
        'Columns, indexes (with how often each was used) and constraints of a table: `name` or `schema.name`.',
      parameters: z.strictObject({ table: z.string().min(1).max(400) }),
      tool: true,
      async run({ table }, context) {
        const found = await read(catalogue.FIND_TABLE, [table], context);
        const [oid, schema, name, estimated_rows, total_bytes] = found.rows[0] ?? [];
        if (oid === undefined) throw new QueryError('not_found', `There is no table ${table} in this database.`);
        const [columns, indexes, constraints] = await Promise.all(
          [catalogue.COLUMNS, catalogue.INDEXES, catalogue.CONSTRAINTS].map((sql) => records(sql, [oid], context)),
        );
        return { schema, name, estimated_rows, total_bytes, columns, indexes, constraints };
      },
    }),
    defineOperation({
      name: 'activity',
      description:
        'What PostgreSQL is doing now: connections by state and user, and every session that is not idle, oldest transaction first, with its wait event and who blocks it.',
      parameters: z.strictObject({}),
      tool: true,
      async run(_parameters, context) {
        const [connections, sessions] = await Promise.all([
          records(catalogue.CONNECTIONS, [], context),
          records(catalogue.ACTIVITY, [], context),
        ]);
        return { connections, sessions };
      },
    }),
    defineOperation({
      name: 'slow_queries',
      description:
        'The statements of this database that took the most time in total since the statistics were reset (pg_stat_statements), with calls, mean and maximum in ms, rows and blocks.',
      parameters: z.strictObject({ limit: z.number().int().min(1).max(200).optional() }),
      tool: true,
      async run({ limit = 20 }, context) {
        const [schema] = (await read(catalogue.FIND_STATEMENTS, [], context)).rows[0] ?? [];
        if (typeof schema !== 'string')
          throw new QueryError('not_found', 'The extension pg_stat_statements is not installed in this database.');
        return records(catalogue.slowQueries(schema), [limit], context);
      },
    }),
    defineOperation({
      name: 'explain',
      description:
        'The plan of one reading SQL statement (EXPLAIN, without running it): nodes with estimated cost and rows, as JSON. Parameters are written $1, $2 …',
      parameters: z.strictObject({ sql: z.string().min(1).max(100_000) }),
      tool: true,
      async run({ sql }, context) {
        const statement = await reading(sql, context);
        if (/^\s*(?:explain|show)\b/iu.test(statement))
          throw new QueryError('bad_request', 'Give the statement itself, without EXPLAIN.');
        const generic = /\$\d/u.test(statement) ? ', generic_plan' : '';
        const { rows } = await read(`explain (format json${generic}) ${statement}`, [], context);
        return rows[0]?.[0] ?? null;
      },
    }),
    defineOperation({
      name: 'replication',
      description:
        'Replication: for a primary its replicas with their lag in bytes and seconds, and its slots with the WAL that they hold back; for a replica its own lag in seconds.',
      parameters: z.strictObject({}),
      tool: true,
      async run(_parameters, context) {
        const [[self], replicas, slots] = await Promise.all([
          records(catalogue.RECOVERY, [], context),
          records(catalogue.REPLICAS, [], context),
          records(catalogue.SLOTS, [], context),
        ]);
        return { ...self, replicas, slots };
      },
    }),
    defineOperation({
      name: 'unused_indexes',
      description:
        'Indexes that no scan used since the statistics were reset, largest first, with bytes and definition; without those that enforce a constraint.',
      parameters: z.strictObject({}),
      tool: true,
      run: (_parameters, context) => records(catalogue.UNUSED_INDEXES, [], context),
    }),
    defineOperation({
      name: 'locks',
      description: 'Which sessions wait for a lock and which hold it, longest wait first. Empty when none waits.',
      parameters: z.strictObject({}),
      tool: true,
      run: (_parameters, context) => records(catalogue.LOCKS, [], context),
    }),
  ];
}
