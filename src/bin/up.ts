/** `npm start`: runs everything on this machine until Ctrl-C. A second Ctrl-C does not wait. */
import { ConfigError } from '../config.ts';
import { loadConfig } from '../rooms.ts';
import { messageOf } from '../platform/message-of.ts';
import type { Log } from '../embedded/log.ts';
import { signInLink } from '../embedded/sign-in-link.ts';
import { describeSources } from '../embedded/source-list.ts';
import { describeRunning, startEverything } from '../embedded/up.ts';
import type { Running } from '../embedded/up.ts';

const log: Log = {
  info: (line) => console.error(`casebook: ${line}`),
  warn: (line) => console.error(`casebook: ${line}`),
};

const starting = new AbortController();
let running: Running | undefined;

async function end(signal: NodeJS.Signals): Promise<void> {
  if (starting.signal.aborted) {
    await running?.stopNow();
    process.exit(130);
  }
  log.info(`${signal}: stopping (press Ctrl-C again to force) ...`);
  starting.abort();
  if (running === undefined) return;
  await running.stop();
  log.info('stopped');
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(signal));

try {
  const config = loadConfig();
  log.info(`starting (state in ${config.home}) ...`);
  running = await startEverything({ config, log, signal: starting.signal });
  const [link, sources] = await Promise.all([signInLink(running), describeSources(running)]);
  console.log(describeRunning(running, config.home, { link, sources }));
} catch (error) {
  const expected = error instanceof Error && (error instanceof ConfigError || error.name === 'AlreadyRunningError');
  log.warn(expected ? error.message : `could not start: ${messageOf(error)}`);
  process.exit(starting.signal.aborted ? 130 : 1);
}
