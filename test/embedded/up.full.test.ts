import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import { runningInstance } from '../../src/embedded/instance.ts';
import { readPidFile, isAlive } from '../../src/embedded/process-table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { temporaryHome } from './home.ts';

const names = ['postgres', 'temporal', 'worker', 'api'];

interface Up {
  process: ChildProcess;
  /** Everything it has written to standard error so far. */
  errors(): string;
  addresses: { apiUrl: string; temporalUiUrl: string; databaseUrl: string; apiKey: string };
}

describe('everything from one command', () => {
  const home = temporaryHome();
  const processes: ChildProcess[] = [];

  const launch = (): { child: ChildProcess; errors: () => string } => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'fixtures', 'up.ts')], {
      env: { PATH: env['PATH'], HOME: env['HOME'], CASEBOOK_HOME: home, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    processes.push(child);
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    return { child, errors: () => errors };
  };
  const up = async (): Promise<Up> => {
    const { child, errors } = launch();
    const line = await Promise.race([
      once(createInterface(child.stdout!), 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error(`it ended: ${errors()}`))),
    ]);
    return { process: child, errors, addresses: JSON.parse(String(line[0])) };
  };
  const pids = (): (number | undefined)[] => names.map((name) => readPidFile(home, name));
  const allGone = (gone: (number | undefined)[]): Promise<true> =>
    waitUntil(() => gone.every((pid) => pid !== undefined && !isAlive(pid)) || undefined, {
      what: `the end of ${gone.join(', ')}`,
    });
  const stop = async (running: Up): Promise<void> => {
    running.process.kill('SIGTERM');
    const [code] = await once(running.process, 'exit');
    assert.equal(code, 0, running.errors());
  };
  after(() => {
    for (const child of processes) child.kill('SIGKILL');
  });

  it('starts four processes, with keys made once and kept to the owner', async () => {
    const first = await up();
    assert.ok(pids().every((pid) => pid !== undefined && isAlive(pid)));
    const ready = await fetch(`${first.addresses.apiUrl}/readyz`);
    assert.deepEqual(await ready.json(), { key: first.addresses.apiKey, database: first.addresses.databaseUrl });
    assert.match(first.addresses.apiKey, /^cb_.{20,}/);
    assert.equal(readFileSync(join(home, 'worker-began'), 'utf8'), first.addresses.apiUrl);
    assert.match(readFileSync(join(home, 'secret-key'), 'utf8'), /^[0-9a-f]{64}\n$/);
    for (const file of ['secret-key', 'bootstrap-api-key', 'run/up.json']) {
      assert.equal(statSync(join(home, file)).mode & 0o777, 0o600, file);
    }
    assert.equal(runningInstance(home)?.apiUrl, first.addresses.apiUrl);
    await waitUntil(() => first.errors().includes('the api has a problem') || undefined, {
      what: 'the error line of the api',
    });

    await stop(first);
    const second = await up();
    assert.equal(second.addresses.apiKey, first.addresses.apiKey);
    await stop(second);
  });

  it('stops the API, then the worker, then the servers, and leaves nothing behind', async () => {
    rmSync(join(home, 'stops'), { force: true });
    const running = await up();
    const started = pids();
    await stop(running);
    assert.equal(readFileSync(join(home, 'stops'), 'utf8'), 'api\nworker\n');
    await allGone(started);
    assert.deepEqual(pids(), [undefined, undefined, undefined, undefined]);
    assert.equal(runningInstance(home), undefined);
    // A server that was stopped in order has removed its own lock file.
    assert.equal(existsSync(join(home, 'postgres', 'postmaster.pid')), false);
  });

  it('brings back each process that is killed, at the same address', async () => {
    const running = await up();
    for (const name of names) {
      const pid = readPidFile(home, name)!;
      process.kill(pid, 'SIGKILL');
      await waitUntil(() => ((now) => (now !== undefined && now !== pid ? now : undefined))(readPidFile(home, name)), {
        what: `${name} after kill -9`,
      });
    }
    await waitUntil(async () => ((await fetch(`${running.addresses.apiUrl}/readyz`)).ok ? true : undefined), {
      what: 'the API after kill -9',
    });
    await waitUntil(async () => ((await fetch(running.addresses.temporalUiUrl)).ok ? true : undefined), {
      what: 'the Temporal UI after kill -9',
    });
    await stop(running);
  });

  it('refuses a second start on the same home folder and leaves the first alone', async () => {
    const running = await up();
    const before = pids();
    const second = launch();
    const [code] = await once(second.child, 'exit');
    assert.equal(code, 1);
    assert.match(second.errors(), new RegExp(`already running from ${home} .*${running.addresses.apiUrl}`));
    assert.deepEqual(pids(), before);
    await stop(running);
  });

  it('takes its processes with it when it is killed', async () => {
    const running = await up();
    const orphans = pids();
    running.process.kill('SIGKILL');
    await allGone(orphans);
  });

  it('starts again right after it was killed', async () => {
    const killed = await up();
    const orphans = pids();
    killed.process.kill('SIGKILL');
    await once(killed.process, 'exit');
    const running = await up();
    await allGone(orphans);
    assert.ok(pids().every((pid) => pid !== undefined && isAlive(pid)));
    await stop(running);
  });
});
