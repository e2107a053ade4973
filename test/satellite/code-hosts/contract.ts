/** What every driver of a code host must do, whatever the host: real, or played by a test. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { CodeHostError, type CodeHost, type HostCall } from '@casebook/connectors';
import { waitUntil } from '../../support/wait-until.ts';

/** A host with one private repository, whose default branch `main` has a commit, and what people and CI do there. */
export interface CodeHostFixture {
  host: CodeHost;
  /** The same host with a credential that it does not know. */
  stranger: CodeHost;
  /** `owner/name`. */
  repository: string;
  /** Whose credential `host` has. */
  login: string;
  /** Commits a file to a branch, which is made from `main` if it is missing. @returns the commit's id */
  commit(branch: string, path: string, text: string): Promise<string>;
  deleteBranch(branch: string): Promise<void>;
  protect(branch: string): Promise<void>;
  /** @returns the commit on the base branch */
  merge(number: number): Promise<string>;
  /** Reports on a commit, as CI does; the same name again replaces what it said. */
  check(commit: string, name: string, state: 'pending' | 'success' | 'failure'): Promise<void>;
  /** Another person reviews; absent where the host, or its copy, has no such verdicts. */
  review?(number: number, verdict: 'approve' | 'request_changes'): Promise<void>;
  release(tag: string): Promise<void>;
  /** A comment by another person. */
  say(number: number, text: string): Promise<void>;
  /** Texts of a request's comments, oldest first. */
  comments(number: number): Promise<string[]>;
  /** URLs of the repository's webhooks. */
  webhooks(): Promise<string[]>;
  close(): Promise<void>;
}

const call: HostCall = { signal: new AbortController().signal };
const unique = (name: string): string => `${name}-${randomBytes(4).toString('hex')}`;

const refusedAs =
  (...reasons: CodeHostError['reason'][]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof CodeHostError, String(error));
    assert.ok(reasons.includes(error.reason), `${error.reason}: ${error.message}`);
    return true;
  };

/** @param open once, before all tests */
export function testCodeHost(title: string, open: () => Promise<CodeHostFixture>): void {
  describe(`${title}: the contract of code hosts`, () => {
    let fixture: CodeHostFixture;
    let host: CodeHost;
    let repository: string;
    before(async () => {
      fixture = await open();
      ({ host, repository } = fixture);
    });
    after(() => fixture?.close());

    const missing = (): string => `${repository.slice(0, repository.lastIndexOf('/'))}/${unique('missing')}`;
    const pull = async (head: string, rest: { title?: string; body?: string; isDraft?: boolean } = {}) => {
      const commit = await fixture.commit(head, `${head}.txt`, 'changed\n');
      const wanted = { head, base: 'main', title: 'Repair the shop', body: 'It was broken.', isDraft: false, ...rest };
      return { commit, request: await host.createPullRequest(repository, wanted, call) };
    };

    it('says whose credential it has', async () => {
      const { login, warnings } = await host.account(call);
      assert.equal(login, fixture.login);
      assert.ok(Array.isArray(warnings));
      const credential = await host.gitCredential(call);
      assert.ok(credential.username && credential.password);
    });

    it('lists the repositories, and reads one', async () => {
      const found = [];
      for await (const each of host.repositories(call)) found.push(each);
      const listed = found.find(({ fullName }) => fullName === repository);
      assert.deepEqual(await host.repository(repository, call), listed);
      assert.equal(listed?.defaultBranch, 'main');
      assert.equal(listed?.isPrivate, true);
      assert.equal(listed?.isArchived, false);
      assert.match(listed?.cloneUrl ?? '', /^https?:\/\/[^@]*\.git$/u);
    });

    it('lists the branches with their commits, and which are protected', async () => {
      const [name, kept] = [unique('feature/a b'.replace(' ', '-')), unique('release')];
      const commit = await fixture.commit(name, 'a.txt', 'a\n');
      await fixture.commit(kept, 'b.txt', 'b\n');
      await fixture.protect(kept);
      const branches = await host.branches(repository, call);
      assert.deepEqual(
        branches.find((each) => each.name === name),
        { name, commit, isProtected: false },
      );
      assert.equal(branches.find((each) => each.name === kept)?.isProtected, true);
      assert.ok(branches.some((each) => each.name === 'main'));
    });

    it('opens a pull request, finds it by its branch, and reads it', async () => {
      const head = unique('casebook/open');
      assert.equal(await host.findPullRequest(repository, head, call), undefined);
      const { commit, request } = await pull(head);
      const { number, url, ...rest } = request;
      assert.ok(number > 0);
      assert.match(url, /^https?:/u);
      assert.deepEqual(rest, {
        title: 'Repair the shop',
        body: 'It was broken.',
        head,
        base: 'main',
        state: 'open',
        isDraft: false,
        headCommit: commit,
        mergeCommit: null,
        checks: 'none',
        review: 'none',
      });
      assert.deepEqual(await host.findPullRequest(repository, head, call), request);
      assert.deepEqual(await host.pullRequest(repository, number, call), request);
    });

    it('refuses a second request from the same branch', async () => {
      const head = unique('casebook/twice');
      await pull(head);
      const again = { head, base: 'main', title: 'Again', body: '', isDraft: false };
      await assert.rejects(host.createPullRequest(repository, again, call), refusedAs('conflict', 'invalid'));
    });

    it('opens a draft, which stays one when its title changes', async () => {
      const { request } = await pull(unique('casebook/draft'), { isDraft: true });
      assert.equal(request.isDraft, true);
      assert.equal(request.title, 'Repair the shop');
      const updated = await host.updatePullRequest(repository, request.number, { title: 'Repair more' }, call);
      assert.equal(updated.title, 'Repair more');
      assert.equal(updated.isDraft, true);
    });

    it('changes title and text, closes and opens again', async () => {
      const { request } = await pull(unique('casebook/edit'));
      const { number } = request;
      const edited = await host.updatePullRequest(repository, number, { title: 'Other', body: 'Words: ä 😀' }, call);
      assert.deepEqual([edited.title, edited.body, edited.state], ['Other', 'Words: ä 😀', 'open']);
      assert.equal((await host.updatePullRequest(repository, number, { state: 'closed' }, call)).state, 'closed');
      assert.equal((await host.findPullRequest(repository, request.head, call))?.state, 'closed');
      assert.equal((await host.updatePullRequest(repository, number, { state: 'open' }, call)).state, 'open');
    });

    it('says that a request is merged, by which commit, even when its branch is gone', async () => {
      const { request } = await pull(unique('casebook/merge'));
      const commit = await fixture.merge(request.number);
      await fixture.deleteBranch(request.head);
      const merged = await host.pullRequest(repository, request.number, call);
      assert.deepEqual([merged.state, merged.mergeCommit, merged.head], ['merged', commit, request.head]);
      assert.deepEqual(await host.findPullRequest(repository, request.head, call), merged);
    });

    it('says what checks found of the newest commit', async () => {
      const head = unique('casebook/checks');
      const { request, commit } = await pull(head);
      const checks = async () => (await host.pullRequest(repository, request.number, call)).checks;
      await fixture.check(commit, 'build', 'pending');
      assert.equal(await checks(), 'pending');
      await fixture.check(commit, 'build', 'success');
      assert.equal(await checks(), 'passing');
      await fixture.check(commit, 'lint', 'pending');
      assert.equal(await checks(), 'pending');
      await fixture.check(commit, 'lint', 'failure');
      assert.equal(await checks(), 'failing');
      const newer = await fixture.commit(head, 'more.txt', 'more\n');
      await waitUntil(
        async () => (await host.pullRequest(repository, request.number, call)).headCommit === newer || undefined,
        { what: 'the newer commit' },
      );
      assert.equal(await checks(), 'none');
    });

    it('says what reviewers decided last', async function () {
      if (!fixture.review) {
        this.skip();
        return;
      }
      const { request } = await pull(unique('casebook/review'));
      const review = async () => (await host.pullRequest(repository, request.number, call)).review;
      await fixture.review(request.number, 'request_changes');
      assert.equal(await review(), 'changes_requested');
      await fixture.review(request.number, 'approve');
      assert.equal(await review(), 'approved');
    });

    it('writes one comment for each marker, and edits no other', async () => {
      const { request } = await pull(unique('casebook/comment'));
      const { number } = request;
      const marker = `<!-- ${unique('casebook')} -->`;
      await fixture.say(number, `Why does it say ${marker}?`);
      const url = await host.comment(repository, number, { marker, body: 'Checked.' }, call);
      assert.match(url, /^https?:/u);
      assert.equal(await host.comment(repository, number, { marker, body: 'Checked again.' }, call), url);
      assert.equal(await host.comment(repository, number, { marker, body: 'Checked again.' }, call), url);
      const other = await host.comment(
        repository,
        number,
        { marker: `<!-- ${unique('other')} -->`, body: 'More.' },
        call,
      );
      assert.notEqual(other, url);
      const texts = await fixture.comments(number);
      assert.equal(texts.length, 3);
      assert.equal(texts[0], `Why does it say ${marker}?`);
      assert.ok(texts[1]?.startsWith('Checked again.') && texts[1].includes(marker));
    });

    it('lists merged requests and releases of a window, oldest first', async () => {
      const from = Math.floor(Date.now() / 1000) - 5;
      const { request } = await pull(unique('casebook/changes'), { title: 'Change the price' });
      const { request: refused } = await pull(unique('casebook/refused'));
      await host.updatePullRequest(repository, refused.number, { state: 'closed' }, call);
      const commit = await fixture.merge(request.number);
      const tag = unique('v1.0.0');
      await fixture.release(tag);
      const to = Math.floor(Date.now() / 1000) + 5;
      const found = await host.changes(repository, { from, to }, call);
      const merge = found.find(({ id }) => id === `pull_request:${request.number}`);
      assert.equal(merge?.kind, 'merge');
      assert.equal(merge?.commit, commit);
      assert.ok(!found.some(({ id }) => id === `pull_request:${refused.number}`));
      assert.match(merge?.summary ?? '', /^Merged [#!]\d+: Change the price$/u);
      assert.equal(merge?.author, fixture.login);
      assert.match(merge?.url ?? '', /^https?:/u);
      const release = found.find(({ id }) => id === `release:${tag}`);
      assert.equal(release?.kind, 'release');
      assert.ok(release.summary.startsWith(`Released ${tag}`), release.summary);
      assert.ok(!/[()]/u.test(release.summary), release.summary);
      assert.deepEqual(
        found.map(({ at }) => at),
        found.map(({ at }) => at).toSorted((a, b) => a - b),
      );
      assert.ok(found.every(({ at }) => at >= from && at < to));
      assert.deepEqual(await host.changes(repository, { from: from - 200_000, to: from - 100_000 }, call), []);
    });

    it('registers a webhook once, and removes it', async () => {
      const url = `https://casebook.example.com/${unique('hook')}`;
      await host.registerWebhook(repository, { url, secret: 'first secret' }, call);
      const { id } = await host.registerWebhook(repository, { url, secret: 'second secret' }, call);
      await host.registerWebhook(repository, { url: `${url}/other`, secret: 'another secret' }, call);
      const count = async () => (await fixture.webhooks()).filter((each) => each === url).length;
      assert.equal(await count(), 1);
      await host.removeWebhook(repository, id, call);
      assert.equal(await count(), 0);
      await host.removeWebhook(repository, id, call);
      assert.ok((await fixture.webhooks()).includes(`${url}/other`));
    });

    it('says what does not exist', async () => {
      await assert.rejects(host.repository(missing(), call), refusedAs('not_found'));
      await assert.rejects(host.branches(missing(), call), refusedAs('not_found'));
      await assert.rejects(host.pullRequest(repository, 999_999, call), refusedAs('not_found'));
      for (const name of ['', 'alone', '../x', 'a/..', 'a/b?c=d', 'a/b/../../user'])
        await assert.rejects(host.repository(name, call), refusedAs('not_found'), name);
    });

    it('says that a credential does not work, without saying it', async () => {
      const { password } = await fixture.stranger.gitCredential(call);
      await assert.rejects(fixture.stranger.account(call), (error: unknown) => {
        assert.ok(refusedAs('unauthorized')(error));
        assert.doesNotMatch(JSON.stringify([error, String(error), (error as Error).stack]), new RegExp(password, 'u'));
        return true;
      });
    });

    it('stops when the caller gives up', async () => {
      const gone = new AbortController();
      gone.abort(new Error('given up'));
      await assert.rejects(host.repository(repository, { signal: gone.signal }), /given up/u);
    });
  });
}

/** CI of a host: a repository with a run that has ended with a failed job, and a workflow that can be dispatched. */
export interface RunsFixture {
  host: CodeHost;
  /** `owner/name`. */
  repository: string;
  /**
   * Of the run: job `good` passed, and job `bad` failed at a step after writing 200 numbered lines and `it broke`. Its
   * workflow's file is `ci.yml`.
   */
  failed: { id: string; commit: string; branch: string };
  /** How many times a job of that run was executed. */
  executions(job: 'good' | 'bad'): Promise<number>;
  /** Whether the host can run failed jobs alone. */
  rerunsFailedOnly: boolean;
  /**
   * A workflow on `main` with an input `name` (string, required), `loud` (boolean, default false) and `colour` (choice of
   * red and blue), whose job writes `Hello NAME`.
   */
  dispatchable: string;
  close(): Promise<void>;
}

/** @param open once, before all tests */
export function testCodeHostRuns(title: string, open: () => Promise<RunsFixture>): void {
  describe(`${title}: the contract of CI runs`, () => {
    let fixture: RunsFixture;
    let host: CodeHost;
    let repository: string;
    before(async () => {
      fixture = await open();
      ({ host, repository } = fixture);
    });
    after(() => fixture?.close());

    const job = async (name: string) => {
      const jobs = await host.jobs(repository, fixture.failed.id, call);
      const found = jobs.find((each) => each.name === name);
      assert.ok(found, `${name} among ${jobs.map((each) => each.name).join(', ')}`);
      return found;
    };

    it('lists runs by commit and branch, and reads one', async () => {
      const { id, commit, branch } = fixture.failed;
      const [found, ...others] = await host.runs(repository, { commit, limit: 10 }, call);
      assert.deepEqual(others, []);
      assert.equal(found?.id, id);
      assert.deepEqual([found.commit, found.branch], [commit, branch]);
      assert.deepEqual([found.status, found.conclusion, found.attempt], ['completed', 'failure', 1]);
      assert.equal(found.event, 'push');
      assert.ok(Math.abs(found.at - Date.now() / 1000) < 3600);
      assert.deepEqual(await host.run(repository, id, call), found);
      assert.ok((await host.runs(repository, { branch, limit: 1 }, call)).length === 1);
      assert.deepEqual(await host.runs(repository, { branch, since: found.at + 3600, limit: 10 }, call), []);
      assert.deepEqual(await host.runs(repository, { commit: '0'.repeat(40), limit: 10 }, call), []);
      await assert.rejects(host.run(repository, '999999', call), refusedAs('not_found'));
      await assert.rejects(host.run(repository, '../1', call), refusedAs('not_found'));
    });

    it('lists jobs with their steps, and what became of them', async () => {
      const [good, bad] = [await job('good'), await job('bad')];
      assert.deepEqual([good.status, good.conclusion], ['completed', 'success']);
      assert.deepEqual([bad.status, bad.conclusion], ['completed', 'failure']);
      assert.ok(bad.startedAt && bad.completedAt && bad.completedAt >= bad.startedAt);
      if (bad.steps.length > 0) assert.ok(bad.steps.some(({ conclusion }) => conclusion === 'failure'));
    });

    it('reads the log of a job, and the end of a long one', async () => {
      const { id } = await job('bad');
      const whole = await host.jobLog(repository, id, { maxBytes: 1_000_000 }, call);
      assert.match(whole.text, /line 1\b[^]*line 200\b[^]*it broke/u);
      assert.equal(whole.truncated, false);
      const end = await host.jobLog(repository, id, { maxBytes: 1_500 }, call);
      assert.equal(end.truncated, true);
      assert.ok(Buffer.byteLength(end.text) <= 1_500);
      assert.ok(whole.text.endsWith(end.text) && end.text.length > 500);
    });

    it('lists what can be dispatched, with its inputs', async () => {
      const workflows = await host.workflows(repository, 'main', call);
      const { id, inputs } = workflows.find((each) => each.id === fixture.dispatchable)!;
      assert.equal(id, fixture.dispatchable);
      const byName = Object.fromEntries(inputs.map((input) => [input.name, input]));
      assert.deepEqual([byName['name']?.type, byName['name']?.isRequired], ['string', true]);
      assert.deepEqual([byName['loud']?.type, byName['loud']?.default], ['boolean', 'false']);
      assert.deepEqual([byName['colour']?.type, byName['colour']?.options], ['choice', ['red', 'blue']]);
    });

    it('dispatches a workflow with inputs', async () => {
      const since = Math.floor(Date.now() / 1000) - 5;
      const wanted = { ref: 'main', inputs: { name: 'Ann' } };
      const { runId } = await host.dispatch(repository, fixture.dispatchable, wanted, call);
      const ended = await waitUntil(
        async () => {
          const runs = await host.runs(repository, { branch: 'main', since, limit: 20 }, call);
          const made = runs.find(({ id, event }) =>
            runId === undefined ? event === 'workflow_dispatch' : id === runId,
          );
          return made?.status === 'completed' ? made : undefined;
        },
        { what: 'the dispatched run', intervalMs: 300 },
      );
      assert.equal(ended.conclusion, 'success');
      const [hello] = await host.jobs(repository, ended.id, call);
      const { text } = await host.jobLog(repository, hello!.id, { maxBytes: 100_000 }, call);
      assert.match(text, /Hello Ann/u);
      await assert.rejects(host.dispatch(repository, 'missing.yml', wanted, call), refusedAs('not_found', 'invalid'));
    });

    it('runs failed jobs again', async () => {
      assert.deepEqual([await fixture.executions('good'), await fixture.executions('bad')], [1, 1]);
      await host.rerunFailed(repository, fixture.failed.id, call);
      await waitUntil(async () => (await fixture.executions('bad')) === 2 || undefined, {
        what: 'the second execution',
        intervalMs: 300,
      });
      const again = await waitUntil(
        async () => {
          const found = await host.run(repository, fixture.failed.id, call);
          return found.status === 'completed' ? found : undefined;
        },
        { what: 'the end of the run', intervalMs: 300 },
      );
      assert.equal(again.conclusion, 'failure');
      if (fixture.rerunsFailedOnly) assert.equal(await fixture.executions('good'), 1);
    });
  });
}
