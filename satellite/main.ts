/** The satellite's process, and the only reader of the environment. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readArguments, USAGE, type Arguments } from './arguments.ts';
import { checkSystems } from './check.ts';
import { ConfigError, loadConfig, type SatelliteConfig } from './config/index.ts';
import { connectorKinds } from '@casebook/connectors';
import { createLog, type Log } from './log.ts';
import { startSatellite } from './satellite.ts';

const EXIT = { failed: 1, misconfigured: 2 };

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')));

/** Reports an operator's mistake and exits. */
function misconfigured(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(EXIT.misconfigured);
}

function argumentsOrEnd(): Arguments {
  try {
    return readArguments(process.argv.slice(2), process.env['CASEBOOK_SATELLITE_CONFIG']);
  } catch (error) {
    return misconfigured(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

function configOrEnd(file: string): SatelliteConfig {
  try {
    return loadConfig(file, process.env, connectorKinds);
  } catch (error) {
    if (error instanceof ConfigError) return misconfigured(error.message);
    throw error;
  }
}

/** After an unexpected fault the process exits; its supervisor restarts it. */
function endOnFaults(log: Log): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      log.error({ err: error }, 'unexpected fault');
      process.exit(EXIT.failed);
    });
}

async function run(config: SatelliteConfig): Promise<void> {
  const log = createLog(config.log_level);
  endOnFaults(log);
  const starting = startSatellite(config, { version, log });
  // From now on: whoever stops it while it starts would leave its MCP servers running.
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // A second signal ends the process at once.
      if (++signals > 1) process.exit(EXIT.failed);
      log.info({ signal }, 'stopping');
      void starting.then(async (satellite) => {
        await satellite.stop();
        process.exit(0);
      });
    });
  const { healthPort } = await starting.catch((error: unknown) => {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'cannot start');
    return process.exit(EXIT.failed);
  });
  const { name, connectors } = config;
  log.info({ satellite: name, version, connectors: connectors.length, healthPort }, 'started');
}

const { file, mode } = argumentsOrEnd();
if (mode === 'help') process.stdout.write(USAGE);
else if (mode === 'version') process.stdout.write(`${version}\n`);
else {
  const config = configOrEnd(file);
  if (mode === 'run') await run(config);
  else {
    const { table, ok } = await checkSystems(config, { version, log: createLog('silent') });
    process.stdout.write(`${table}\n`);
    process.exit(ok ? 0 : EXIT.failed);
  }
}
