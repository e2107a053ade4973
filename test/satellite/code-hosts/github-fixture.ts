import { openCodeHost } from '@casebook/connectors';
import { startGitHubServer, type FakeJob, type FakePull, type GitHubServer } from '../../support/github-server.ts';
import type { CodeHostFixture, RunsFixture } from './contract.ts';

const open = (server: GitHubServer, token: string) => openCodeHost('github', { url: server.url, token }, {});

/** A fake GitHub that keeps to its published description, with the repository `casebook/shop`. */
export async function gitHubFixture(): Promise<CodeHostFixture> {
  const server = await startGitHubServer();
  const repository = 'casebook/shop';
  const shop = server.addRepository(repository);
  const pullOf = (number: number): FakePull => shop.pulls.find((pull) => pull.number === number)!;
  return {
    host: open(server, server.token),
    stranger: open(server, 'ghp_0123456789abcdef0123456789abcdef0123'),
    repository,
    login: 'casey',
    commit: async (branch) => server.push(shop, branch),
    async deleteBranch(branch) {
      shop.branches.delete(branch);
    },
    async protect(branch) {
      shop.branches.get(branch)!.isProtected = true;
    },
    merge: async (number) => server.merge(shop, pullOf(number)),
    async check(commit, name, state) {
      const isDone = state !== 'pending';
      shop.checkRuns.push({
        commit,
        name,
        status: isDone ? 'completed' : 'in_progress',
        conclusion: isDone ? state : null,
      });
    },
    async review(number, verdict) {
      pullOf(number).reviews.push({ user: 'ann', state: verdict === 'approve' ? 'APPROVED' : 'CHANGES_REQUESTED' });
    },
    async release(tag) {
      const times = { createdAt: Date.now(), publishedAt: Date.now() };
      shop.releases.push({ tag, name: `Release ${tag}`, target: 'main', isDraft: false, ...times, author: 'ann' });
    },
    async say(number, body) {
      shop.comments.push({ id: 1_000_000 + shop.comments.length, number, user: 'ann', body });
    },
    comments: async (number) => shop.comments.filter((row) => row.number === number).map(({ body }) => body),
    webhooks: async () => shop.hooks.map(({ url }) => url),
    close: () => server.stop(),
  };
}

const GREET = `
on:
  workflow_dispatch:
    inputs:
      name: { type: string, required: true }
      loud: { type: boolean, default: false }
      colour: { type: choice, options: [red, blue] }
`;

/** CI of the fake GitHub: its runner ends every job at once. */
export async function gitHubRunsFixture(): Promise<RunsFixture> {
  const server = await startGitHubServer();
  const repository = 'casebook/shop';
  const shop = server.addRepository(repository);
  const commit = server.push(shop, 'broken');
  shop.workflows.push({ id: 1, name: 'Greet', path: '.github/workflows/greet.yml', state: 'active' });
  shop.files.set('main:.github/workflows/greet.yml', GREET);
  const executed: string[] = [];
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
  const end = (job: FakeJob): void => {
    executed.push(job.name);
    const conclusion = job.name === 'bad' ? 'failure' : 'success';
    const done = { status: 'completed', conclusion };
    Object.assign(job, done, { startedAt: Date.now() - 1000, completedAt: Date.now() });
    job.steps = [{ name: 'Run', ...done }];
    job.log ??= job.name === 'bad' ? `${lines.join('\n')}\nit broke\n` : 'fine\n';
  };
  const job = (id: number, name: string, log?: string): FakeJob => ({
    id,
    name,
    status: 'queued',
    conclusion: null,
    steps: [],
    ...(log !== undefined && { log }),
  });
  server.runner = (run) => {
    if (run.event === 'workflow_dispatch')
      run.jobs = [job(run.id + 500_000, 'greet', `Hello ${run.inputs?.['name']}\n`)];
    for (const each of run.jobs) if (each.status === 'queued') end(each);
    const hasFailed = run.jobs.some(({ conclusion }) => conclusion === 'failure');
    Object.assign(run, { status: 'completed', conclusion: hasFailed ? 'failure' : 'success' });
  };
  const failed = {
    id: 7,
    path: '.github/workflows/ci.yml',
    name: 'CI',
    commit,
    branch: 'broken',
    event: 'push',
    status: 'queued',
    conclusion: null,
    attempt: 1,
    createdAt: Date.now(),
    jobs: [job(71, 'good'), job(72, 'bad')],
  };
  shop.runs.push(failed);
  server.runner(failed);
  return {
    host: open(server, server.token),
    repository,
    failed: { id: '7', commit, branch: 'broken' },
    executions: async (name) => executed.filter((other) => other === name).length,
    rerunsFailedOnly: true,
    dispatchable: 'greet.yml',
    close: () => server.stop(),
  };
}
