import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CommitInput } from '../../../src/features/workspace/index.ts';
import type { CommitterInput } from './committer.ts';
import { author, commitTo, date, isSound, keysInHistory, scratch, team, textOf, type Scratch } from './support.ts';
import { watchedGit } from './watched-git.ts';

const PROGRAM = join(import.meta.dirname, 'committer.ts');

/** In a process group of its own, so that its Git can be killed along with it. What it leaves goes with the folder. */
function committer(input: CommitterInput): ChildProcess {
  return spawn(process.execPath, [PROGRAM, JSON.stringify(input)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: dirname(input.options.directory) },
  });
}

const commitOf = (base: string, key: string, path: string): CommitterInput['commits'][number] => {
  const changes = [{ path, content: `${key}\n` }];
  return { base, changes, message: `Change ${path}`, author, date: date.toISOString(), key };
};
const inputOf = (commit: CommitterInput['commits'][number]): CommitInput => ({
  ...commit,
  date: new Date(commit.date),
});

describe('workspace: several processes', () => {
  let given: Scratch;
  before(() => {
    given = scratch({ staleLockMs: 500 });
  });
  after(() => given.remove());

  it('20 concurrent commits by two processes: none is lost, none is doubled', async () => {
    const files = team(given);
    const base = await files.workspace.head();
    const commits = Array.from({ length: 20 }, (_, i) => commitOf(base, `key-${i}`, `d${i % 3}/f${i}`));
    const options = { directory: given.directory };
    // Each key is tried by both.
    const both = [commits, commits.toReversed()].map((commits) => committer({ options, teamId: files.id, commits }));
    const codes = await Promise.all(both.map(async (child) => (await once(child, 'exit'))[0]));
    assert.deepEqual(codes, [0, 0]);
    assert.deepEqual(keysInHistory(files), commits.map(({ key }) => key).sort());
    const at = await files.workspace.head();
    for (const { key, changes } of commits)
      assert.equal(await textOf(files.workspace, changes[0]!.path, at), `${key}\n`);
    assert.equal(files.git('rev-list', '--count', '--merges', at), '0');
    isSound(files);
  });

  it('a process killed before any of its calls of Git: the same key again makes exactly one commit', async () => {
    const key = 'again';
    const plain = watchedGit(dirname(given.directory), 'git-plain');
    const start = (teamId: string, program: string, base: string): ChildProcess =>
      committer({ options: { directory: given.directory, program }, teamId, commits: [commitOf(base, key, 'a/b')] });
    const prepared = async () => {
      const files = team(given);
      // Others have moved the branch, which is the longer way.
      const { commit: base } = await commitTo(files.workspace, { x: '1', 'a/c': '1' });
      await commitTo(files.workspace, { x: '2' });
      return { files, base };
    };
    const whole = await prepared();
    assert.deepEqual(await once(start(whole.files.id, plain.program, whole.base), 'exit'), [0, null]);
    const calls = plain.calls();
    assert.ok(calls.includes('update-ref') && calls.length >= 10, calls.join(' '));

    let committedBefore = 0;
    for (let n = 1; n <= calls.length; n++) {
      const { files, base } = await prepared();
      const { program } = watchedGit(dirname(given.directory), `git-${n}`, n);
      const [, signal] = await once(start(files.id, program, base), 'exit');
      assert.equal(signal, 'SIGKILL', `before call ${n}: ${calls[n - 1]}`);
      const inBranch = keysInHistory(files).filter((each) => each === key).length;
      committedBefore += inBranch;
      const { commit, paths } = await files.workspace.commit(inputOf(commitOf(base, key, 'a/b')));
      assert.equal(keysInHistory(files).filter((each) => each === key).length, 1, `call ${n}: ${calls[n - 1]}`);
      assert.equal(await textOf(files.workspace, 'a/b', commit), `${key}\n`);
      assert.deepEqual(
        paths.map(({ path }) => path),
        ['a/b'],
      );
      isSound(files);
    }
    // Some were killed before the branch was moved, some after.
    assert.ok(committedBefore > 0 && committedBefore < calls.length, `${committedBefore} of ${calls.length}`);
  });

  it('a process killed with its Git at any moment: every key again makes exactly one commit', async () => {
    const files = team(given);
    for (let round = 0; round < 8; round++) {
      const base = await files.workspace.head();
      const commits = Array.from({ length: 300 }, (_, i) => commitOf(base, `r${round}-${i}`, `f${i % 7}-${i}`));
      const options = { directory: given.directory };
      const child = committer({ options, teamId: files.id, commits, inTurn: true });
      let done = 0;
      const killAfter = 2 + round;
      for await (const line of createInterface({ input: child.stdout! })) {
        assert.match(line, /^r/);
        done += 1;
        if (done !== killAfter) continue;
        // Somewhere within the next commit.
        await new Promise((resolve) => setTimeout(resolve, round * 7));
        process.kill(-child.pid!, 'SIGKILL');
      }
      assert.ok(done < commits.length);
      for (const commit of commits.slice(0, killAfter + 3)) await files.workspace.commit(inputOf(commit));
      const keys = keysInHistory(files).filter((key) => key.startsWith(`r${round}-`));
      assert.equal(new Set(keys).size, keys.length);
      assert.ok(keys.length >= killAfter + 3);
      isSound(files);
    }
  });

  it('a team’s repository is made once by several processes', async () => {
    const teamId = randomUUID();
    const { head } = team(given).workspace;
    const base = await head();
    const children = ['one', 'two', 'three'].map((key) =>
      committer({ options: { directory: given.directory }, teamId, commits: [commitOf(base, key, key)] }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    assert.deepEqual(codes, [0, 0, 0]);
    assert.deepEqual(keysInHistory(team(given, teamId)), ['one', 'three', 'two']);
  });
});
