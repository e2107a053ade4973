import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GitStopped, runGit } from '../../../src/platform/git/index.ts';
import { gitFiles } from '../../../src/features/workspace/index.ts';
import { commitTo, failsWith, git, isSound, scratch, team, textOf, type Scratch, type TestTeam } from './support.ts';

interface Mirror {
  repository: string;
  objects: string;
  /** Adds a commit to its branch. */
  push(files: Record<string, string>): string;
}

/** A bare repository, as a mirror of a code host's. */
function mirror({ directory }: Scratch, name: string = randomUUID()): Mirror {
  const repository = join(directory, 'mirrors', `${name}.git`);
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
  let commits = 0;
  return {
    repository,
    objects: join(repository, 'objects'),
    push(files) {
      commits += 1;
      const parts = [`commit refs/heads/main\ncommitter M <m@example.org> ${commits} +0000\ndata 1\nm\n`];
      if (commits > 1) parts.push('from refs/heads/main^0\n');
      for (const [path, text] of Object.entries(files))
        parts.push(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
      git(repository, ['fast-import', '--quiet'], { input: parts.join('') });
      return git(repository, ['rev-parse', 'main']);
    },
  };
}

const list = async ({ workspace }: TestTeam, path: string, at: string, recursive = false): Promise<string[]> =>
  (await workspace.list(path, { at, recursive })).entries.map((entry) => entry.path);

const search = async ({ workspace }: TestTeam, pattern: string, at: string, path?: string): Promise<string[]> =>
  (await workspace.search(pattern, { at, path, limit: 20 })).matches.map((match) => `${match.path}:${match.line}`);

describe('workspace: mounted mirrors', () => {
  let given: Scratch;
  before(() => {
    given = scratch({ searchTimeoutMs: 60_000 });
  });
  after(() => given.remove());

  it('appear in every read, at every revision, beside the team’s own files', async () => {
    const files = team(given);
    const { workspace } = files;
    const [shop, lib] = [mirror(given), mirror(given)];
    const { commit: old } = await commitTo(workspace, { 'notes/a.md': 'needle\n' });
    const { commit: at } = await commitTo(workspace, { 'notes/b.md': 'needle\n', 'sky.md': 'x' });
    await workspace.mount({
      path: 'repos/acme/shop',
      objects: shop.objects,
      commit: shop.push({ 'src/a.js': 'needle\n' }),
    });
    await workspace.mount({
      path: 'repos/acme/group/lib',
      objects: lib.objects,
      commit: lib.push({ 'lib.js': 'b\nneedle\n' }),
    });
    assert.deepEqual(await list(files, '.', at), ['notes', 'repos', 'sky.md']);
    assert.deepEqual(await list(files, 'repos', at), ['repos/acme']);
    assert.deepEqual(await list(files, 'repos/acme', at), ['repos/acme/group', 'repos/acme/shop']);
    assert.deepEqual(await list(files, 'repos/acme/shop/src', at), ['repos/acme/shop/src/a.js']);
    const own = ['notes/a.md', 'notes/b.md'];
    const theirs = ['repos/acme/group/lib/lib.js', 'repos/acme/shop/src/a.js'];
    assert.deepEqual(await list(files, '.', at, true), [...own, ...theirs, 'sky.md']);
    assert.deepEqual(await list(files, '.', old, true), ['notes/a.md', ...theirs]);
    assert.deepEqual(await search(files, 'needle', at), [
      'notes/a.md:1',
      'notes/b.md:1',
      `${theirs[0]}:2`,
      `${theirs[1]}:1`,
    ]);
    assert.deepEqual(await search(files, 'needle', at, 'repos/acme/group'), [`${theirs[0]}:2`]);
    assert.equal(await textOf(workspace, 'repos/acme/shop/src/a.js', old), 'needle\n');
    const tree = await workspace.preview([{ path: 'c', content: 'needle' }], { at });
    assert.deepEqual(await list(files, '.', tree), ['c', 'notes', 'repos', 'sky.md']);
    assert.deepEqual(
      (await workspace.diff(at, tree)).files.map(({ path }) => path),
      ['c'],
    );
    await failsWith('not_found', workspace.read('repos/acme/other/x', { at }));
    await failsWith('unknown_revision', workspace.list('.', { at: 'f'.repeat(40) }));
    isSound(files);
  });

  it('follow their repository, force pushes included, and go when they are unmounted', async () => {
    const files = team(given);
    const { workspace } = files;
    const at = await workspace.head();
    const shop = mirror(given);
    const path = 'repos/acme/shop';
    const first = shop.push({ a: '1' });
    const second = shop.push({ a: '2', b: '2' });
    for (const [commit, shown] of [
      [first, [`${path}/a`]],
      [second, [`${path}/a`, `${path}/b`]],
      [first, [`${path}/a`]],
    ] as const) {
      await workspace.mount({ path, objects: shop.objects, commit });
      assert.deepEqual(await list(files, '.', at, true), shown);
    }
    assert.deepEqual(await workspace.mounts(), [{ path, objects: shop.objects, commit: first }]);
    await workspace.unmount(path);
    await workspace.unmount(path);
    assert.deepEqual(await list(files, '.', at, true), []);
    await failsWith('not_found', workspace.list('repos', { at }));
  });

  it('cannot be written, nor can their folder', async () => {
    const files = team(given);
    const { workspace } = files;
    const shop = mirror(given);
    const at = await workspace.head();
    const changes = ['repos', 'repos/x', './repos/acme/shop/a', 'repos/'].map((path) => ({ path, content: 'mine' }));
    for (const mounted of [false, true]) {
      if (mounted)
        await workspace.mount({ path: 'repos/acme/shop', objects: shop.objects, commit: shop.push({ a: 'a' }) });
      for (const change of [...changes, { path: 'repos/acme/shop/a', content: null }]) {
        await failsWith('read_only', workspace.preview([change], { at }));
        await failsWith('read_only', commitTo(workspace, { [change.path]: change.content, ok: 'x' }));
      }
    }
    assert.equal(await workspace.head(), at);
    await commitTo(workspace, { 'reposit/x': 'x', 'a/repos': 'x' });
  });

  it('refuses what is no place for a repository, or has no such commit', async () => {
    const { workspace } = team(given);
    const shop = mirror(given);
    const commit = shop.push({ a: 'a' });
    const { objects } = shop;
    for (const path of [
      'a/b/c',
      'repos',
      'repos/acme',
      '../repos/a/b',
      'repos/a/.git',
      'repos/a/../../b',
      '/repos/a/b',
    ])
      await failsWith('invalid_path', workspace.mount({ path, objects, commit }));
    for (const unknown of ['main', '--help', 'f'.repeat(40), git(shop.repository, ['rev-parse', 'main:a'])])
      await failsWith('unknown_revision', workspace.mount({ path: 'repos/a/b', objects, commit: unknown }));
    for (const bad of ['objects', `${objects}\n/etc`])
      await assert.rejects(workspace.mount({ path: 'repos/a/b', objects: bad, commit }), TypeError);
    await workspace.mount({ path: 'repos/a/b', objects, commit });
    await failsWith('clash', workspace.mount({ path: 'repos/a/b/c', objects, commit }));
    await workspace.mount({ path: 'repos/a/bc', objects, commit });
  });

  it('a deleted mirror is left out, and what the workspace has in common with it stays', async () => {
    const files = team(given);
    const { workspace } = files;
    const [gone, kept] = [mirror(given), mirror(given)];
    const both = { same: 'the same text\n' };
    await workspace.mount({ path: 'repos/a/gone', objects: gone.objects, commit: gone.push({ ...both, own: 'o' }) });
    await workspace.mount({ path: 'repos/a/kept', objects: kept.objects, commit: kept.push({ k: 'k' }) });
    const { commit: at } = await commitTo(workspace, both);
    assert.equal((await list(files, '.', at, true)).length, 4);
    const aside = `${gone.repository}.aside`;
    renameSync(gone.repository, aside);
    assert.deepEqual(await list(files, '.', at, true), ['repos/a/kept/k', 'same']);
    assert.equal(await textOf(workspace, 'same', at), both.same);
    await failsWith('not_found', workspace.read('repos/a/gone/same', { at }));
    isSound(files);
    // Emptied, as by a new clone that has only begun.
    execFileSync('git', ['init', '--quiet', '--bare', gone.repository]);
    assert.deepEqual(await list(files, '.', at, true), ['repos/a/kept/k', 'same']);
    assert.deepEqual(await search(files, 'k', at), ['repos/a/kept/k:1']);
    await failsWith('not_found', workspace.list('repos/a/gone', { at }));
    rmSync(gone.repository, { recursive: true });
    renameSync(aside, gone.repository);
    assert.equal(await textOf(workspace, 'repos/a/gone/same', at), both.same);
  });

  it('are the team’s own', async () => {
    const [one, other] = [team(given), team(given)];
    const shop = mirror(given);
    await one.workspace.mount({ path: 'repos/a/b', objects: shop.objects, commit: shop.push({ a: 'a' }) });
    const at = await other.workspace.head();
    assert.deepEqual(await list(other, '.', at, true), []);
    await failsWith('not_found', other.workspace.read('repos/a/b/a', { at }));
  });

  it('many calls at once, mounting and reading, see whole states', async () => {
    const files = team(given);
    const { workspace } = files;
    const at = await workspace.head();
    const shop = mirror(given);
    const commits = Array.from({ length: 4 }, (_, i) => shop.push({ a: `${i}`, b: `${i}` }));
    const mounting = Promise.all(
      commits.map((commit, i) => workspace.mount({ path: `repos/a/${i % 2}`, objects: shop.objects, commit })),
    );
    const reading = Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 3; i++) {
        const found = await list(files, '.', at, true);
        assert.ok([0, 2, 4].includes(found.length), found.join(' '));
      }
    });
    await Promise.all([mounting, ...reading]);
    assert.equal((await list(files, '.', at, true)).length, 4);
    assert.deepEqual(readdirSync(join(files.repository, 'casebook', 'mounts')).sort(), [
      'repos%2Fa%2F0',
      'repos%2Fa%2F1',
    ]);
  });

  it('the files of any bare repository can be read alone', async () => {
    const shop = mirror(given);
    const first = shop.push({ 'src/a': 'one\n', run: 'x' });
    const second = shop.push({ 'src/a': 'two\n' });
    const files = gitFiles({
      path: shop.repository,
      git: (args, options) => runGit('git', shop.repository, args, options),
    });
    assert.equal((await files.read('src/a', { at: first })).text, 'one\n');
    assert.deepEqual((await files.search('t[vw]o', { at: second, limit: 5 })).matches, [
      { path: 'src/a', line: 1, text: 'two' },
    ]);
    assert.deepEqual((await files.list('src', { at: first })).entries, [{ path: 'src/a', type: 'file', size: 4 }]);
    assert.match((await files.diff(first, second)).files[0]!.diff, /-one\n\+two/);
    await failsWith('unknown_revision', files.read('src/a', { at: 'main' }));
    const slow = async () => {
      throw new GitStopped('timeout', 'git took too long');
    };
    await failsWith('timeout', gitFiles({ path: shop.repository, git: slow }).list('.', { at: first }));
  });
});
