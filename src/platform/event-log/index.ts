import type { Logger } from '../logger.ts';
import type { EventLog } from './port.ts';
import { createPostgresEventLog } from './postgres.ts';
import { createRedisEventLog } from './redis.ts';

export type { EventData, EventLog, LogEvent, NewEvent } from './port.ts';
export { EventLogError, type EventLogErrorKind } from './errors.ts';
export { maxEventBytes } from './encode.ts';

/**
 * Opens the event log: Redis Streams when there is a Redis, else PostgreSQL. Nothing is connected before the first use.
 * @param options.databaseUrl a postgres:// URL of a migrated database
 * @param options.redisUrl a redis:// or rediss:// URL
 */
export function createEventLog(options: { databaseUrl: string; redisUrl?: string; log: Logger }): EventLog {
  const { databaseUrl, redisUrl, log } = options;
  return redisUrl ? createRedisEventLog({ redisUrl, log }) : createPostgresEventLog({ databaseUrl, log });
}
