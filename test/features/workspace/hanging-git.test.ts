import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../../src/embedded/wait-until.ts';
import { runGit } from '../../../src/features/workspace/git/run.ts';
import { failsWith } from './support.ts';

/** A Git that does not end when it is asked to, and has started something that holds its pipes. */
const HANGS = `#!/bin/sh
trap '' TERM
sleep 600 &
echo $! > "$0.pid"
wait
wait
`;

describe('workspace: a Git that hangs', () => {
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

  it('is not waited for: not in time', () =>
    failsWith('timeout', runGit(program, folder, ['fast-import'], { timeoutMs: 500 })));

  it('is not waited for: given up', async () => {
    const giving = new AbortController();
    const running = runGit(program, folder, ['fast-import'], { signal: giving.signal });
    await waitUntil(() => started() > 0 || undefined, { what: 'the process that holds the pipes', timeoutMs: 60_000 });
    giving.abort(new Error('given up'));
    await assert.rejects(running, /given up/);
  });
});
