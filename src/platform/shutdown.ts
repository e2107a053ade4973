import type { Logger } from './logger.ts';

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
