/** Loaded by mocha before any test: what the whole run shares, and that it goes away. */
import fc from 'fast-check';
import { installRuntime } from '../../temporal/runtime.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { stopTestServer } from './database.ts';
import { stopTemporal } from './temporal.ts';
import { ensureTemporalBinary } from '../../src/embedded/temporal-server.ts';

/** Time for each property in `npm test`; the full tier makes as many runs as the test says. */
const PROPERTY_MS = 300;
const { CASEBOOK_TEST_SEED: seed, CASEBOOK_TEST_TIER: tier } = process.env;
fc.configureGlobal({
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(tier !== 'full' && { interruptAfterTimeLimit: PROPERTY_MS, markInterruptAsFailure: false }),
});

/** Building the Temporal server takes minutes on a machine that never had one, which no test's time-out should include. */
export async function mochaGlobalSetup(): Promise<void> {
  installRuntime(createLogger({ name: 'test', level: process.env['LOG_LEVEL'] ?? 'silent' }));
  await ensureTemporalBinary({ info: console.error, warn: console.error });
}

export async function mochaGlobalTeardown(): Promise<void> {
  await Promise.all([stopTestServer(), stopTemporal()]);
}
