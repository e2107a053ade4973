import type { Logger } from '../logger.ts';
import type { EventLog } from './port.ts';
import { createPostgresEventLog } from './postgres.ts';
import { createRedisEventLog } from './redis.ts';

export type { EventLog, LogEvent, NewEvent } from './port.ts';
export { EventLogError } from './port.ts';
export { maxEventBytes } from './encode.ts';

/**
 * Opens the event log: Redis Streams if Redis is configured, else PostgreSQL. Connects on first use.
 * @param options.databaseUrl a postgres:// URL of a migrated database
 * @param options.redisUrl a redis:// or rediss:// URL
 * @param options.pollMs how often every tail polls, in case a notification was lost; 5,000 by default
 * @param options.connectTimeoutMs how long connecting may take, ms; 5,000 by default
 * @param options.redisTimeoutMs how long Redis may take to answer, ms; 10,000 by default
 */
export function createEventLog(options: {
  databaseUrl: string;
  redisUrl?: string;
  log: Logger;
  pollMs?: number;
  connectTimeoutMs?: number;
  redisTimeoutMs?: number;
}): EventLog {
  const { databaseUrl, redisUrl, redisTimeoutMs, ...rest } = options;
  return redisUrl
    ? createRedisEventLog({ redisUrl, commandTimeoutMs: redisTimeoutMs, ...rest })
    : createPostgresEventLog({ databaseUrl, ...rest });
}
