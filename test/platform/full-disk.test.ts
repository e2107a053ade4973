/** A full disk: what is on it fails, the processes do not end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../src/embedded/free-port.ts';
import { z } from 'zod';
import { waitUntil } from '../support/wait-until.ts';
import { assertDiskSpace } from '../../src/platform/disk.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const Readiness = z.object({
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), reason: z.string().optional() })),
});

/** Every write to it fails, as on a disk without room. */
const FULL = '/dev/full';

/** Runs Node with its standard output on a full disk. */
function runOnFullDisk(args: readonly string[], env: Record<string, string | undefined> = {}) {
  const output = openSync(FULL, 'w');
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', output, 'pipe'],
    env: { ...process.env, ...env },
  });
  closeSync(output);
  return child;
}

describe('a full disk', () => {
  let database: TestDatabase;
  let home: string;
  before(async () => {
    database = await createTestDatabase();
    home = await mkdtemp(join(tmpdir(), 'casebook-full-'));
  });
  after(async () => {
    await database.drop();
    await rm(home, { recursive: true });
  });

  it('ends no process that logs', async () => {
    const script = `
      import { createLogger, assertLogWritten } from './src/platform/logger.ts';
      const log = createLogger({ name: 'test', level: 'info' });
      for (let line = 0; line < 10_000; line++) log.info({ line, padding: 'x'.repeat(1_000) }, 'line');
      setImmediate(() => {
        try { assertLogWritten(); } catch (error) { console.error(error.code); }
      });`;
    const child = runOnFullDisk(['--input-type=module-typescript', '--eval', script]);
    const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    assert.deepEqual([said.trim(), code], ['ENOSPC', 0]);
  });

  it('does not end the API, whose /readyz says that the log cannot be written', async () => {
    const port = await freePort();
    const api = runOnFullDisk(['src/bin/api.ts'], {
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'info',
      CASEBOOK_HOME: home,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    try {
      const ready = async () => Readiness.parse(await (await fetch(`http://127.0.0.1:${port}/readyz`)).json());
      const checkOf = (name: string) =>
        waitUntil(async () => (await ready()).checks.find((check) => check.name === name), {
          what: `the check ${name}`,
        });
      const { ok, reason } = await checkOf('log');
      assert.deepEqual([ok, reason], [false, 'ENOSPC']);
      assert.equal((await checkOf('disk')).ok, true);
      assert.equal(api.exitCode, null);
    } finally {
      api.kill('SIGKILL');
      await once(api, 'exit');
    }
  });

  it('is one with less than a bound', async () => {
    await assertDiskSpace([home, join(home, 'not-there')]);
    await assert.rejects(assertDiskSpace([home], Number.MAX_SAFE_INTEGER), { code: 'disk_full' });
  });
});
