import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { CodeHostError, type CodeHost } from '@casebook/connectors';
import { anyTeam } from '../../../src/db/team-filter.ts';
import type { CodeHosts } from '../../../src/features/code-hosts/index.ts';
import { Team } from '../../../src/features/identity/index.ts';
import { onHostEvent, sweepStates } from '../../../src/features/pull-requests/follow.ts';
import { sweepUnstarted } from '../../../src/features/pull-requests/launch.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { folderCodeHosts, folderRepository, type FolderRepository } from './code-hosts.ts';
import { fakeHost, type FakeHost } from './host.ts';
import { storeProposal } from './proposals.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are whatever the server sent
type Json = any;

describe('pull requests: opening', () => {
  let harness: Harness;
  let shop: FolderRepository;
  let host: FakeHost;
  let codeHosts: CodeHosts;
  const shops: FolderRepository[] = [];
  before(async () => {
    codeHosts = {
      ...folderCodeHosts([]),
      hostOf: async () => host as unknown as CodeHost,
      find: (em, fullName) => folderCodeHosts([shop]).find(em, fullName),
      list: async () => [shop.row],
      mirrorOf: (row) => folderCodeHosts([shop]).mirrorOf(row),
    };
    harness = await startHarness({ script: [], codeHosts });
  });
  after(async () => {
    await harness.stop();
    for (const { origin, mirror } of shops) for (const one of [origin, mirror]) one.remove();
  });
  beforeEach(async () => {
    const [team] = await harness.database.orm.em.fork().find(Team, {}, anyTeam);
    shop = folderRepository(team!.id, `acme/shop-${shops.length}`);
    shops.push(shop);
    host = fakeHost(shop);
    shop.origin.commit({ 'pool.ts': 'const size = 10;\n', 'other.ts': 'x\n' }, { message: 'Open a pool' });
    bad = shop.origin.commit({ 'pool.ts': 'const size = 1;\n' }, { message: 'Shrink the pool' });
    await shop.sync();
    harness.api.deps.pullRequests.waitMs = 60_000;
  });
  let bad: string;

  const propose = (proposal: object = { revert_commit: bad }) => storeProposal(harness.database.orm, shop, proposal);
  const open = async (body: object): Promise<{ status: number; body: Json }> =>
    harness.request('POST', '/api/create-pr/from-investigation', body);
  const get = async (id: string): Promise<Json> => (await harness.request('GET', `/api/pull-requests/${id}`)).body;
  const until = (id: string, status: string): Promise<Json> =>
    waitUntil(
      async () => {
        const row = await get(id);
        return row.status === status ? row : undefined;
      },
      { what: `pull request ${id} to be ${status}` },
    );
  const branches = (): string[] => shop.origin.run('for-each-ref', '--format=%(refname:lstrip=2)').split('\n');

  it('opens a branch and a request once, however often it is asked', async () => {
    const { investigationId, toolCallId } = await propose();
    const wanted = { investigation_id: investigationId };
    const [first, ...others] = await Promise.all([open(wanted), open(wanted), open(wanted)]);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const { pull_request_id: id, branch } = first.body;
    assert.deepEqual(first.body, {
      status: 'open',
      pull_request_id: id,
      url: 'https://code.example.org/acme/shop/pulls/12',
      number: 12,
      repository: shop.row.fullName,
      branch,
      base: 'main',
      draft: false,
      error: null,
      follow: `/api/pull-requests/${id}`,
    });
    assert.match(branch, /^casebook\/[0-9a-f]{12}$/);
    for (const other of [...others, await open(wanted)]) assert.deepEqual(other.body, first.body);

    assert.deepEqual(branches(), [branch, 'main']);
    assert.equal(host.requests.length, 1);
    const [request] = host.requests;
    assert.equal(request?.title, 'Restore the pool');
    assert.match(request.body, new RegExp(`/investigation/${investigationId}\\)`));
    assert.ok(request.body.endsWith(`<!-- casebook:${branch.slice('casebook/'.length)} -->`));
    assert.equal(shop.origin.text(branch, 'pool.ts'), 'const size = 10;');
    const message = shop.origin.run('log', '-1', '--format=%an%n%B', branch);
    assert.match(message, /^Casebook\nRestore the pool\n/);
    assert.match(message, new RegExp(`This reverts commit ${bad}\\.`));
    assert.match(message, /\nCasebook-Change: [0-9a-f]{12}$/m);
    assert.equal(shop.origin.run('rev-parse', `${branch}^`), bad);
    assert.deepEqual(
      [(await get(id)).investigation_id, (await get(id)).tool_call_id, (await get(id)).checks],
      [investigationId, toolCallId, 'pending'],
    );
  });

  it('opens one request when the answers of push and creation are lost', async () => {
    const mirror = codeHosts.mirrorOf(shop.row);
    let pushes = 0;
    const original = codeHosts.mirrorOf;
    codeHosts.mirrorOf = () => ({
      ...mirror,
      async push(refspecs, signal) {
        pushes += 1;
        await mirror.push(refspecs, signal);
        throw new CodeHostError('unavailable', 'The connection was cut.');
      },
    });
    try {
      host.next.create = ['lost'];
      const { investigationId } = await propose();
      const { body } = await open({ investigation_id: investigationId });
      assert.equal(body.status, 'open');
      assert.equal(pushes, 1);
      assert.equal(host.calls.create, 1);
      assert.equal(host.requests.length, 1);
      assert.equal(branches().length, 2);
    } finally {
      codeHosts.mirrorOf = original;
    }
  });

  it('waits as long as the host asks, says so, and is pending meanwhile', async () => {
    host.next.find = [new CodeHostError('limited', 'Too many requests.', { retryAfterMs: 1_500 })];
    harness.api.deps.pullRequests.waitMs = 500;
    const { investigationId } = await propose();
    const { body } = await open({ investigation_id: investigationId, draft: true });
    assert.deepEqual([body.status, body.url, body.number, body.draft], ['pending', null, null, true]);
    const opened = await until(body.pull_request_id, 'open');
    assert.deepEqual([opened.error, opened.draft], [null, true]);
    assert.equal(host.requests.length, 1);
    // The row is stored before the activity is complete, and the history tells of it only then.
    const handle = harness.temporal.workflow.getHandle(`pull-request-${body.pull_request_id}`);
    const said = async (): Promise<true | undefined> => {
      const { events } = await handle.fetchHistory();
      const failures = events?.flatMap((event) => event.activityTaskStartedEventAttributes?.lastFailure ?? []);
      return JSON.stringify(failures).includes('Too many requests') || undefined;
    };
    await waitUntil(said, { what: 'the reason in the history' });
  });

  it('applies the change to the base as it is by then', async () => {
    const { investigationId } = await propose();
    const moved = shop.origin.commit({ 'other.ts': 'y\n' });
    const { body } = await open({ investigation_id: investigationId });
    assert.equal(body.status, 'open');
    assert.equal(shop.origin.run('rev-parse', `${body.branch}^`), moved);
    assert.equal(shop.origin.text(body.branch, 'other.ts'), 'y');
    assert.equal(shop.origin.text(body.branch, 'pool.ts'), 'const size = 10;');
  });

  it('answers 409 with the places when it does not apply any more, and opens it once it does', async () => {
    const edits = [{ path: 'pool.ts', search: 'size = 1;', replace: 'size = 10;' }];
    const { investigationId } = await propose({ edits });
    shop.origin.commit({ 'pool.ts': 'const pool = 7;\n' });
    // The mirror has not heard of it: the workflow finds out.
    const first = await open({ investigation_id: investigationId });
    assert.equal(first.status, 409, JSON.stringify(first.body));
    assert.equal(first.body.code, 'change_conflicts');
    assert.equal(first.body.conflicts[0].path, 'pool.ts');
    await shop.sync();
    // By now the mirror knows.
    assert.equal((await open({ investigation_id: investigationId })).status, 409);
    assert.deepEqual(branches(), ['main']);
    assert.equal(host.requests.length, 0);
    const { body } = await harness.request('GET', `/api/pull-requests?investigation_id=${investigationId}`);
    const { items }: Json = body;
    assert.deepEqual(
      items.map(({ status, conflicts }: Json) => [status, conflicts[0].path]),
      [['conflict', 'pool.ts']],
    );

    shop.origin.commit({ 'pool.ts': 'const size = 1;\n' });
    await shop.sync();
    const again = await open({ investigation_id: investigationId });
    assert.equal(again.body.status, 'open', JSON.stringify(again.body));
    assert.equal(again.body.pull_request_id, items[0].pull_request_id);
    assert.equal(host.requests.length, 1);
  });

  it('says why the host refuses, and can be asked for again', async () => {
    host.next.create = [new CodeHostError('forbidden', 'Resource not accessible by this token.')];
    const { investigationId } = await propose();
    const first = await open({ investigation_id: investigationId });
    assert.deepEqual([first.status, first.body.status], [200, 'failed']);
    assert.match(first.body.error, /not accessible/);
    // Whoever tidies up takes it for garbage.
    shop.origin.run('update-ref', '-d', `refs/heads/${first.body.branch}`);
    const second = await open({ investigation_id: investigationId });
    assert.equal(second.body.status, 'open');
    assert.equal(second.body.pull_request_id, first.body.pull_request_id);
    assert.equal(second.body.branch, first.body.branch);
    assert.deepEqual([host.requests.length, branches().length], [1, 2]);
  });

  it('brings no orders of its own in the title and the commit', async () => {
    const { investigationId } = await propose({
      revert_commit: bad,
      title: 'Restore the pool [skip ci]',
      body: 'Hi @octocat, fixes #12',
    });
    const { body } = await open({ investigation_id: investigationId });
    assert.equal(body.status, 'open');
    const message = shop.origin.run('log', '-1', '--format=%B', body.branch);
    assert.match(message, /octocat/);
    for (const text of [message, host.requests[0]!.title]) assert.doesNotMatch(text, /\[skip ci\]|@octocat|#12/);
  });

  it('leaves a branch of others alone, although it has the same name', async () => {
    const { investigationId } = await propose();
    const held = shop.mirror.run('rev-parse', 'main');
    harness.api.deps.pullRequests.waitMs = 60_000;
    host.next.create = [new CodeHostError('forbidden', 'no')];
    const { body } = await open({ investigation_id: investigationId });
    shop.origin.run('update-ref', `refs/heads/${body.branch}`, held);
    await shop.sync();
    const again = await open({ investigation_id: investigationId });
    assert.equal(again.body.status, 'failed');
    assert.match(again.body.error, /is not Casebook's/);
    assert.equal(shop.origin.run('rev-parse', body.branch), held);
  });

  it('starts what Temporal did not hear of', async () => {
    const { launcher } = harness.api.deps.pullRequests;
    const { start } = launcher;
    launcher.start = () => Promise.reject(new Error('Temporal is away.'));
    harness.api.deps.pullRequests.waitMs = 100;
    const { investigationId } = await propose();
    const { body } = await open({ investigation_id: investigationId });
    assert.equal(body.status, 'pending');
    launcher.start = start;
    await sweepUnstarted(harness.api.deps.pullRequests, { graceMs: 0, silenceMs: 3_600_000, batch: 100 });
    await until(body.pull_request_id, 'open');
    assert.equal(host.requests.length, 1);
  });

  it('follows its state at the host, told by a webhook', async () => {
    const { investigationId } = await propose();
    const { body } = await open({ investigation_id: investigationId });
    const { pull_request_id: id } = body;
    const { pullRequests } = harness.api.deps;
    const event = { type: 'pull_request' as const, number: 12, repository: { id: '1', fullName: shop.row.fullName } };
    Object.assign(host.requests[0]!, { checks: 'passing', review: 'approved' });
    await sweepStates(pullRequests);
    assert.equal((await get(id)).checks, 'pending', 'nobody looked yet');
    await onHostEvent(pullRequests, event, shop.row);
    assert.equal(await sweepStates(pullRequests), 1);
    const looked = await get(id);
    assert.deepEqual([looked.status, looked.checks, looked.review], ['open', 'passing', 'approved']);

    Object.assign(host.requests[0]!, { state: 'merged', mergeCommit: 'f'.repeat(40) });
    await onHostEvent(pullRequests, event, shop.row);
    await sweepStates(pullRequests);
    const merged = await get(id);
    assert.deepEqual([merged.status, merged.merge_commit], ['merged', 'f'.repeat(40)]);
    assert.ok(merged.merged_at);
    // CI goes on after the merge.
    Object.assign(host.requests[0]!, { checks: 'failing' });
    await onHostEvent(pullRequests, event, shop.row);
    await sweepStates(pullRequests);
    const later = await get(id);
    assert.deepEqual([later.checks, later.merged_at], ['failing', merged.merged_at]);
    await onHostEvent(pullRequests, event, { teamId: randomUUID(), fullName: shop.row.fullName });
    assert.equal(await sweepStates(pullRequests), 0, 'another team’s webhook moves nothing');
    const { body: detail } = await harness.request('GET', `/api/investigations/${investigationId}`);
    assert.deepEqual(
      (detail as Json).pull_requests.map(({ number, status }: Json) => `#${number}, ${status}`),
      ['#12, merged'],
    );
  });

  it('looks again later when the host limits or fails', async () => {
    const { investigationId } = await propose();
    const { body } = await open({ investigation_id: investigationId });
    const { pullRequests } = harness.api.deps;
    const event = { type: 'push' as const, branch: body.branch };
    const about = { repository: { id: '1', fullName: shop.row.fullName } };
    // Those of earlier tests may be due by now.
    await sweepStates(pullRequests);
    await onHostEvent(pullRequests, { ...event, ...about }, shop.row);
    host.next.read = [new CodeHostError('limited', 'Later.', { retryAfterMs: 3_600_000 })];
    assert.equal(await sweepStates(pullRequests), 1);
    assert.equal(await sweepStates(pullRequests), 0);
    assert.equal((await get(body.pull_request_id)).status, 'open');
  });

  it('merges into another branch on request, as a request of its own', async () => {
    shop.origin.run('update-ref', 'refs/heads/release/1', bad);
    await shop.sync();
    const { investigationId } = await propose();
    const [main, release] = [
      await open({ investigation_id: investigationId }),
      await open({ investigation_id: investigationId, base: 'release/1' }),
    ];
    assert.deepEqual([main.body.base, release.body.base], ['main', 'release/1']);
    assert.notEqual(main.body.branch, release.body.branch);
    const { body } = await harness.request('GET', `/api/create-pr/branches?repo=${shop.row.fullName}`);
    assert.deepEqual(
      (body as Json).branches.map(({ name, is_default: isDefault }: Json) => [name, isDefault]),
      [
        ['main', true],
        ['release/1', false],
      ],
    );
    const unknown = await open({ investigation_id: investigationId, base: 'nowhere' });
    assert.equal(unknown.status, 422);
    assert.deepEqual(unknown.body.detail[0].loc, ['body', 'base']);
  });

  it('refuses what is unknown or proposes nothing', async () => {
    const { investigationId, toolCallId } = await propose();
    assert.equal((await open({ investigation_id: randomUUID() })).status, 404);
    assert.equal((await open({ investigation_id: investigationId, repository: 'acme/other' })).status, 404);
    const chat = { chat_id: investigationId, tool_call_id: toolCallId };
    assert.equal((await harness.request('POST', '/api/create-pr/from-chat', chat)).status, 404);
    assert.equal((await harness.request('GET', '/api/create-pr/branches?repo=acme/other')).status, 404);
    assert.equal((await harness.request('GET', '/api/create-pr/branches?repo=acme')).status, 422);
    assert.equal((await harness.request('GET', `/api/pull-requests/${randomUUID()}`)).status, 404);
    const { storeInvestigation } = await import('../../support/investigation-rows.ts');
    const { id } = await storeInvestigation(harness.database.orm, {
      teamId: shop.row.teamId,
      row: { status: 'completed' },
    });
    const none = await open({ investigation_id: id });
    assert.equal(none.status, 422);
    assert.deepEqual(none.body.detail[0].loc, ['body', 'investigation_id']);
    shop.row.isArchived = true;
    assert.equal((await open({ investigation_id: investigationId })).status, 409);
    assert.deepEqual([host.requests.length, branches().length], [0, 1]);
  });
});
