import { Context } from '@temporalio/activity';
import type { Attempt } from '../src/features/runs/index.ts';

const HEARTBEAT_EVERY_MS = 2_000;

/**
 * Gives a service its attempt, and heartbeats while it works, so that a killed worker is noticed within the heartbeat
 * timeout and a cancellation reaches the service through its signal.
 */
export async function withHeartbeat<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_EVERY_MS);
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
