import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectGarbage } from '../../../src/features/workspace/git/collect.ts';
import { openRepository } from '../../../src/features/workspace/git/repository.ts';
import { VIEW_KEPT_MS } from '../../../src/features/workspace/git/view.ts';
import { LONG_TIMEOUTS } from '../../support/timeouts.ts';
import { commitTo, isSound, keysInHistory, scratch, team, textOf, type Scratch, type TestTeam } from './support.ts';

const DAY_MS = 24 * 3_600_000;

describe('workspace: garbage collection', () => {
  let given: Scratch;
  before(() => {
    given = scratch();
  });
  after(() => given.remove());

  const collect = async ({ id }: TestTeam, options: { always?: boolean; now?: Date } = {}): Promise<boolean> => {
    const git = { program: 'git', timeoutMs: LONG_TIMEOUTS.gitMs };
    const repository = await openRepository(git, given.directory, `${id}.git`);
    return collectGarbage(repository, { now: new Date(), staleLockMs: 60_000, ...options });
  };
  const loose = ({ git }: TestTeam): number => Number(/^count: (\d+)/m.exec(git('count-objects', '-v'))?.[1]);

  it('packs what is needed, deletes what nothing has needed for weeks, and keeps what is young', async () => {
    const files = team(given);
    const { workspace } = files;
    const { commit } = await commitTo(workspace, { a: '1' });
    const old = await workspace.preview([{ path: 'old', content: 'old' }], { at: commit });
    const before = new Date(Date.now() - 20 * DAY_MS);
    for (const folder of readdirSync(join(files.repository, 'objects')).filter((name) => name.length === 2))
      for (const name of readdirSync(join(files.repository, 'objects', folder)))
        utimesSync(join(files.repository, 'objects', folder, name), before, before);
    const young = await workspace.preview([{ path: 'young', content: 'young' }], { at: commit });
    assert.equal(await collect(files, { always: true }), true);
    assert.equal(await textOf(workspace, 'a', commit), '1');
    assert.equal(await textOf(workspace, 'young', young), 'young');
    await assert.rejects(workspace.read('old', { at: old }), { code: 'unknown_revision' });
    assert.equal(loose(files), 2, 'the young tree and its file');
    assert.deepEqual(readdirSync(join(files.repository, 'refs', 'heads')), [], 'refs are packed too');
    isSound(files);
    const { commit: later } = await commitTo(workspace, { b: '2' });
    assert.equal(await workspace.head(), later);
  });

  it('is due when there is much to pack, and not again at once', async () => {
    const files = team(given);
    const { commit } = await commitTo(files.workspace, { a: '1' });
    assert.equal(await collect(files), false);
    const changes = join(files.repository, 'refs', 'casebook', 'changes');
    for (let i = 0; i < 501; i++) writeFileSync(join(changes, `k${i}`), `${commit}\n`);
    assert.equal(await collect(files), true);
    mkdirSync(changes, { recursive: true });
    for (let i = 0; i < 501; i++) writeFileSync(join(changes, `l${i}`), `${commit}\n`);
    assert.equal(await collect(files), false);
    assert.equal(await collect(files, { now: new Date(Date.now() + DAY_MS) }), true);
  });

  it('loses no commit that is made meanwhile', async () => {
    const files = team(given);
    const keys = Array.from({ length: 12 }, (_, i) => `meanwhile-${i}`);
    const committing = Promise.all(keys.map((key) => commitTo(files.workspace, { [key]: key }, { key })));
    for (let i = 0; i < 3; i++) await collect(files, { always: true });
    await committing;
    assert.deepEqual(keysInHistory(files), keys.sort());
    isSound(files);
  });

  it('goes on after one that was killed, and leaves a running one alone', async () => {
    const files = team(given);
    await commitTo(files.workspace, { a: '1' });
    const killed = new Date(Date.now() - 3_600_000);
    for (const lock of ['packed-refs.lock', 'gc.pid.lock']) {
      writeFileSync(join(files.repository, lock), '');
      utimesSync(join(files.repository, lock), killed, killed);
    }
    assert.equal(await collect(files, { always: true }), true);
    writeFileSync(join(files.repository, 'gc.pid'), `${process.pid} elsewhere`);
    assert.equal(await collect(files, { always: true }), false);
  });

  it('deletes views that nobody has used for long, and what is left of unfinished ones', async () => {
    const files = team(given);
    const { workspace } = files;
    const mirror = team(given);
    const { commit } = await commitTo(mirror.workspace, { m: 'm' });
    await workspace.mount({ path: 'repos/a/b', objects: join(mirror.repository, 'objects'), commit });
    const at = await workspace.head();
    await workspace.list('.', { at });
    const views = join(files.repository, 'casebook', 'views');
    mkdirSync(join(views, 'new-left'));
    await collect(files);
    assert.equal(readdirSync(views).length, 2);
    await collect(files, { now: new Date(Date.now() + VIEW_KEPT_MS + 1_000) });
    assert.deepEqual(readdirSync(views), []);
    assert.equal((await workspace.list('.', { at, recursive: true })).entries[0]!.path, 'repos/a/b/m');
  });

  it('all workspaces have a size, and are collected together', async () => {
    const alone = scratch();
    try {
      assert.equal(await alone.workspaces.size(), 0);
      await alone.workspaces.collect(new Date());
      await commitTo(team(alone).workspace, { a: 'x'.repeat(1_000) });
      const one = await alone.workspaces.size();
      assert.ok(one > 500, `${one}`);
      await commitTo(team(alone).workspace, { a: 'x'.repeat(1_000) });
      assert.ok((await alone.workspaces.size()) > one * 1.5);
      await alone.workspaces.collect(new Date());
    } finally {
      alone.remove();
    }
  });
});
