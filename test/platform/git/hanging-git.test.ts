import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../support/wait-until.ts';
import { GitStopped, runGit } from '../../../src/platform/git/index.ts';

/** A Git that does not end when it is asked to, and has started something that holds its pipes. */
const HANGS = `#!/bin/sh
trap '' TERM
sleep 600 &
echo $! > "$0.pid"
wait
wait
`;

/** Nothing else happens in this process until it is so. */
function standStill(until: () => boolean): void {
  while (!until()) execFileSync('sleep', ['0.01']);
}

/** @param pidFile names a child of this process, which has not heard of its end */
function hasEnded(pidFile: string): boolean {
  const pid = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() : '';
  return pid !== '' && execFileSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).startsWith('Z');
}

describe('platform: a Git that hangs', () => {
  let folder: string;
  let program: string;
  /** @returns the id of what it has started; NaN before that */
  const started = (): number =>
    Number.parseInt(existsSync(`${program}.pid`) ? readFileSync(`${program}.pid`, 'utf8') : '', 10);
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'casebook-hanging-git-'));
    program = join(folder, 'git');
    writeFileSync(program, HANGS);
    chmodSync(program, 0o755);
  });
  afterEach(() => {
    process.kill(started(), 'SIGKILL');
    rmSync(`${program}.pid`);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is not waited for: not in time', async () => {
    const running = runGit(program, folder, ['fast-import'], { timeoutMs: 500 });
    standStill(() => started() > 0);
    await assert.rejects(running, (error) => error instanceof GitStopped && error.reason === 'timeout');
  });

  it('is not waited for: given up', async () => {
    const giving = new AbortController();
    const running = runGit(program, folder, ['fast-import'], { signal: giving.signal });
    await waitUntil(() => started() > 0 || undefined, { what: 'the process that holds the pipes' });
    giving.abort(new Error('given up'));
    await assert.rejects(running, /given up/);
  });
});

describe('workspace: a Git that has ended', () => {
  it('is trusted, even if its exit is noticed after the timeout', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'casebook-ended-git-'));
    try {
      const program = join(folder, 'git');
      writeFileSync(program, '#!/bin/sh\necho $$ > "$0.pid"\necho answer\n');
      chmodSync(program, 0o755);
      const running = runGit(program, folder, ['rev-parse'], { timeoutMs: 1 });
      standStill(() => hasEnded(`${program}.pid`));
      assert.equal((await running).stdout.toString(), 'answer\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
