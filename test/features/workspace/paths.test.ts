import assert from 'node:assert/strict';
import fc from 'fast-check';
import { directoryPath, workspacePath } from '../../../src/features/workspace/path.ts';
import { WorkspaceError } from '../../../src/features/workspace/index.ts';
import { commitTo, failsWith, git, isSound, scratch, team, type Scratch } from './support.ts';

const REFUSED: Record<string, string> = {
  upwards: '../x',
  'upwards within': 'a/../b',
  'upwards at the end': 'a/..',
  'upwards with spaces': 'a/.. /b',
  'dots and spaces only': 'a/. . ./b',
  'here within': 'a/./b',
  absolute: '/etc/passwd',
  'absolute behind ./': './/etc/passwd',
  'twice a slash': 'a//b',
  'the root': '.',
  nothing: '',
  'only a slash': '/',
  'a folder of Git': '.git/config',
  'in another case': '.GIT/x',
  deeper: 'a/.Git/hooks/post-commit',
  'as NTFS takes it, with a dot': 'a/.git./b',
  'as NTFS takes it, with a space': '.git /b',
  'as NTFS takes it, with a stream': '.git::$INDEX_ALLOCATION/config',
  'by its short name': 'git~1/config',
  'by its short name in capitals': 'GIT~1',
  'as HFS+ takes it': '.g\u200cit/config',
  'as HFS+ takes it, with a mark': '\ufeff.git/config',
  NUL: 'a\0b',
  'a line break': 'a\nb',
  'a carriage return': 'a\rb',
  'an escape': 'a\u001b[31mb',
  'a change of direction': 'a\u202eb',
  'a separator of lines': 'a\u2028b',
  'half a character': 'a\ud800b',
  'a backslash': 'a\\..\\b',
  decomposed: 'e\u0301.md',
  'a long name': 'n'.repeat(256),
  'long in bytes': 'ü'.repeat(128),
  'a long path': Array.from({ length: 20 }, () => 'n'.repeat(60)).join('/'),
  deep: Array.from({ length: 41 }, () => 'n').join('/'),
};
const ACCEPTED = [
  'a',
  'b/b.md',
  '-rf',
  '--help/x',
  ':(top)x',
  ':x',
  '*',
  'a b/ü.md',
  '.gitignore',
  'git',
  '.github/x',
  '日本/語',
];

describe('workspace: paths', () => {
  for (const [what, path] of Object.entries(REFUSED)) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => workspacePath(path),
        (error) => error instanceof WorkspaceError && error.code === 'invalid_path',
      );
    });
  }

  it('takes what is left as it is', () => {
    for (const path of ACCEPTED) assert.equal(workspacePath(path), path);
    assert.equal(workspacePath('./a/b/'), 'a/b');
    for (const root of ['.', './', '']) assert.equal(directoryPath(root), '');
  });

  it('never lets Git’s folder or a way up through, whatever is around it', () => {
    const bad = fc.constantFrom('..', '.', '.git', '.GIT', '.giT.', 'Git~1', '.git ', '.git:x', '..:', '');
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 3 }), bad, fc.array(name, { maxLength: 3 }), (before, middle, after) => {
        const path = [...before.map((part) => part.replaceAll('/', '')), middle, 'x', ...after].join('/');
        if (path.startsWith('./')) return;
        assert.throws(() => workspacePath(path), WorkspaceError);
      }),
    );
  });

  describe('against a repository', () => {
    let given: Scratch;
    before(() => {
      given = scratch();
    });
    after(() => given.remove());

    it('nothing that is refused reaches Git', async () => {
      const { workspace, repository } = team(given);
      const head = await workspace.head();
      for (const path of Object.values(REFUSED)) {
        await failsWith('invalid_path', commitTo(workspace, { [path]: 'x' }));
        await failsWith('invalid_path', workspace.preview([{ path, content: null }], { at: head }));
        await failsWith('invalid_path', workspace.read(path, { at: head }));
        if (path === '.' || path === '') continue;
        await failsWith('invalid_path', workspace.list(path, { at: head }));
        await failsWith('invalid_path', workspace.search('x', { at: head, path, limit: 1 }));
      }
      assert.equal(await workspace.head(), head);
      assert.equal(git(repository, ['rev-parse', 'refs/heads/main']), head);
    });

    it('names that look like options or patterns are names', async () => {
      const files = team(given);
      const { workspace } = files;
      const { commit: at } = await commitTo(
        workspace,
        Object.fromEntries(ACCEPTED.map((path) => [path, `text of ${path}\n`])),
      );
      assert.deepEqual(
        (await workspace.list('.', { at, recursive: true })).entries.map(({ path }) => path).sort(),
        ACCEPTED.toSorted(),
      );
      for (const path of ACCEPTED) {
        assert.equal((await workspace.read(path, { at })).text, `text of ${path}\n`);
        const found = await workspace.search('text of', { at, path, limit: 50 });
        assert.deepEqual(
          found.matches.map((match) => match.path),
          [path],
        );
      }
      const { commit: without } = await commitTo(workspace, { '*': null });
      assert.equal((await workspace.list('.', { at: without, recursive: true })).entries.length, ACCEPTED.length - 1);
      isSound(files);
    });

    it('a search pattern that looks like an option is a pattern', async () => {
      const { workspace } = team(given);
      const { commit: at } = await commitTo(workspace, { a: 'say --open-files-in-pager=touch please\n' });
      const pattern = '--open-files-in-pager=touch';
      assert.equal((await workspace.search(pattern, { at, limit: 5 })).matches.length, 1);
    });

    it('a revision is the id of an object and nothing else', async () => {
      const { workspace } = team(given);
      for (const at of ['main', 'HEAD', '--all', 'HEAD~1', '', `${'0'.repeat(40)}:x`, '0'.repeat(40)]) {
        await failsWith('unknown_revision', workspace.read('a', { at }));
        await failsWith('unknown_revision', workspace.list('.', { at }));
        await failsWith('unknown_revision', workspace.search('a', { at, limit: 1 }));
        await failsWith('unknown_revision', workspace.diff(at, at));
        await failsWith('unknown_revision', workspace.preview([], { at }));
        await failsWith('unknown_revision', commitTo(workspace, { a: 'x' }, { base: at }));
      }
    });
  });
});
