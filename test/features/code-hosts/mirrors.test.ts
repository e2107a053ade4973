import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodeHostError } from '@casebook/connectors';
import { forTeam } from '../../../src/db/team-filter.ts';
import { mirrorWorkflowId } from '../../../src/features/code-hosts/contract.ts';
import { Repository } from '../../../src/features/code-hosts/entities.ts';
import { sweepWanted } from '../../../src/features/code-hosts/mirrors/want.ts';
import { presentRepository } from '../../../src/features/code-hosts/presenter.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { startMirrorWorkflows, type MirrorWorkflows } from '../../support/mirror-workflows.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('code hosts: mirrors', () => {
  let given: MirrorWorkflows;
  before(async () => {
    given = await startMirrorWorkflows({ launch: { fetchesPerHistory: 3 } });
  });
  after(() => given.stop());
  afterEach(() => {
    given.host.answer = undefined;
    given.refusal.error = undefined;
  });

  const shownAt = async (path: string): Promise<string | null> => {
    const workspace = given.workspaces.forTeam(given.teamId);
    const at = await workspace.head();
    return workspace.read(path, { at }).then(
      ({ text }) => text,
      () => null,
    );
  };
  const change = (id: string, columns: Partial<Repository>) =>
    forTeam(given.database.orm.em, given.teamId).nativeUpdate(Repository, { id }, columns);

  it('a push becomes a fetch, a row and files in the workspace; a forced push and a new name are followed', async () => {
    const hosted = given.host.create('acme/shop');
    const first = hosted.commit({ 'README.md': 'one\n' });
    const { id } = await given.connect(hosted, 'acme/shop');
    await given.want(id);
    const row = await given.until(id, 'the first fetch', ({ head }) => head === first);
    assert.ok(row.syncedAt && row.sizeBytes! > 0);
    assert.equal(row.error, null);
    assert.equal(row.wantedAt, null);
    assert.equal(await shownAt('repos/acme/shop/README.md'), 'one\n');
    assert.deepEqual(await given.untilEnded(id), { status: 'current' });

    const forced = hosted.commit({ 'README.md': 'two\n' }, { parent: null });
    await change(id, { fullName: 'acme/store' });
    await given.want(id);
    await given.until(id, 'the second fetch', ({ head }) => head === forced);
    assert.equal(await shownAt('repos/acme/store/README.md'), 'two\n');
    assert.equal(await shownAt('repos/acme/shop/README.md'), null);
    assert.equal(await given.mirrors.of(row).head(), forced);
  });

  it('500 pushes in a minute’s time become few fetches and few signals, and the last one is there', async () => {
    const hosted = given.host.create('acme/busy');
    hosted.commit({ n: '0' });
    const { id } = await given.connect(hosted, 'acme/busy');
    let last = '';
    for (let n = 1; n <= 500; n++) {
      if (n % 50 === 0) last = hosted.commit({ n: String(n) });
      await given.want(id);
    }
    await given.until(id, 'the last push', ({ head }) => head === last);
    await given.untilEnded(id);
    const fetches = given.fetches(hosted);
    assert.ok(fetches < 60, `${fetches} fetches`);
    let signals = 0;
    let longest = 0;
    for await (const { runId } of given.temporal.workflow.list({ query: `WorkflowId = '${mirrorWorkflowId(id)}'` })) {
      const { events = [] } = await given.temporal.workflow.getHandle(mirrorWorkflowId(id), runId).fetchHistory();
      longest = Math.max(longest, events!.length);
      signals += events!.filter((event) => event.workflowExecutionSignaledEventAttributes).length;
    }
    assert.ok(signals <= fetches + 1, `${signals} signals for ${fetches} fetches`);
    assert.ok(longest < 80, `${longest} events`);
  });

  it('a push during a fetch is fetched as well', async () => {
    const hosted = given.host.create('acme/during');
    hosted.commit({ n: '0' });
    const { id } = await given.connect(hosted, 'acme/during');
    const held: (() => void)[] = [];
    let asked = 0;
    given.host.answer = (request, response) => {
      if (request.method !== 'POST' || asked++ > 0) return false;
      held.push(() => response.destroy());
      return true;
    };
    await given.want(id);
    await waitUntil(() => held.length > 0 || undefined, { what: 'the fetch' });
    const pushed = hosted.commit({ n: '1' });
    await given.want(id);
    held[0]!();
    await given.until(id, 'the push', ({ head }) => head === pushed);
  });

  it('waits as long as the host asks, and until a host that is down is back', async () => {
    const hosted = given.host.create('acme/away');
    const commit = hosted.commit({ n: '0' });
    const { id } = await given.connect(hosted, 'acme/away');
    given.refusal.error = new CodeHostError('limited', 'Slow down.', { retryAfterMs: 300 });
    await given.want(id);
    await given.until(id, 'the refusal', ({ error }) => error === 'Slow down.');
    given.refusal.error = undefined;
    given.host.answer = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    const down = await given.until(id, 'the outage', ({ error }) => /503/.test(error ?? ''));
    assert.ok(!down.error!.includes('a-token'));
    given.host.answer = undefined;
    const { error } = await given.until(id, 'the commits', ({ head }) => head === commit);
    assert.equal(error, null);
  });

  it('ends with the reason when the host refuses for good, and tries again with the next push', async () => {
    const hosted = given.host.create('acme/refused');
    const commit = hosted.commit({ n: '0' });
    const { id } = await given.connect(hosted, 'acme/refused');
    given.refusal.error = new CodeHostError('unauthorized', 'The token was revoked.');
    await given.want(id);
    await given.until(id, 'the refusal', ({ error }) => error === 'The token was revoked.');
    assert.deepEqual(await given.untilEnded(id), { status: 'failed' });
    given.refusal.error = undefined;
    await given.want(id);
    await given.until(id, 'the commits', ({ head }) => head === commit);
  });

  it('what was committed and not started is started by the sweep, once', async () => {
    const hosted = given.host.create('acme/lost');
    const commit = hosted.commit({ n: '0' });
    const long = new Date(Date.now() - 60_000);
    const { id } = await given.connect(hosted, 'acme/lost', { wantedAt: long });
    await change(id, { updatedAt: long });
    const { launcher, database } = given;
    const deps = {
      orm: database.orm,
      clock: systemClock,
      log: createLogger({ name: 'test', level: 'silent' }),
      launcher,
    };
    await Promise.all([sweepWanted(deps), sweepWanted(deps)]);
    await given.until(id, 'the commits', ({ head }) => head === commit);
    await given.untilEnded(id);
    assert.ok(given.fetches(hosted) <= 2);
  });

  it('a missed webhook is found by the comparison, which fetches nothing where nothing changed', async () => {
    const hosted = given.host.create('acme/missed');
    const first = hosted.commit({ n: '0' });
    const { id } = await given.connect(hosted, 'acme/missed', { dueAt: new Date(0) });
    await given.mirrors.compareDue();
    const { dueAt } = await given.until(id, 'the first fetch', ({ head }) => head === first);
    assert.ok(dueAt.getTime() > Date.now() + 60_000);
    await given.untilEnded(id);

    const before = given.fetches(hosted);
    await change(id, { dueAt: new Date(0) });
    await given.mirrors.compareDue();
    assert.equal(given.fetches(hosted), before + 1);
    assert.equal((await given.row(id))?.wantedAt, null);

    const missed = hosted.commit({ n: '1' });
    await change(id, { dueAt: new Date(0) });
    await given.mirrors.compareDue();
    await given.until(id, 'the missed push', ({ head }) => head === missed);
  });

  it('a second repository of the same name is mirrored, and shown once the first is gone', async () => {
    const one = given.host.create('acme/twice');
    const other = given.host.create('other/twice');
    one.commit({ who: 'first' });
    const commit = other.commit({ who: 'second' });
    const first = await given.connect(one, 'acme/twice');
    const second = await given.connect(other, 'acme/twice', { createdAt: new Date(Date.now() + 1_000) });
    for (const { id } of [first, second]) await given.want(id);
    await given.until(first.id, 'the first', ({ head }) => head !== null);
    const mirrored = await given.until(second.id, 'the second', ({ head }) => head === commit);
    assert.equal(await shownAt('repos/acme/twice/who'), 'first');
    const hiddenWhy = async (row: Repository): Promise<string | null | undefined> => {
      const mounts = await given.workspaces.forTeam(given.teamId).mounts();
      return presentRepository(row, given.mirrors.of(row), mounts).workspace_error;
    };
    assert.match((await hiddenWhy(mirrored)) ?? '', /another repository of this name/);
    assert.equal(await hiddenWhy((await given.row(first.id))!), null);
    // It is as new as its host's: nothing is said of that, and it is compared like any other.
    assert.equal(mirrored.error, null);
    await given.untilEnded(second.id);
    const before = given.fetches(other);
    await change(second.id, { dueAt: new Date(0) });
    await given.mirrors.compareDue();
    assert.equal(given.fetches(other), before + 1);
    assert.equal((await given.row(second.id))?.wantedAt, null);

    await given.untilEnded(first.id);
    await change(first.id, { integrationId: null });
    await given.mirrors.collectRemoved();
    assert.ok((await given.row(second.id))?.wantedAt);
    await given.mirrors.start([second]);
    await given.until(second.id, 'its place', ({ wantedAt }) => wantedAt === null);
    await given.untilEnded(second.id);
    assert.equal(await shownAt('repos/acme/twice/who'), 'second');
    assert.equal(await hiddenWhy((await given.row(second.id))!), null);
  });

  it('a disconnected repository leaves nothing behind', async () => {
    const hosted = given.host.create('acme/gone');
    const commit = hosted.commit({ n: '0' });
    const row = await given.connect(hosted, 'acme/gone');
    await given.want(row.id);
    await given.until(row.id, 'the commits', ({ head }) => head === commit);
    await given.untilEnded(row.id);
    const { gitDir } = given.mirrors.of(row);
    assert.ok(existsSync(gitDir));
    await change(row.id, { integrationId: null });
    await given.want(row.id);
    assert.deepEqual(await given.untilEnded(row.id), { status: 'gone' });
    await given.mirrors.collectRemoved();
    assert.ok(!existsSync(gitDir));
    assert.equal(await given.row(row.id), null);
    assert.equal(await shownAt('repos/acme/gone/n'), null);
  });

  it('a mirror that a fetch brought back while its repository was collected is found later', async () => {
    const rows = [];
    for (const name of ['kept', 'old', 'young']) {
      const hosted = given.host.create(`acme/orphan-${name}`);
      hosted.commit({ n: name });
      const row = await given.connect(hosted, `acme/orphan-${name}`);
      await given.mirrors.of(row).fetchNow(AbortSignal.timeout(60_000));
      rows.push(row);
    }
    const [kept, old, young] = rows.map((row) => given.mirrors.of(row).gitDir);
    for (const row of rows.slice(1))
      await forTeam(given.database.orm.em, given.teamId).nativeDelete(Repository, { id: row.id });
    const unfinished = join(dirname(old!), 'new-x1y2z3');
    mkdirSync(unfinished);
    const long = new Date(Date.now() - 2 * 3_600_000);
    for (const folder of [kept!, old!, unfinished]) utimesSync(folder, long, long);
    await given.mirrors.collectOrphans();
    assert.deepEqual([kept!, old!, young!, unfinished].map(existsSync), [true, false, true, false]);
    assert.equal(await shownAt('repos/acme/orphan-old/n'), null);
    const mounts = await given.workspaces.forTeam(given.teamId).mounts();
    assert.ok(!mounts.some(({ path }) => path === 'repos/acme/orphan-old'));
    assert.equal(await shownAt('repos/acme/orphan-kept/n'), 'kept');
  });

  it('other rooms fetch at once, and push Casebook’s branches with the same credential', async () => {
    const hosted = given.host.create('acme/pushed');
    const base = hosted.commit({ n: '0' });
    const row = await given.connect(hosted, 'acme/pushed');
    const mirror = given.mirrors.of(row);
    await mirror.fetchNow(AbortSignal.timeout(60_000));
    assert.equal((await given.row(row.id))?.head, base);
    const env = { GIT_AUTHOR_NAME: 'C', GIT_AUTHOR_EMAIL: 'c@x', GIT_COMMITTER_NAME: 'C', GIT_COMMITTER_EMAIL: 'c@x' };
    const { stdout } = await mirror.git(['commit-tree', `${base}^{tree}`, '-p', base], { env, input: 'Fix\n' });
    const commit = stdout.toString().trim();
    await mirror.push([`${commit}:refs/heads/casebook/fix`], AbortSignal.timeout(60_000));
    assert.equal(hosted.git(['rev-parse', 'refs/heads/casebook/fix']), commit);
    await assert.rejects(mirror.push([`${commit}:refs/heads/main`], AbortSignal.timeout(60_000)), CodeHostError);
  });

  it('is sound to Git itself', async () => {
    for (const row of await given.database.orm.em.fork().find(Repository, {}, { filters: { team: false } })) {
      const { gitDir } = given.mirrors.of(row);
      if (existsSync(gitDir))
        execFileSync('git', [`--git-dir=${gitDir}`, 'fsck', '--full', '--no-dangling'], { stdio: 'pipe' });
    }
  });
});
