/** Distinguishes a server that is temporarily unreachable from an invalid request. */
import { DriverException } from '@mikro-orm/core';
import { EventLogError } from './event-log/port.ts';

/**
 * Transient SQLSTATEs: connection, read-only while a replica takes over, idle in transaction, serialization and
 * deadlock, resources, locks, operator intervention (shutdown, start-up), system.
 */
const TRANSIENT_SQLSTATE = /^(08|25006|25P03|40001|40P01|53|55P03|57|58)/;
const NETWORK_CODE = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/;
const CONNECTION_LOST =
  /connection terminated|connection ended|client has encountered a connection error|connection is closed|client was closed|query read timeout|timeout exceeded when trying to connect/i;

/** Whether an error means that a server was unreachable, rather than that the request was wrong. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof EventLogError) return error.kind === 'unavailable';
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && (TRANSIENT_SQLSTATE.test(code) || NETWORK_CODE.test(code))) return true;
  if (CONNECTION_LOST.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isUnreachable)) return true;
  const wrapped: unknown = error instanceof DriverException && 'previous' in error ? error.previous : undefined;
  return isUnreachable(error.cause) || isUnreachable(wrapped);
}
