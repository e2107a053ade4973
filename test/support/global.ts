/** Loaded by mocha before any test: what the whole run shares, and that it goes away. */
import { installRuntime } from '../../temporal/runtime.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { stopTestServer } from './database.ts';
import { stopTemporal } from './temporal.ts';
import { ensureTemporalBinary } from '../../src/embedded/temporal-server.ts';

/** Building the Temporal server takes minutes on a machine that never had one, which no test's time-out should include. */
export async function mochaGlobalSetup(): Promise<void> {
  installRuntime(createLogger({ name: 'test', level: process.env['LOG_LEVEL'] ?? 'silent' }));
  await ensureTemporalBinary({ info: console.error, warn: console.error });
}

export async function mochaGlobalTeardown(): Promise<void> {
  await Promise.all([stopTestServer(), stopTemporal()]);
}
