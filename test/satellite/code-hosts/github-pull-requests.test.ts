import assert from 'node:assert/strict';
import type { CodeHost } from '@casebook/connectors';
import { checksOf, reviewOf } from '../../../packages/connectors/github/verdicts.ts';
import { startGitHubServer, type FakeRepository, type GitHubServer } from '../../support/github-server.ts';
import { call, hostOn, refused, sha } from './github-support.ts';

describe('code host: GitHub, pull requests', () => {
  let server: GitHubServer;
  let host: CodeHost;
  let shop: FakeRepository;
  const fix = { head: 'fix', base: 'main', title: 'Fix it', body: 'Because.', isDraft: false };

  beforeEach(async () => {
    server = await startGitHubServer();
    shop = server.addRepository('acme/shop');
    shop.branches.set('fix', { commit: sha('f'), isProtected: false });
    host = hostOn(server);
  });
  afterEach(() => server.stop());

  const open = () => host.createPullRequest('acme/shop', fix, call);
  const state = () => host.pullRequest('acme/shop', 1, call);

  it('are opened', async () => {
    assert.deepEqual(await open(), {
      number: 1,
      url: `${server.url}/acme/shop/pull/1`,
      title: 'Fix it',
      body: 'Because.',
      head: 'fix',
      base: 'main',
      state: 'open',
      isDraft: false,
      headCommit: sha('f'),
      mergeCommit: null,
      checks: 'none',
      review: 'none',
    });
    assert.equal((await state()).url, `${server.url}/acme/shop/pull/1`);
  });

  it('are drafts if this is wanted', async () => {
    assert.equal((await host.createPullRequest('acme/shop', { ...fix, isDraft: true }, call)).isDraft, true);
  });

  it('are opened once from a branch', async () => {
    await open();
    await refused(open(), 'conflict');
    assert.equal(shop.pulls.length, 1);
  });

  it('need branches that exist and differ', async () => {
    await refused(host.createPullRequest('acme/shop', { ...fix, head: 'none' }, call), 'invalid');
    shop.branches.set('fix', shop.branches.get('main')!);
    const { message } = await refused(open(), 'invalid');
    assert.match(message, /No commits between main and fix/u);
    shop.isArchived = true;
    await refused(open(), 'forbidden');
  });

  it('are found by their branch, the newest of them, in any state', async () => {
    assert.equal(await host.findPullRequest('acme/shop', 'fix', call), undefined);
    await open();
    await host.updatePullRequest('acme/shop', 1, { state: 'closed' }, call);
    assert.equal((await host.findPullRequest('acme/shop', 'fix', call))?.state, 'closed');
    await open();
    assert.equal((await host.findPullRequest('acme/shop', 'fix', call))?.number, 2);
    assert.equal(await host.findPullRequest('acme/shop', 'fi', call), undefined);
  });

  it('are edited, closed and opened again', async () => {
    await open();
    const edited = await host.updatePullRequest('acme/shop', 1, { title: 'Mend it', body: 'So.' }, call);
    assert.deepEqual([edited.title, edited.body, edited.state], ['Mend it', 'So.', 'open']);
    assert.equal((await host.updatePullRequest('acme/shop', 1, { state: 'closed' }, call)).state, 'closed');
    assert.equal((await host.updatePullRequest('acme/shop', 1, { state: 'open' }, call)).state, 'open');
  });

  it('are merged by a commit', async () => {
    await open();
    const commit = server.merge(shop, shop.pulls[0]!);
    const { state: now, mergeCommit } = await state();
    assert.deepEqual([now, mergeCommit], ['merged', commit]);
  });

  it('have the verdict of their last commit', async () => {
    await open();
    const check = (name: string, status: string, conclusion: string | null) =>
      shop.checkRuns.push({ commit: sha('f'), name, status, conclusion });
    check('test', 'in_progress', null);
    assert.equal((await state()).checks, 'pending');
    check('test', 'completed', 'success');
    assert.equal((await state()).checks, 'passing');
    shop.statuses.push({ commit: sha('f'), context: 'jenkins', state: 'pending' });
    assert.equal((await state()).checks, 'pending');
    shop.statuses.push({ commit: sha('f'), context: 'jenkins', state: 'failure' });
    assert.equal((await state()).checks, 'failing');
    shop.pulls[0]!.headCommit = sha('e');
    assert.equal((await state()).checks, 'none');
  });

  it('have failed if the last of many checks has', async () => {
    await open();
    for (let index = 0; index < 130; index++)
      shop.checkRuns.push({ commit: sha('f'), name: `c${index}`, status: 'completed', conclusion: 'success' });
    assert.equal((await state()).checks, 'passing');
    shop.checkRuns.at(-1)!.conclusion = 'failure';
    assert.equal((await state()).checks, 'failing');
  });

  it('have the verdict of other CI where check runs may not be read', async () => {
    await open();
    server.tokens.get(server.token)!.permissions = { pull_requests: 'write', statuses: 'read' };
    shop.statuses.push({ commit: sha('f'), context: 'jenkins', state: 'success' });
    assert.equal((await state()).checks, 'passing');
  });

  it('are opened by a token that may read neither, without a verdict', async () => {
    server.tokens.get(server.token)!.permissions = { pull_requests: 'write' };
    shop.statuses.push({ commit: sha('f'), context: 'jenkins', state: 'success' });
    assert.deepEqual([(await open()).checks, shop.pulls.length], ['none', 1]);
  });

  it("have their reviewers' verdict", async () => {
    await open();
    const { reviews } = shop.pulls[0]!;
    reviews.push({ user: 'ann', state: 'COMMENTED' });
    assert.equal((await state()).review, 'none');
    reviews.push({ user: 'ann', state: 'CHANGES_REQUESTED' }, { user: 'bob', state: 'APPROVED' });
    assert.equal((await state()).review, 'changes_requested');
    reviews.push({ user: 'ann', state: 'APPROVED' }, { user: 'ann', state: 'COMMENTED' });
    assert.equal((await state()).review, 'approved');
  });

  describe('comments', () => {
    const say = (body: string) =>
      host.comment('acme/shop', 1, { marker: '<!-- casebook:1 -->', body: `${body}\n<!-- casebook:1 -->` }, call);

    it('are made once for a marker, and edited afterwards', async () => {
      await open();
      for (let index = 0; index < 120; index++) shop.comments.push({ id: index, number: 1, user: 'ann', body: 'Hm.' });
      const url = await say('First.');
      assert.equal(await say('Second.'), url);
      assert.equal(shop.comments.length, 121);
      assert.match(shop.comments.at(-1)!.body, /^Second/u);
    });

    it('of others are left alone, whatever they quote', async () => {
      await open();
      shop.comments.push({ id: 1, number: 1, user: 'ann', body: '> First.\n> <!-- casebook:1 -->' });
      await say('First.');
      assert.equal(shop.comments.length, 2);
    });
  });
});

describe('code host: verdicts of GitHub', () => {
  const done = (conclusion: string | null) => ({ status: 'completed', conclusion });

  it('on checks: one failure fails, then one that is not finished is waited for', () => {
    assert.equal(checksOf([], []), 'none');
    assert.equal(checksOf([done('neutral'), done('skipped')], []), 'passing');
    assert.equal(checksOf([done('stale')], ['success']), 'pending');
    for (const conclusion of ['failure', 'timed_out', 'cancelled', 'action_required', 'startup_failure'])
      assert.equal(checksOf([done(conclusion), { status: 'queued', conclusion: null }], ['success']), 'failing');
    assert.equal(checksOf([], ['success', 'error']), 'failing');
  });

  it('on reviews: a dismissed one does not count, nor does one that was taken back', () => {
    const by = (id: number, ...states: string[]) => states.map((state) => ({ state, user: { id } }));
    assert.equal(reviewOf(by(1, 'CHANGES_REQUESTED', 'DISMISSED')), 'none');
    assert.equal(reviewOf([...by(1, 'CHANGES_REQUESTED', 'DISMISSED'), ...by(2, 'APPROVED')]), 'approved');
    assert.equal(reviewOf(by(1, 'APPROVED', 'CHANGES_REQUESTED', 'PENDING')), 'changes_requested');
  });
});
