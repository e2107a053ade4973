import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { WorkspaceDraft, WorkspaceDraftChange } from '../../../src/features/workspace/entities.ts';
import {
  createWorkspaceDrafts,
  MAX_CHANGE_BYTES,
  MAX_CHANGES,
  MAX_FILE_BYTES,
  type RunKey,
  type WorkspaceDrafts,
} from '../../../src/features/workspace/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
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

const handIn = { message: 'Update the runbook', author, date };

describe('workspace: drafts', () => {
  let given: Scratch;
  let database: TestDatabase;
  let drafts: WorkspaceDrafts;
  before(async () => {
    given = scratch();
    database = await createTestDatabase();
    drafts = createWorkspaceDrafts({ orm: database.orm, workspaces: given.workspaces });
  });
  after(async () => {
    given.remove();
    await database.drop();
  });

  const newRun = (files = team(given)): { run: RunKey; files: ReturnType<typeof team> } => ({
    files,
    run: { teamId: files.id, runId: randomUUID() },
  });
  const stage = (run: RunKey, files: Record<string, string | null>, toolCallId: string = randomUUID()) =>
    drafts.stage(run, toolCallId, async () => ({
      changes: Object.entries(files).map(([path, content]) => ({ path, content })),
      result: { output: { files: Object.keys(files).length }, digest: 'done' },
    }));
  const seen = async (run: RunKey, path: string): Promise<string | null> => {
    const { workspace, at } = await drafts.view(run);
    return textOf(workspace, path, at);
  };

  describe('what a run sees', () => {
    it('is the newest commit while it has no draft, and its own state once it has', async () => {
      const { run, files } = newRun();
      await commitTo(files.workspace, { a: '1' });
      assert.equal(await seen(run, 'a'), '1');
      await commitTo(files.workspace, { a: '2' });
      assert.equal(await seen(run, 'a'), '2');
      await drafts.open(run);
      await drafts.open(run);
      await commitTo(files.workspace, { a: '3' });
      assert.equal(await seen(run, 'a'), '2');
      await stage(run, { b: 'mine' });
      assert.deepEqual([await seen(run, 'a'), await seen(run, 'b')], ['2', 'mine']);
      await failsWith('not_found', seen(newRun(files).run, 'b'));
    });

    it('is created, edited and deleted files on top of what was there', async () => {
      const { run, files } = newRun();
      await commitTo(files.workspace, { 'd/x': 'x', 'd/y': 'y', z: 'z' });
      await stage(run, { 'new/a': 'one' });
      await stage(run, { 'new/a': 'two' });
      assert.equal(await seen(run, 'new/a'), 'two');
      await stage(run, { 'new/a': null });
      await failsWith('not_found', seen(run, 'new/a'));
      await stage(run, { 'd/x': null, 'd/y': null });
      const { workspace, at } = await drafts.view(run);
      assert.deepEqual(
        (await workspace.list('.', { at, recursive: true })).entries.map(({ path }) => path),
        ['z'],
      );
      assert.deepEqual((await workspace.search('y', { at, limit: 5 })).matches, []);
      // Where a directory was there may be a file now, and the other way round.
      await stage(run, { d: 'file' });
      await failsWith('clash', stage(run, { 'd/below': 'x' }));
      await failsWith('clash', stage(run, { 'z/below': 'x' }));
      await stage(run, { z: null });
      await stage(run, { 'z/below': 'x' });
      await failsWith('clash', stage(run, { z: 'x' }));
      assert.deepEqual(
        (await drafts.diff(run)).files.map(({ path, change }) => `${change} ${path}`),
        ['added d', 'deleted d/x', 'deleted d/y', 'deleted z', 'added z/below'],
      );
      const outcome = await drafts.finish(run, 'apply', handIn);
      assert.equal(outcome.status, 'committed');
      const end = await files.workspace.list('.', { at: outcome.commit!, recursive: true });
      assert.deepEqual(
        end.entries.map(({ path }) => path),
        ['d', 'z/below'],
      );
      isSound(files);
    });

    it('outlives the objects of the repository: the rows are what counts', async () => {
      const { run, files } = newRun();
      await commitTo(files.workspace, { a: '1' });
      await stage(run, { a: '2', b: 'new' });
      files.git('gc', '--prune=now', '--quiet');
      assert.equal((await drafts.finish(run, 'apply', handIn)).status, 'committed');
      assert.equal(await textOf(files.workspace, 'b', await files.workspace.head()), 'new');
    });
  });

  describe('a tool call', () => {
    it('that is repeated changes nothing and has the same answer', async () => {
      const { run, files } = newRun();
      await commitTo(files.workspace, { a: '' });
      const [first, second] = [randomUUID(), randomUUID()];
      const append = (id: string) =>
        drafts.stage(run, id, async ({ workspace, at }) => {
          const content = `${await textOf(workspace, 'a', at)}x`;
          return { changes: [{ path: 'a', content }], result: { output: { size: content.length }, digest: 'd' } };
        });
      assert.deepEqual((await append(first)).output, { size: 1 });
      assert.deepEqual((await append(second)).output, { size: 2 });
      assert.deepEqual((await append(first)).output, { size: 1 });
      assert.equal(await seen(run, 'a'), 'xx');
    });

    it('sees what the others did, also when they run at once in two processes', async () => {
      const { run, files } = newRun();
      await commitTo(files.workspace, { a: '' });
      const elsewhere = createWorkspaceDrafts({ orm: database.orm, workspaces: given.workspaces });
      const ids = Array.from({ length: 6 }, () => randomUUID());
      // Each is tried by both.
      await Promise.all(
        [...ids, ...ids].map((id, i) =>
          (i < ids.length ? drafts : elsewhere).stage(run, id, async ({ workspace, at }) => ({
            changes: [{ path: 'a', content: `${await textOf(workspace, 'a', at)}${ids.indexOf(id)}` }],
            result: { output: {}, digest: 'd' },
          })),
        ),
      );
      const text = await seen(run, 'a');
      assert.deepEqual(text?.split('').sort(), ['0', '1', '2', '3', '4', '5']);
    });

    it('holds no transaction while it is worked out', async () => {
      const { run } = newRun();
      await drafts.stage(run, randomUUID(), async () => {
        const [row] = await database.orm.em.fork().execute<[{ open: string }]>(
          `select count(*) as open from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()
             and backend_type = 'client backend' and xact_start is not null`,
        );
        assert.equal(Number(row.open), 0);
        return { changes: [{ path: 'a', content: 'x' }], result: { output: {}, digest: 'd' } };
      });
      assert.equal(await seen(run, 'a'), 'x');
    });

    it('that was stopped before it was kept is not kept', async () => {
      const { run } = newRun();
      const stopping = new AbortController();
      const slow = createWorkspaceDrafts({
        orm: database.orm,
        workspaces: {
          forTeam: (id) => ({
            ...given.workspaces.forTeam(id),
            async preview(...args) {
              const tree = await given.workspaces.forTeam(id).preview(...args);
              stopping.abort(new Error('stopped'));
              return tree;
            },
          }),
        },
      });
      const change = async () => ({ changes: [{ path: 'a', content: 'x' }], result: { output: {}, digest: 'd' } });
      await assert.rejects(slow.stage(run, randomUUID(), change, { signal: stopping.signal }), /stopped/);
      assert.deepEqual((await drafts.diff(run)).files, []);
    });

    it('that fails leaves nothing, and may be tried again', async () => {
      const { run } = newRun();
      const id = randomUUID();
      await assert.rejects(
        drafts.stage(run, id, () => Promise.reject(new Error('worker lost'))),
        /worker lost/,
      );
      await failsWith('invalid_path', stage(run, { good: 'x', '../bad': 'x' }, id));
      await failsWith('too_large', stage(run, { good: 'x', large: 'x'.repeat(MAX_FILE_BYTES + 1) }, id));
      assert.deepEqual((await drafts.diff(run)).files, []);
      await stage(run, { good: 'x' }, id);
      assert.equal(await seen(run, 'good'), 'x');
    });

    it('cannot make the draft larger than a commit may be', async () => {
      const { run } = newRun();
      for (let i = 0; i < MAX_CHANGE_BYTES / MAX_FILE_BYTES; i++)
        await stage(run, { [`heavy${i}`]: 'x'.repeat(MAX_FILE_BYTES) });
      await failsWith('too_large', stage(run, { more: 'x' }));
      await stage(run, { heavy0: 'x' });
      await stage(run, Object.fromEntries(Array.from({ length: MAX_CHANGES - 10 }, (_, i) => [`f${i}`, 'x'])));
      await failsWith('too_large', stage(run, { one: 'x', two: 'x', three: 'x' }));
      assert.equal((await drafts.finish(run, 'apply', handIn)).status, 'committed');
    });
  });

  describe('the end', () => {
    it('is one commit with the changes, however often it is asked for', async () => {
      const { run, files } = newRun();
      await commitTo(files.workspace, { a: '1\n', gone: '1\n' });
      await stage(run, { a: '1\n2\n', gone: null, tried: 'x' });
      await stage(run, { tried: null });
      await commitTo(files.workspace, { other: '1\n', tried: 'by another\n' });
      const outcome = await drafts.finish(run, 'apply', handIn);
      assert.equal(outcome.status, 'committed');
      assert.deepEqual(outcome.paths, [
        { path: 'a', change: 'modified', additions: 1, deletions: 0 },
        { path: 'gone', change: 'deleted', additions: 0, deletions: 1 },
      ]);
      assert.match(outcome.diff, /^diff --git a\/a b\/a\n[^]*\+2\ndiff --git a\/gone b\/gone\n[^]*-1\n$/);
      assert.equal(await files.workspace.head(), outcome.commit);
      assert.equal(files.git('log', '-1', '--format=%an|%s'), 'Ada|Update the runbook');
      assert.deepEqual(await drafts.finish(run, 'apply', handIn), outcome);
      assert.deepEqual(await drafts.finish(run, 'propose', handIn), outcome);
      assert.deepEqual(await drafts.discard(run), outcome);
      await failsWith('closed', stage(run, { late: 'x' }));
      assert.equal(keysInHistory(files).filter((key) => key === run.runId).length, 1);
    });

    it('is one commit when a worker is lost before it could say so', async () => {
      const { run, files } = newRun();
      await stage(run, { a: 'x' });
      const losing = createWorkspaceDrafts({
        orm: database.orm,
        workspaces: {
          forTeam: (id) => ({
            ...given.workspaces.forTeam(id),
            async commit(input) {
              await given.workspaces.forTeam(id).commit(input);
              throw new Error('worker lost');
            },
          }),
        },
      });
      await assert.rejects(losing.finish(run, 'apply', handIn), /worker lost/);
      const made = await files.workspace.head();
      await commitTo(files.workspace, { a: 'changed by another since' });
      const outcomes = await Promise.all([1, 2, 3].map(() => drafts.finish(run, 'apply', handIn)));
      for (const { status, commit } of outcomes) assert.deepEqual([status, commit], ['committed', made]);
      assert.equal(keysInHistory(files).filter((key) => key === run.runId).length, 1);
    });

    it('may be a proposal, which is applied later on what is there then', async () => {
      const { run, files } = newRun();
      const { commit: base } = await commitTo(files.workspace, { a: '1' });
      await stage(run, { b: 'mine' });
      const proposal = await drafts.finish(run, 'propose', handIn);
      assert.deepEqual([proposal.status, proposal.commit, proposal.base], ['proposed', null, base]);
      assert.deepEqual(
        proposal.paths.map(({ path }) => path),
        ['b'],
      );
      assert.deepEqual(await drafts.finish(run, 'propose', handIn), proposal);
      assert.equal(await files.workspace.head(), base);
      await failsWith('closed', stage(run, { late: 'x' }));
      await commitTo(files.workspace, { a: '2' });
      const applied = await drafts.finish(run, 'apply', handIn);
      assert.equal(applied.status, 'committed');
      assert.deepEqual(await Promise.all(['a', 'b'].map((path) => textOf(files.workspace, path, applied.commit!))), [
        '2',
        'mine',
      ]);
    });

    it('is a conflict where others changed the same paths, and stays one', async () => {
      const { run, files } = newRun();
      await commitTo(files.workspace, { a: '1', b: '1' });
      await stage(run, { a: 'mine', b: 'mine' });
      const { commit: head } = await commitTo(files.workspace, { a: 'theirs' });
      const outcome = await drafts.finish(run, 'apply', handIn);
      assert.deepEqual([outcome.status, outcome.commit, outcome.conflicts], ['conflict', null, ['a']]);
      assert.deepEqual(
        outcome.paths.map(({ path }) => path),
        ['a', 'b'],
      );
      assert.equal(await files.workspace.head(), head);
      assert.deepEqual(await drafts.finish(run, 'apply', handIn), outcome);
    });

    it('is nothing where nothing is different in the end', async () => {
      const { run, files } = newRun();
      const { commit: head } = await commitTo(files.workspace, { a: '1' });
      await stage(run, { a: '2', b: 'x' });
      await stage(run, { a: '1', b: null });
      const outcome = await drafts.finish(run, 'apply', handIn);
      assert.deepEqual([outcome.status, outcome.commit, outcome.paths], ['unchanged', null, []]);
      const idle = await drafts.finish(newRun(files).run, 'propose', handIn);
      assert.equal(idle.status, 'unchanged');
      assert.equal(await files.workspace.head(), head);
    });

    it('may be to give up', async () => {
      const { run, files } = newRun();
      assert.equal(await drafts.discard(run), undefined);
      await stage(run, { a: 'x' });
      assert.equal((await drafts.discard(run))?.status, 'discarded');
      await failsWith('closed', stage(run, { b: 'x' }));
      assert.equal((await drafts.finish(run, 'apply', handIn)).status, 'discarded');
      assert.deepEqual(keysInHistory(files), []);
    });
  });

  it('belongs to one team', async () => {
    const { run } = newRun();
    await stage(run, { a: 'x' });
    const foreign = { teamId: team(given).id, runId: run.runId };
    await assert.rejects(stage(foreign, { a: 'theirs' }), /not found/);
    await assert.rejects(drafts.finish(foreign, 'apply', handIn), /not found/);
    assert.equal(await drafts.discard(foreign), undefined);
    assert.deepEqual((await drafts.diff(foreign)).files, []);
    assert.equal(await seen(run, 'a'), 'x');
  });

  it('keeps one row a file and says which call it is from', async () => {
    const { run } = newRun();
    const [first, second] = [randomUUID(), randomUUID()];
    await stage(run, { a: '1', b: '1' }, first);
    await stage(run, { a: '2' }, second);
    const em = database.orm.em.fork();
    const draft = await em.findOneOrFail(WorkspaceDraft, { runId: run.runId }, anyTeam);
    const rows = await em.find(WorkspaceDraftChange, { draftId: draft.id }, { ...anyTeam, orderBy: { path: 'asc' } });
    assert.deepEqual(
      rows.map(({ path, toolCallId }) => [path, toolCallId]),
      [
        ['a', second],
        ['b', first],
      ],
    );
  });
});
