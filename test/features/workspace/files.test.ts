import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { statSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_READ_BYTES } from '../../../src/features/workspace/index.ts';
import { commitTo, failsWith, isSound, mirrored, scratch, team, textOf, type Scratch } from './support.ts';

describe('workspace: files', () => {
  let given: Scratch;
  before(() => {
    given = scratch({ searchTimeoutMs: 60_000 });
  });
  after(() => given.remove());

  it('begins empty, with one commit that is the same for every team', async () => {
    const [one, other] = [team(given), team(given)];
    const at = await one.workspace.head();
    assert.equal(await other.workspace.head(), at);
    assert.deepEqual(await one.workspace.list('.', { at }), { entries: [], truncated: false });
    assert.deepEqual(await one.workspace.search('x', { at, limit: 1 }), { matches: [], truncated: false });
    isSound(one);
  });

  it('is made once when many ask at once, for its user alone', async () => {
    const { id, repository } = team(given);
    const heads = await Promise.all(Array.from({ length: 8 }, () => given.workspaces.forTeam(id).head()));
    assert.equal(new Set(heads).size, 1);
    assert.equal(statSync(repository).mode & 0o777, 0o700);
    assert.equal(statSync(join(repository, 'config')).mode & 0o777, 0o600);
    assert.equal(statSync(join(repository, 'objects')).mode & 0o777, 0o700);
    assert.deepEqual(
      readdirSync(given.directory).filter((name) => !name.endsWith('.git')),
      [],
    );
    assert.ok(!readdirSync(repository).includes('hooks'));
  });

  it('keeps teams apart', async () => {
    const [one, other] = [team(given), team(given)];
    const { commit } = await commitTo(one.workspace, { 'secret.md': 'only of one\n' });
    await failsWith('unknown_revision', other.workspace.read('secret.md', { at: commit }));
    await failsWith('unknown_revision', other.workspace.list('.', { at: commit }));
    await failsWith('unknown_revision', other.workspace.search('only', { at: commit, limit: 1 }));
    const head = await other.workspace.head();
    await failsWith('unknown_revision', other.workspace.diff(head, commit));
    await failsWith('unknown_revision', other.workspace.preview([], { at: commit }));
    await failsWith('not_found', other.workspace.read('secret.md', { at: head }));
  });

  it('takes a team’s id only when it is a UUID', () => {
    const uuid = randomUUID();
    for (const id of [
      '',
      '.',
      '..',
      '../x',
      'team',
      `${uuid}/..`,
      `../${uuid}`,
      `${uuid}\n`,
      `x${uuid}`,
      uuid.slice(1),
    ])
      assert.throws(() => given.workspaces.forTeam(id), TypeError, JSON.stringify(id));
  });

  it('knows one team by its id in any case', async () => {
    const { id, workspace } = team(given);
    const { commit } = await commitTo(workspace, { a: 'x' });
    assert.equal(await given.workspaces.forTeam(id.toUpperCase()).head(), commit);
  });

  it('lists one level with kinds and sizes, or all files below', async () => {
    const { workspace } = team(given);
    const { commit: at } = await commitTo(workspace, { 'a.md': 'four', 'docs/b.md': 'ü', 'docs/deep/c.md': '' });
    assert.deepEqual((await workspace.list('.', { at })).entries, [
      { path: 'a.md', type: 'file', size: 4 },
      { path: 'docs', type: 'directory', size: null },
    ]);
    assert.deepEqual(
      (await workspace.list('docs/', { at })).entries.map(({ path }) => path),
      ['docs/b.md', 'docs/deep'],
    );
    assert.deepEqual(
      (await workspace.list('docs', { at, recursive: true })).entries.map(({ path }) => path),
      ['docs/b.md', 'docs/deep/c.md'],
    );
    const first = await workspace.list('.', { at, recursive: true, limit: 2 });
    assert.deepEqual([first.entries.length, first.truncated], [2, true]);
    await failsWith('not_a_directory', workspace.list('a.md', { at }));
    await failsWith('not_found', workspace.list('doc', { at }));
    await failsWith('not_a_file', workspace.read('docs', { at }));
    await failsWith('not_found', workspace.read('a.md/x', { at }));
  });

  it('reads the state that was asked for, whatever came later', async () => {
    const { workspace } = team(given);
    const { commit: first } = await commitTo(workspace, { a: 'one' });
    const { commit: second } = await commitTo(workspace, { a: 'two' });
    assert.equal(await textOf(workspace, 'a', first), 'one');
    assert.equal(await textOf(workspace, 'a', second), 'two');
  });

  it('gives text back byte for byte', async () => {
    const { workspace } = team(given);
    const text = '\ufeffline\r\nline\rtab\t\u0001 ü 日本 👩‍💻 no break at the end';
    const { commit: at } = await commitTo(workspace, { a: text });
    const file = await workspace.read('a', { at });
    assert.equal(file.text, text);
    assert.equal(file.size, Buffer.byteLength(text));
    assert.deepEqual(Buffer.from(file.bytes!), Buffer.from(text));
  });

  it('says what is not text, and does not search it', async () => {
    const files = team(given);
    const { workspace } = files;
    const at = await mirrored(files, {
      latin: { content: Buffer.from([0x66, 0xfc, 0x72]) },
      nul: { content: 'needle\0needle' },
      huge: { content: Buffer.alloc(MAX_READ_BYTES + 1, 'a') },
    });
    const latin = await workspace.read('latin', { at });
    assert.deepEqual([latin.kind, latin.text, latin.size], ['binary', null, 3]);
    assert.deepEqual([...latin.bytes!], [0x66, 0xfc, 0x72]);
    assert.equal((await workspace.read('nul', { at })).kind, 'binary');
    const huge = await workspace.read('huge', { at });
    assert.deepEqual([huge.kind, huge.text, huge.bytes, huge.size], ['large', null, null, MAX_READ_BYTES + 1]);
    assert.deepEqual((await workspace.search('needle', { at, limit: 5 })).matches, []);
    assert.deepEqual((await workspace.list('.', { at })).entries.find(({ path }) => path === 'huge')?.size, huge.size);
  });

  it('shows where a link points and never follows or writes it', async () => {
    const files = team(given);
    const { workspace } = files;
    const at = await mirrored(files, {
      passwd: { mode: '120000', content: '/etc/passwd' },
      up: { mode: '120000', content: '../..' },
      'dir/real.md': { content: 'here\n' },
      alias: { mode: '120000', content: 'dir' },
    });
    const link = await workspace.read('passwd', { at });
    assert.deepEqual([link.kind, link.text], ['link', '/etc/passwd']);
    assert.equal((await workspace.list('.', { at })).entries.find(({ path }) => path === 'up')?.type, 'link');
    await failsWith('not_a_directory', workspace.list('up', { at }));
    await failsWith('not_found', workspace.read('alias/real.md', { at }));
    assert.deepEqual((await workspace.search('root', { at, limit: 5 })).matches, []);
    assert.deepEqual((await workspace.search('etc', { at, limit: 5 })).matches, []);
    await failsWith('not_a_file', commitTo(workspace, { passwd: 'mine' }));
    await failsWith('clash', commitTo(workspace, { 'up/x': 'mine' }));
    await failsWith('clash', commitTo(workspace, { 'alias/real.md': 'mine' }));
    const { commit } = await commitTo(workspace, { up: null });
    await failsWith('not_found', workspace.read('up', { at: commit }));
  });

  it('keeps a program executable', async () => {
    const files = team(given);
    await mirrored(files, { run: { mode: '100755', content: '#!/bin/sh\n' } });
    const { commit } = await commitTo(files.workspace, { run: '#!/bin/sh\necho\n' });
    assert.match(files.git('ls-tree', commit, 'run'), /^100755 /);
  });

  describe('search', () => {
    it('finds expressions, plain text, in any case, as words, below a path', async () => {
      const { workspace } = team(given);
      const text = 'one (a.b)\nOne axb\nbone\nÄrger\n';
      const { commit: at } = await commitTo(workspace, { 'x/a.md': text, 'y/b.md': 'one\n' });
      const lines = async (pattern: string, flags: string, path?: string): Promise<string[]> =>
        (await workspace.search(pattern, { at, flags, path, limit: 10 })).matches.map((m) => `${m.path}:${m.line}`);
      assert.deepEqual(await lines('a.b', 'F'), ['x/a.md:1']);
      assert.deepEqual(await lines('a.b', ''), ['x/a.md:1', 'x/a.md:2']);
      assert.deepEqual(await lines('one', '', 'x'), ['x/a.md:1', 'x/a.md:3']);
      assert.deepEqual(await lines('one', 'i', 'x/a.md'), ['x/a.md:1', 'x/a.md:2', 'x/a.md:3']);
      assert.deepEqual(await lines('one', 'iw'), ['x/a.md:1', 'x/a.md:2', 'y/b.md:1']);
      assert.deepEqual(await lines('ärger', 'i'), ['x/a.md:4']);
      assert.deepEqual(await lines('one', '', 'nowhere'), []);
    });

    it('is bounded in matches and in what it shows of a line', async () => {
      const { workspace } = team(given);
      const long = `${'ü'.repeat(5_000)}needle${'z'.repeat(5_000)}`;
      const { commit: at } = await commitTo(workspace, { many: 'needle\n'.repeat(1_000), one: long });
      const many = await workspace.search('needle', { at, path: 'many', limit: 10 });
      assert.deepEqual([many.matches.length, many.truncated], [10, true]);
      const [match] = (await workspace.search('needle', { at, path: 'one', limit: 10 })).matches;
      assert.match(match!.text, /^…ü+needlez+…$/u);
      assert.ok(match!.text.length < 500);
    });

    it('ends a search whose output grows too large, with what it has', async () => {
      const { workspace } = team(given);
      const line = `${'x'.repeat(900_000)}\n`;
      await commitTo(workspace, { a: line, b: line, c: line, d: line });
      const { commit: at } = await commitTo(workspace, { e: line, f: line, g: line });
      const found = await workspace.search('x', { at, limit: 100 });
      assert.equal(found.truncated, true);
      assert.ok(found.matches.length >= 3 && found.matches.length < 7, `${found.matches.length}`);
      assert.ok(found.matches.every(({ text }) => text.length < 500));
    });

    it('stops an expression that would take for ever', async () => {
      const impatient = scratch({ searchTimeoutMs: 500 });
      try {
        const { workspace } = team(impatient);
        const { commit: at } = await commitTo(workspace, { a: `${'a'.repeat(200_000)}\n` });
        const error = await failsWith('timeout', workspace.search('(a|aa)+b', { at, limit: 5 }));
        assert.match(error.message, /simpler/);
      } finally {
        impatient.remove();
      }
    });

    it('refuses what cannot be a pattern', async () => {
      const { workspace } = team(given);
      const at = await workspace.head();
      const search = (pattern: string, flags = ''): Promise<unknown> =>
        workspace.search(pattern, { at, flags, limit: 1 });
      await commitTo(workspace, { a: 'x' });
      assert.match((await failsWith('invalid', search('(a'))).message, /regular expression: Unmatched/);
      await failsWith('invalid', search('(a{1,1000}){1,1000}'));
      for (const pattern of [String.raw`(a*)*\1x`, String.raw`(a)\\\1`]) await failsWith('invalid', search(pattern));
      await search(String.raw`(a)\1`, 'F');
      for (const pattern of ['', 'a\nb', 'a\0b', '\ud800', 'x'.repeat(501)])
        await failsWith('invalid', search(pattern, ''));
      for (const flags of ['x', 'ii', 'F-', 'E', 'P', 'i w']) await failsWith('invalid', search('a', flags));
    });

    it('stops when the caller goes away', async () => {
      const { workspace } = team(given);
      const { commit: at } = await commitTo(workspace, { a: `${'a'.repeat(200_000)}\n` });
      const signal = AbortSignal.timeout(100);
      await assert.rejects(workspace.search('(a|aa)+b', { at, limit: 5, signal }), {
        name: 'TimeoutError',
      });
    });
  });
});
