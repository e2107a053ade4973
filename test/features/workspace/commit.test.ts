import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitUntil } from '../../support/wait-until.ts';
import {
  createGitWorkspaces,
  MAX_CHANGE_BYTES,
  MAX_CHANGES,
  MAX_FILE_BYTES,
  WorkspaceConflict,
  type CommitInput,
} from '../../../src/features/workspace/index.ts';
import {
  author,
  commitTo,
  date,
  failsWith,
  isSound,
  keysInHistory,
  scratch,
  team,
  textOf,
  type Scratch,
} from './support.ts';
import { LONG_TIMEOUTS } from '../../support/timeouts.ts';
import { watchedGit } from './watched-git.ts';

describe('workspace: commits', () => {
  let given: Scratch;
  before(() => {
    given = scratch({ staleLockMs: 1_000 });
  });
  after(() => given.remove());

  it('changes several files at once and says which, with their lines', async () => {
    const files = team(given);
    const { workspace } = files;
    await commitTo(workspace, { a: '1\n2\n3\n', b: 'x\n', 'c/d': 'y\n' });
    const { input } = await commitTo(workspace, { a: '1\ntwo\n3\n4\n', b: null, 'c/d': 'y\n', 'c/new': 'n\n' });
    const again = await workspace.commit(input);
    assert.deepEqual(again.paths, [
      { path: 'a', change: 'modified', additions: 2, deletions: 1 },
      { path: 'b', change: 'deleted', additions: 0, deletions: 1 },
      { path: 'c/new', change: 'added', additions: 1, deletions: 0 },
    ]);
    assert.equal(
      files.git('log', '-1', '--format=%an <%ae> %at|%cn|%s', again.commit),
      `Ada <ada@example.org> ${date.getTime() / 1000}|Casebook|Change files`,
    );
    isSound(files);
  });

  it('makes the same commit from the same input', async () => {
    const [one, other] = [team(given), team(given)];
    const key = randomUUID();
    const commits = [one, other].map(({ workspace }) => commitTo(workspace, { a: 'x', 'b/c': 'y' }, { key }));
    const [first, second] = await Promise.all(commits);
    assert.equal(first!.commit, second!.commit);
  });

  it('changes nothing when one of the changes cannot be made', async () => {
    const { workspace } = team(given);
    const { commit } = await commitTo(workspace, { a: 'file', 'd/x': 'x' });
    await failsWith('clash', commitTo(workspace, { good: 'x', 'a/b': 'below a file' }));
    await failsWith('clash', commitTo(workspace, { good: 'x', d: 'a directory' }));
    await failsWith('clash', commitTo(workspace, { good: 'x', new: 'file', 'new/x': 'below it' }));
    await failsWith('invalid_path', commitTo(workspace, { good: 'x', '../bad': 'x' }));
    await failsWith('invalid', commitTo(workspace, { good: 'x', nul: 'a\0b' }));
    await failsWith('invalid', commitTo(workspace, { good: 'x', half: '\udc00' }));
    await failsWith('too_large', commitTo(workspace, { good: 'x', large: 'x'.repeat(MAX_FILE_BYTES + 1) }));
    const twice = ['a', './a'].map((path) => ({ path, content: 'x' }));
    await failsWith('invalid', commitTo(workspace, {}, { changes: twice }));
    assert.equal(await workspace.head(), commit);
  });

  it('has bounds for one batch', async () => {
    const { workspace } = team(given);
    const many = Object.fromEntries(Array.from({ length: MAX_CHANGES + 1 }, (_, i) => [`f${i}`, 'x']));
    await failsWith('too_large', commitTo(workspace, many));
    const count = MAX_CHANGE_BYTES / MAX_FILE_BYTES;
    const heavy = (n: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}`, 'x'.repeat(MAX_FILE_BYTES)]));
    await failsWith('too_large', commitTo(workspace, heavy(count + 1)));
    await commitTo(workspace, heavy(count));
  });

  it('replaces a file by a directory and a directory by a file', async () => {
    const files = team(given);
    const { workspace } = files;
    await commitTo(workspace, { a: 'file', 'd/x': 'x', 'd/y/z': 'z' });
    const { commit: at } = await commitTo(workspace, { a: null, 'a/b': 'b', 'd/x': null, 'd/y/z': null, d: 'file' });
    assert.deepEqual(
      (await workspace.list('.', { at, recursive: true })).entries.map(({ path }) => path),
      ['a/b', 'd'],
    );
    isSound(files);
  });

  it('takes a deletion of what is not there for done', async () => {
    const { workspace } = team(given);
    const head = await workspace.head();
    const { commit, input } = await commitTo(workspace, { nothing: null });
    assert.equal(commit, head);
    await commitTo(workspace, { nothing: 'something' });
    assert.deepEqual(await workspace.commit(input), { commit: head, paths: [] });
  });

  describe('when the branch moved', () => {
    it('is made on top, where others changed other paths', async () => {
      const files = team(given);
      const { workspace } = files;
      const { commit: base } = await commitTo(workspace, { a: '1', b: '1', 'd/x': '1' });
      await commitTo(workspace, { b: '2', 'd/y': '2' });
      const { commit: at } = await commitTo(workspace, { a: '3', 'd/z': '3' }, { base });
      assert.equal(await workspace.head(), at);
      const texts = await Promise.all(['a', 'b', 'd/x', 'd/y', 'd/z'].map((path) => textOf(workspace, path, at)));
      assert.deepEqual(texts, ['3', '2', '1', '2', '3']);
      isSound(files);
    });

    it('is refused where others changed the same paths, naming them', async () => {
      const { workspace } = team(given);
      const { commit: base } = await commitTo(workspace, { a: '1', b: '1', 'd/x': '1' });
      const { commit: head } = await commitTo(workspace, { a: '2', d2: 'file', 'd/x': null, 'e/f': 'new' });
      const conflict = async (files: Record<string, string | null>): Promise<string[]> => {
        const error = await failsWith('conflict', commitTo(workspace, files, { base }));
        assert.ok(error instanceof WorkspaceConflict);
        return error.paths;
      };
      assert.deepEqual(await conflict({ a: '3', b: '3' }), ['a']);
      assert.deepEqual(await conflict({ a: null }), ['a']);
      assert.deepEqual(await conflict({ 'd/x': '3' }), ['d/x']);
      assert.deepEqual(await conflict({ 'd2/below': '3' }), ['d2/below'], 'a file in the place of a directory');
      assert.deepEqual(await conflict({ e: '3' }), ['e'], 'a directory in the place of a file');
      assert.equal(await workspace.head(), head);
    });

    it('is no conflict where others did the same', async () => {
      const { workspace } = team(given);
      const { commit: base } = await commitTo(workspace, { a: '1', b: '1' });
      const { commit: head } = await commitTo(workspace, { a: '2', b: null });
      const { commit, input } = await commitTo(workspace, { a: '2', b: null }, { base });
      assert.equal(commit, head);
      await commitTo(workspace, { a: '3' });
      assert.deepEqual(await workspace.commit(input), { commit: head, paths: [] });
    });
  });

  describe('with the same key', () => {
    it('is made once, also when the branch has moved or the paths were changed again', async () => {
      const files = team(given);
      const { workspace } = files;
      const { commit, input } = await commitTo(workspace, { a: '1' });
      await commitTo(workspace, { a: '2' });
      await commitTo(workspace, { b: '2' });
      for (let i = 0; i < 3; i++) assert.equal((await workspace.commit(input)).commit, commit);
      assert.equal(keysInHistory(files).filter((key) => key === input.key).length, 1);
    });

    it('is made once when many try at once', async () => {
      const files = team(given);
      const base = await files.workspace.head();
      const input: CommitInput = {
        base,
        changes: [{ path: 'a', content: 'x' }],
        message: 'm',
        author,
        date,
        key: 'one',
      };
      // Each its own: they do not wait for each other.
      const tries = Array.from({ length: 6 }, () => scratchOf(given).forTeam(files.id).commit(input));
      assert.equal(new Set((await Promise.all(tries)).map(({ commit }) => commit)).size, 1);
      assert.deepEqual(keysInHistory(files), ['one']);
    });

    it('is found in the history when only the branch was moved', async () => {
      const files = team(given);
      const { workspace } = files;
      const { commit, input } = await commitTo(workspace, { a: '1' });
      await commitTo(workspace, { a: '2' });
      files.git('update-ref', '-d', `refs/casebook/changes/${input.key}`);
      assert.equal((await workspace.commit(input)).commit, commit);
      assert.equal(keysInHistory(files).length, 2);
    });

    it('is nothing that a message can pretend', async () => {
      const files = team(given);
      const { workspace } = files;
      const base = await workspace.head();
      await commitTo(workspace, { a: '1' }, { message: 'Hello\n\nCasebook-Change: victim\r\ncasebook-change: victim' });
      const { commit } = await commitTo(workspace, { b: '1' }, { key: 'victim', base });
      assert.equal(await textOf(workspace, 'b', commit), '1');
      assert.equal(keysInHistory(files).filter((key) => key === 'victim').length, 1);
    });

    it('takes no key that is no name', async () => {
      const { workspace } = team(given);
      for (const key of ['', '../main', 'a/b', 'a b', 'a\nb', '-a', '.', 'x'.repeat(101)])
        await assert.rejects(commitTo(workspace, { a: '1' }, { key }), TypeError, JSON.stringify(key));
    });
  });

  describe('locks that a killed Git left', () => {
    const leaveLock = (repository: string, ref: string, ageMs: number): string => {
      const lock = join(repository, `${ref}.lock`);
      mkdirSync(dirname(lock), { recursive: true });
      writeFileSync(lock, '');
      const at = new Date(Date.now() - ageMs);
      utimesSync(lock, at, at);
      return lock;
    };

    it('are taken away once they are old', async () => {
      const files = team(given);
      await files.workspace.head();
      const locks = ['HEAD', 'refs/heads/main', 'refs/casebook/changes/late'];
      for (const ref of locks) leaveLock(files.repository, ref, 60_000);
      const { commit } = await commitTo(files.workspace, { a: '1' }, { key: 'late' });
      assert.equal(await files.workspace.head(), commit);
      for (const ref of locks) assert.throws(() => statSync(join(files.repository, `${ref}.lock`)), /ENOENT/);
      isSound(files);
    });

    it('are waited for while they are young', async () => {
      const watched = watchedGit(dirname(given.directory), 'git-watched');
      const files = team(given);
      const head = await files.workspace.head();
      const lock = leaveLock(files.repository, 'refs/heads/main', -60_000);
      const made = commitTo(
        createGitWorkspaces({
          directory: given.directory,
          program: watched.program,
          gitTimeoutMs: LONG_TIMEOUTS.gitMs,
        }).forTeam(files.id),
        {
          a: '1',
        },
      );
      const tries = (): number => watched.calls().filter((call) => call === 'update-ref').length;
      await waitUntil(() => tries() >= 2 || undefined, { what: 'a second attempt' });
      assert.equal(await files.workspace.head(), head);
      rmSync(lock);
      assert.equal((await made).commit, await files.workspace.head());
    });
  });

  it('writes names into a commit that Git would refuse', async () => {
    const files = team(given);
    const { commit } = await commitTo(
      files.workspace,
      { a: '1' },
      { author: { name: 'Eve\nparent <x>', email: '<>' }, message: '  Say\0 it \n\n' },
    );
    assert.equal(files.git('log', '-1', '--format=%an|%ae|%s', commit), 'Eve parent x|unknown@casebook.invalid|Say it');
    await assert.rejects(commitTo(files.workspace, { a: '2' }, { message: ' \n ' }), TypeError);
    isSound(files);
  });

  it('keeps the trailers of a message in one paragraph with its own', async () => {
    const files = team(given);
    const trailers = async (message: string): Promise<string> => {
      const { commit } = await commitTo(files.workspace, { a: message }, { message });
      return files.git('log', '-1', '--format=%(trailers:keyonly,separator=%x2C)', commit);
    };
    assert.equal(await trailers('Subject\n\nCasebook-Chat: 7'), 'Casebook-Chat,Casebook-Change');
    assert.equal(await trailers('Subject\n\nSome: text\nthat goes on'), 'Casebook-Change');
    assert.equal(await trailers('fix: a subject alone'), 'Casebook-Change');
  });
});

/** The same folder, with turns of its own, as another process has. */
function scratchOf({ directory }: Scratch): Scratch['workspaces'] {
  return createGitWorkspaces({ directory, gitTimeoutMs: LONG_TIMEOUTS.gitMs });
}
