import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;

/**
 * Retries a start-up step until its dependency is up: servers start in any order.
 * @param what names the missing dependency in the log
 * @throws the signal's reason when it fires
 */
export async function untilUp<T>(
  what: string,
  step: () => Promise<T>,
  options: { log: Logger; signal: AbortSignal },
): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    options.signal.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      options.log.warn({ err: error, waitMs: wait }, `${what} is not available yet`);
      await sleep(wait, undefined, { signal: options.signal });
    }
  }
}

/**
 * Shuts a process down in order: the first SIGINT or SIGTERM runs `stop`, a second one exits at once.
 * @param stop resolves when everything is closed; if it fails, the failure is logged and the exit code is 1
 */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the process did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
