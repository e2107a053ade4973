import { Socket } from 'node:net';
import type pg from 'pg';
import { MikroORM, type EntityManager, type EntitySchema } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Logger } from '../platform/logger.ts';
import { isUnreachable } from '../platform/unreachable.ts';
import { migrations } from './migrations/index.ts';

export type Orm = MikroORM;
export type { EntityManager };

/** The product's queries take milliseconds; a connection that is silent for this long is lost. */
const SILENCE_MS = 30_000;
/** A reachable server answers at once; callers wait no longer for an unreachable one, or for a place in the pool. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Kysely releases a transaction's connection only after a successful rollback. On a lost connection the server has
 * rolled back already: without this the connection would occupy the pool forever.
 */
function forgiveLostRollback(client: pg.PoolClient): void {
  const query = client.query;
  const forgiving = async (...args: unknown[]): Promise<unknown> => {
    try {
      return await Reflect.apply(query, client, args);
    } catch (error) {
      if (isUnreachable(error)) return { command: 'ROLLBACK', rowCount: null, oid: 0, fields: [], rows: [] };
      throw error;
    }
  };
  client.query = (...args: unknown[]) =>
    args[0] === 'rollback' ? forgiving(...args) : Reflect.apply(query, client, args);
}

/** A lost connection must free its place in the pool, and a frozen process its locks. */
const connectionOptions = (silenceMs: number, connectTimeoutMs: number) => ({
  connectionTimeoutMillis: connectTimeoutMs,
  keepAlive: true,
  // The system's default is two hours: too late for a connection that waits for a lock indefinitely.
  keepAliveInitialDelayMillis: 10_000,
  idle_in_transaction_session_timeout: 15_000,
  onPoolCreated(pool: pg.Pool): void {
    pool.on('connect', (client) => {
      // Not `instanceof pg.Connection`: the driver may bundle its own copy of pg.
      const connection: unknown = 'connection' in client ? client.connection : undefined;
      const stream =
        connection !== null && typeof connection === 'object' && 'stream' in connection && connection.stream;
      if (stream instanceof Socket)
        stream.setTimeout(silenceMs, () => stream.destroy(new Error('Connection terminated: the server was silent')));
      forgiveLostRollback(client);
    });
  },
});

/**
 * Opens the ORM. It does not connect before the first query.
 * @param options.databaseUrl a postgres:// URL
 * @param options.entities the entities to map; none are needed to migrate
 * @param options.poolSize maximum connections of this process
 * @param options.silenceMs how long a connection in use may be silent; 0 means forever
 * @param options.connectTimeoutMs how long connecting may take, waiting for a place in the pool included
 * @param options.log receives the ORM's own messages, at debug
 */
export function openOrm(options: {
  databaseUrl: string;
  entities: readonly EntitySchema[];
  poolSize?: number;
  silenceMs?: number;
  connectTimeoutMs?: number;
  log?: Logger;
}): Promise<Orm> {
  return MikroORM.init({
    clientUrl: options.databaseUrl,
    entities: [...options.entities],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, tableName: 'migrations' },
    // The tables of the event log, the migrator and dependency graphs are not entities.
    schemaGenerator: {
      skipTables: ['event_streams', 'events', 'migrations', 'satellite_graphs', 'satellite_graph_edges'],
    },
    logger: (message) => options.log?.debug(message),
    colors: false,
    pool: { min: 0, max: options.poolSize ?? 10 },
    driverOptions: connectionOptions(options.silenceMs ?? SILENCE_MS, options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS),
    // Dates are stored and read in UTC whatever the machine's time zone.
    forceUtcTimezone: true,
  });
}
