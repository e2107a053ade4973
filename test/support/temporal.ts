/** A real Temporal dev server for tests: one a test run, in memory; every suite has a namespace-wide task queue of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTemporalBinary, startTemporalServer } from '../../src/embedded/temporal-server.ts';

let server: Promise<{ address: string; home: string; stop(): Promise<void> }> | undefined;

/** Variable that tells a process of the run where the server is. */
export const TEST_TEMPORAL = 'CASEBOOK_TEST_TEMPORAL';

/** host:port of the run's server, started at its first use by whoever began the run. Tests that kill Temporal start their own. */
export async function temporalAddress(): Promise<string> {
  const address = process.env[TEST_TEMPORAL];
  if (address !== undefined) return address;
  server ??= (async () => {
    const home = mkdtempSync(join(tmpdir(), 'casebook-temporal-'));
    const binary = await ensureTemporalBinary({ info: console.error, warn: console.error });
    const temporal = await startTemporalServer({ binary, home, ports: { grpc: 0, ui: 0 } });
    return { address: temporal.address, home, stop: () => temporal.stop() };
  })();
  return (await server).address;
}

/** Stops the server, if this process started it. */
export async function stopTemporal(): Promise<void> {
  if (!server) return;
  const { stop, home } = await server;
  await stop();
  rmSync(home, { recursive: true, force: true });
}
