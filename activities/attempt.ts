import { Context } from '@temporalio/activity';
import type { Attempt } from '../src/features/runs/index.ts';

/** Also how soon an attempt hears that it is cancelled. */
const MAX_HEARTBEAT_MS = 2_000;
const HEARTBEATS_PER_TIMEOUT = 6;

/**
 * Gives a service its attempt, and heartbeats while it works, so that a killed worker is noticed within the heartbeat
 * timeout and a cancellation reaches the service through its signal.
 */
export async function withHeartbeat<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { heartbeatTimeoutMs = Infinity } = context.info;
  const everyMs = Math.min(MAX_HEARTBEAT_MS, heartbeatTimeoutMs / HEARTBEATS_PER_TIMEOUT);
  const timer = setInterval(() => context.heartbeat(), everyMs);
  try {
    return await work({
      number: context.info.attempt,
      signal: context.cancellationSignal,
      cancelRequested: () => context.cancellationDetails?.cancelRequested ?? false,
    });
  } finally {
    clearInterval(timer);
  }
}
