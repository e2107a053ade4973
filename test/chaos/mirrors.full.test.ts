/** A worker that is killed, with its Git, at any step of a mirror: the next one brings the mirror up to date. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { watchedGit } from '../features/workspace/watched-git.ts';
import type { HostedRepository } from '../support/git-http.ts';
import { startMirrorWorkflows, type MirrorWorkflows } from '../support/mirror-workflows.ts';
import type { MirrorWorkerInput } from '../support/mirror-worker.ts';
import { workflowBundle } from '../support/own-programs.ts';
import { temporalAddress } from '../support/temporal.ts';

const PROGRAM = join(import.meta.dirname, '../support/mirror-worker.ts');

interface Prepared {
  name: string;
  hosted: HostedRepository;
  id: string;
  /** The newest one. */
  commit: string;
}

describe('killed workers of mirrors', () => {
  let given: MirrorWorkflows;
  let shared: Omit<MirrorWorkerInput, 'program'>;
  before(async () => {
    given = await startMirrorWorkflows({ workers: 0 });
    const { database, taskQueue, home } = given;
    const address = await temporalAddress();
    shared = {
      databaseUrl: database.url,
      address,
      taskQueue,
      home,
      workflowBundle: await workflowBundle('kills'),
      staleMs: 500,
    };
  });
  after(() => given.stop());

  /** In a process group of its own, so that its Git dies with it. */
  const start = async (program: string): Promise<ChildProcess> => {
    const input = JSON.stringify({ ...shared, program } satisfies MirrorWorkerInput);
    const child = spawn(process.execPath, [PROGRAM, input], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  };
  const stop = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const sound = (gitDir: string): void => {
    execFileSync('git', [`--git-dir=${gitDir}`, 'fsck', '--full', '--no-dangling'], { stdio: 'pipe' });
    const left = readdirSync(gitDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));
    assert.deepEqual(left, []);
  };
  /** Repositories that were fetched once, and then changed in every way. */
  const prepared = async (names: readonly string[]): Promise<Prepared[]> => {
    const worker = await start('git');
    const all: Prepared[] = [];
    for (const name of names) {
      const hosted = given.host.create(`acme/${name}`);
      const first = hosted.commit({ a: '1', b: { content: randomBytes(50_000) } });
      hosted.git(['update-ref', 'refs/heads/old', first]);
      const { id } = await given.connect(hosted, `acme/${name}`);
      await given.want(id);
      await given.until(id, 'the first fetch', ({ head }) => head === first);
      await given.untilEnded(id);
      hosted.git(['update-ref', '-d', 'refs/heads/old']);
      hosted.commit({ c: 'x' }, { branch: 'new', parent: first });
      all.push({ name, hosted, id, commit: hosted.commit({ d: '2' }, { parent: null }) });
    }
    await stop(worker);
    return all;
  };

  it('before any of its calls of Git: the mirror is up to date afterwards, and sound', async () => {
    const plain = watchedGit(given.home, 'git-plain');
    const [whole] = await prepared(['plain']);
    const worker = await start(plain.program);
    await given.want(whole!.id);
    await given.until(whole!.id, 'the fetch', ({ head }) => head === whole!.commit);
    await given.untilEnded(whole!.id);
    await stop(worker);
    const calls = plain.calls();
    assert.ok(calls.includes('fetch') && calls.includes('commit-graph') && calls.length >= 4, calls.join(' '));

    const all = await prepared(calls.map((_, index) => `kill-${index + 1}`));
    for (const [index, { name, hosted, id, commit }] of all.entries()) {
      const { program } = watchedGit(given.home, `git-${index}`, index + 1);
      const killed = await start(program);
      await given.want(id);
      const [, signal] = await once(killed, 'exit');
      assert.equal(signal, 'SIGKILL', `before call ${index + 1}: ${calls[index]}`);
      const next = await start('git');
      const row = await given.until(id, `the fetch after ${calls[index]}`, ({ head }) => head === commit);
      await given.untilEnded(id);
      await stop(next);
      const { gitDir, git } = given.mirrors.of(row);
      sound(gitDir);
      const refs = (await git(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads'])).stdout.toString();
      assert.equal(refs.trim(), hosted.git(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads']));
      const workspace = given.workspaces.forTeam(given.teamId);
      const file = await workspace.read(`repos/acme/${name}/d`, { at: await workspace.head() });
      assert.equal(file.text, '2');
    }
  });

  it('at any moment of a first fetch: nothing is left half-done', async () => {
    for (let round = 0; round < 6; round++) {
      const hosted = given.host.create(`acme/moment-${round}`);
      const big = Object.fromEntries(
        Array.from({ length: 200 }, (_, n) => [`f${n}`, { content: randomBytes(40_000) }]),
      );
      const commit = hosted.commit(big);
      const { id } = await given.connect(hosted, `acme/moment-${round}`);
      const killed = await start('git');
      const asked = given.host.requests.length;
      await given.want(id);
      while (given.host.requests.length === asked) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve, round * 60));
      process.kill(-killed.pid!, 'SIGKILL');
      await once(killed, 'exit');
      const next = await start('git');
      const row = await given.until(id, 'the fetch', ({ head }) => head === commit);
      await given.untilEnded(id);
      await stop(next);
      sound(given.mirrors.of(row).gitDir);
      const objects = join(given.mirrors.of(row).gitDir, 'objects/pack');
      assert.ok(existsSync(objects));
    }
  });
});
