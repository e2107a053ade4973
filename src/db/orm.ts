import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Logger } from '../platform/logger.ts';
import { entities } from './entities.ts';
import { migrations } from './migrations/index.ts';

export type Orm = MikroORM;
export type { EntityManager };

/**
 * Opens the ORM. No connection is made until the first query.
 * @param options.databaseUrl a postgres:// URL
 * @param options.poolSize most connections this process holds
 * @param options.log where the ORM's own messages go, at debug
 */
export function openOrm(options: { databaseUrl: string; poolSize?: number; log?: Logger }): Promise<Orm> {
  return MikroORM.init({
    clientUrl: options.databaseUrl,
    entities: [...entities],
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, tableName: 'migrations' },
    // Tables of the event log and of the migrator are not entities.
    schemaGenerator: { skipTables: ['event_streams', 'events', 'migrations'] },
    logger: (message) => options.log?.debug(message),
    colors: false,
    pool: { min: 0, max: options.poolSize ?? 10 },
    // Dates are stored and read in UTC whatever the machine's zone is.
    forceUtcTimezone: true,
  });
}
