import assert from 'node:assert/strict';
import { applyChange, writeCommit } from '../../../src/features/pull-requests/proposal/apply.ts';
import { ChangeRefused, type ChangeProblem } from '../../../src/features/pull-requests/proposal/refused.ts';
import { proposalInput, type ProposedChange } from '../../../src/features/pull-requests/proposal/schema.ts';
import { bareRepository, type BareRepository } from './bare-repository.ts';

describe('pull requests: applying a proposed change', () => {
  let repository: BareRepository;
  beforeEach(() => {
    repository = bareRepository();
  });
  afterEach(() => repository.remove());

  const problemsOf = async (base: string, change: ProposedChange): Promise<ChangeProblem[]> => {
    const error: unknown = await applyChange(repository, base, change).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ChangeRefused, String(error));
    return error.problems;
  };

  it('applies replacements, whole files and deletions in order, and writes no ref', async () => {
    const base = repository.commit({
      'src/pool.ts': 'const size = 10;\nexport const pool = open(size);\n',
      'run.sh': { mode: '100755', content: 'one\none\n' },
      'old.txt': 'gone soon\n',
    });
    const refs = repository.run('for-each-ref');
    const { tree, files, diff } = await applyChange(repository, base, {
      edits: [
        { path: 'src/pool.ts', search: 'size = 10', replace: 'size = 100' },
        { path: 'src/pool.ts', search: 'size = 100', replace: 'size = 50' },
        { path: './run.sh', search: 'one', replace: 'two', all: true },
        { path: 'docs/pool.md', content: 'Fifty connections.\n' },
        { path: 'old.txt', delete: true },
      ],
    });
    assert.equal(repository.text(tree, 'src/pool.ts'), 'const size = 50;\nexport const pool = open(size);');
    assert.equal(repository.text(tree, 'run.sh'), 'two\ntwo');
    assert.match(repository.run('ls-tree', tree, 'run.sh'), /^100755 /);
    assert.deepEqual(
      files.map(({ path, change }) => `${change} ${path}`),
      ['added docs/pool.md', 'deleted old.txt', 'modified run.sh', 'modified src/pool.ts'],
    );
    assert.match(diff, /^-const size = 10;\n\+const size = 50;$/m);
    assert.equal(repository.run('for-each-ref'), refs);
  });

  it('names every edit that does not apply, with the lines that are most like what was sought', async () => {
    const base = repository.commit({
      'pool.ts': 'import x;\nconst poolSize = 10;\nconst idle = 5;\n',
      twice: 'a\nb\na\n',
      'bin.dat': new Uint8Array([0, 1, 2]),
    });
    const problems = await problemsOf(base, {
      edits: [
        { path: 'pool.ts', search: 'const poolsize = 12;', replace: 'x' },
        { path: 'twice', search: 'a', replace: 'c' },
        { path: 'missing', search: 'a', replace: 'c' },
        { path: 'absent', delete: true },
        { path: 'bin.dat', search: 'a', replace: 'c' },
      ],
    });
    const [first, ...others] = problems;
    assert.equal(first?.path, 'pool.ts');
    assert.match(first.problem, /^The text to replace does not occur/);
    assert.deepEqual(first.nearest?.[0], { line: 2, text: 'const poolSize = 10;' });
    assert.deepEqual(
      others.map(({ path, problem }) => `${path}: ${problem}`),
      [
        'twice: The text to replace occurs 2 times (lines 1, 3). Include more of the surrounding text, or set all.',
        'missing: There is no such file.',
        'absent: There is no such file.',
        'bin.dat: It is binary, not text: pieces of it cannot be replaced.',
      ],
    );
  });

  it('names the first problems of very many, and looks for what is alike only for a few', async () => {
    const base = repository.commit({ a: 'const size = 10;\n' });
    const edits = Array.from({ length: 200 }, (_, n) => ({ path: 'a', search: `const size = 1${n}x;`, replace: '' }));
    const problems = await problemsOf(base, { edits });
    assert.equal(problems.length, 20);
    assert.equal(problems.filter(({ nearest }) => nearest).length, 3);
  });

  it('refuses a replacement that would grow beyond what can be written', async () => {
    const base = repository.commit({ a: 'a'.repeat(1_000) });
    const edits = [{ path: 'a', search: 'a', replace: 'b'.repeat(1_048_576), all: true }];
    const [problem] = await problemsOf(base, { edits });
    assert.match(problem?.problem ?? '', /would have \d+ characters/);
  });

  it('refuses paths out of the tree and into Git, links, submodules and directories', async () => {
    const base = repository.commit({
      'd/file': 'x',
      link: { mode: '120000', content: '/etc/passwd' },
      sub: { mode: '160000', content: 'a'.repeat(40) },
    });
    const paths = ['../x', '/etc/passwd', '.git/config', 'd/.GIT/hooks/x', 'git~1/x', 'a\\b', 'link', 'sub', 'd'];
    const problems = await problemsOf(base, { edits: paths.map((path) => ({ path, content: 'x' })) });
    assert.equal(problems.length, paths.length);
    for (const path of ['link/x', 'sub/x', 'd/file/x'])
      assert.equal((await problemsOf(base, { edits: [{ path, content: 'x' }] })).length, 1, path);
  });

  it('changes a folder called repos, which is taken only in a workspace', async () => {
    const base = repository.commit({ 'repos/list.txt': 'a\n' });
    const { tree } = await applyChange(repository, base, {
      edits: [{ path: 'repos/list.txt', search: 'a', replace: 'b' }],
    });
    assert.equal(repository.text(tree, 'repos/list.txt'), 'b');
  });

  it('refuses what changes nothing', async () => {
    const base = repository.commit({ a: 'x\n' });
    const [problem] = await problemsOf(base, { edits: [{ path: 'a', content: 'x\n' }] });
    assert.match(problem?.problem ?? '', /nothing to change/);
  });

  it('warns of edits to what CI runs', async () => {
    const base = repository.commit({ '.github/workflows/ci.yml': 'on: push\n' });
    const { warnings } = await applyChange(repository, base, {
      edits: [{ path: '.github/workflows/ci.yml', content: 'on: workflow_dispatch\n' }],
    });
    assert.match(warnings[0]!, /^\.github\/workflows\/ci\.yml decides what CI runs/);
  });

  describe('a revert', () => {
    it('takes back one commit and keeps what came after it, by a short id too', async () => {
      repository.commit({ a: '1\n2\n3\n4\n5\n6\n7\n8\n9\n', b: 'b\n' });
      const bad = repository.commit({ a: '1\nBAD\n3\n4\n5\n6\n7\n8\n9\n', added: 'x\n' }, { message: 'Break it' });
      const base = repository.commit({ a: '1\nBAD\n3\n4\n5\n6\n7\n8\nnine\n' });
      const { tree, reverted, files } = await applyChange(repository, base, { revertCommit: bad.slice(0, 9) });
      assert.equal(repository.text(tree, 'a'), '1\n2\n3\n4\n5\n6\n7\n8\nnine');
      assert.deepEqual(
        files.map(({ path, change }) => `${change} ${path}`),
        ['modified a', 'deleted added'],
      );
      assert.deepEqual({ commit: reverted?.commit, summary: reverted?.summary }, { commit: bad, summary: 'Break it' });
    });

    it('of a merge takes back what it brought to its first parent', async () => {
      const first = repository.commit({ a: 'a\n' });
      const side = repository.commit({ side: 's\n' }, { branch: 'side', from: first });
      const main = repository.commit({ b: 'b\n' });
      const merged = repository.run('merge-tree', '--write-tree', main, side);
      const env = {
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@b',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@b',
      };
      const { stdout } = await repository.git(['commit-tree', merged, '-p', main, '-p', side], { input: 'Merge', env });
      const merge = stdout.toString().trim();
      const { tree } = await applyChange(repository, merge, { revertCommit: merge });
      assert.equal(tree, repository.run('rev-parse', `${main}^{tree}`));
    });

    it('is refused where later commits changed the same lines, and names the files', async () => {
      repository.commit({ a: '1\n2\n3\n', b: 'b\n' });
      const bad = repository.commit({ a: '1\nBAD\n3\n', b: 'bad\n' });
      const base = repository.commit({ a: '1\nother\n3\n' });
      const problems = await problemsOf(base, { revertCommit: bad });
      assert.deepEqual(
        problems.map(({ path }) => path),
        ['a'],
      );
      assert.match(problems[0]!.problem, /later commits changed the same lines/);
    });

    it('is refused for a commit that is unknown, the first, elsewhere, or reverted already', async () => {
      const first = repository.commit({ a: '1\n' });
      const elsewhere = repository.commit({ a: '2\n' }, { branch: 'side', from: first });
      const bad = repository.commit({ a: 'bad\n' });
      const base = repository.commit({ a: '1\n' });
      const said = async (revertCommit: string): Promise<string> =>
        (await problemsOf(base, { revertCommit }))[0]!.problem;
      assert.match(await said('abcdef1234'), /is not in the repository/);
      assert.match(await said(first), /is the first commit/);
      assert.match(await said(elsewhere), /is not in the history of the base branch/);
      assert.match(await said(bad), /there is nothing to revert/);
    });

    it('is refused where it would change links or what CI runs', async () => {
      repository.commit({ a: '1\n' });
      const link = repository.commit({ link: { mode: '120000', content: '/etc' } });
      const ci = repository.commit({ '.gitlab-ci.yml': 'script: x\n', b: 'b\n' });
      const base = repository.commit({ c: 'c\n' });
      assert.deepEqual(
        (await problemsOf(base, { revertCommit: link })).map(({ path }) => path),
        ['link'],
      );
      assert.deepEqual(
        (await problemsOf(base, { revertCommit: ci })).map(({ path }) => path),
        ['.gitlab-ci.yml'],
      );
    });
  });

  it('gives one commit for equal inputs, which names its key', async () => {
    const base = repository.commit({ a: 'x\n' });
    const { tree } = await applyChange(repository, base, { edits: [{ path: 'a', content: 'y\n' }] });
    const wanted = {
      tree,
      parent: base,
      message: 'Say y\n\nBecause.',
      key: 'k1',
      date: new Date('2026-03-01T12:00:00Z'),
    };
    const commit = await writeCommit(repository, wanted);
    assert.equal(await writeCommit(repository, wanted), commit);
    assert.notEqual(await writeCommit(repository, { ...wanted, key: 'k2' }), commit);
    assert.equal(
      repository.run('log', '-1', '--format=%an|%cn|%cI|%s|%(trailers:key=Casebook-Change,valueonly)', commit),
      'Casebook|Casebook|2026-03-01T12:00:00+00:00|Say y|k1\n',
    );
    assert.equal(repository.run('rev-parse', `${commit}^`), base);
  });

  it('accepts branch names as Git does, and either edits or a commit', () => {
    const input = { repository: 'acme/shop', title: 'T', edits: [{ path: 'a', content: 'x' }] };
    const isValid = (more: object): boolean => proposalInput.safeParse({ ...input, ...more }).success;
    for (const base of ['main', 'release/1.2', 'größe', 'a-b_c.d']) assert.equal(isValid({ base }), true, base);
    for (const base of [
      '-f',
      '--upload-pack=x',
      'a..b',
      'a b',
      'a^',
      'a~1',
      'a:b',
      '@{u}',
      'a.lock',
      '/a',
      'a/',
      'a//b',
      '.a',
    ])
      assert.equal(isValid({ base }), false, base);
    assert.equal(isValid({ revert_commit: 'abcdef1' }), false);
    assert.equal(isValid({ edits: undefined }), false);
    assert.equal(isValid({ edits: undefined, revert_commit: 'abcdef1' }), true);
    assert.equal(isValid({ edits: undefined, revert_commit: '--all' }), false);
    assert.equal(isValid({ title: 'two\nlines' }), false);
  });
});
