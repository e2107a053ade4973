import { setTimeout as sleep } from 'node:timers/promises';
import { DriverException, LockWaitTimeoutException, UniqueConstraintViolationException } from '@mikro-orm/core';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/**
 * Does a database or event-log operation until it succeeds, as long as the failure is one of reach (server gone, starting up, connection
 * cut), not of content. A paid answer of a model or the result of a tool is in memory while this waits: giving up
 * would mean asking again, so the wait lasts as long as the signal allows.
 * @throws the operation's own error when waiting cannot help, or the last error when the signal fires
 */
export async function untilReachable<T>(operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await operation();
    } catch (error) {
      if (!isUnreachable(error) || signal.aborted) throw error;
      await sleep(wait, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}

/** SQLSTATE classes that pass by themselves: connection, resources, operator intervention (shutdown, start-up), system. */
const TRANSIENT_SQLSTATE = /^(08|53|57P0|58)/;
const NETWORK_CODE = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/;
const CONNECTION_LOST =
  /connection terminated|connection ended|client has encountered a connection error|connection is closed|timeout exceeded when trying to connect/i;

/** Whether an error says that a server could not be reached, rather than that the request was wrong. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof UniqueConstraintViolationException || error instanceof LockWaitTimeoutException) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (TRANSIENT_SQLSTATE.test(code) || NETWORK_CODE.test(code))) return true;
  if (CONNECTION_LOST.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isUnreachable)) return true;
  const wrapped = error instanceof DriverException ? (error as { previous?: unknown }).previous : undefined;
  return isUnreachable(error.cause) || isUnreachable(wrapped);
}
