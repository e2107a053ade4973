import { openCodeHost } from '@casebook/connectors';
import { newSha, startGitLabServer, type FakePipeline, type GitLabServer } from '../../support/gitlab-server.ts';
import type { CodeHostFixture, RunsFixture } from './contract.ts';

const log = { debug() {}, warn() {} };
const PATH = 'shop/backend/checkout';

/** A fake GitLab with the project `shop/backend/checkout`, on which `ann` and `bob` work. */
export async function gitLabFixture(): Promise<CodeHostFixture & { gitlab: GitLabServer }> {
  const gitlab = await startGitLabServer();
  const project = gitlab.addProject(PATH, { ann: 40, bob: 30 });
  const open = (token: string) => openCodeHost('gitlab', { url: gitlab.url, token }, { log });
  const requestOf = (number: number) => project.requests.find(({ iid }) => iid === number)!;
  const said: { sha: string; name: string; state: string }[] = [];
  let noteId = 1;
  return {
    gitlab,
    host: open(gitlab.oauth.issue()),
    stranger: open('0123456789abcdef0123456789abcdef01234567'),
    repository: PATH,
    login: 'ann',
    async commit(branch, path, text) {
      const sha = newSha();
      project.branches.set(branch, { sha, isProtected: project.branches.get(branch)?.isProtected ?? false });
      project.files.set(`${branch}:${path}`, text);
      for (const one of project.requests) if (one.source === branch && one.state === 'opened') one.sha = sha;
      return sha;
    },
    async deleteBranch(branch) {
      project.branches.delete(branch);
    },
    async protect(branch) {
      project.branches.get(branch)!.isProtected = true;
    },
    async merge(number) {
      const sha = newSha();
      const merged = {
        state: 'merged',
        mergedAt: Date.now(),
        updatedAt: Date.now(),
        mergedBy: 'bob',
        mergeCommit: sha,
      };
      Object.assign(requestOf(number), merged);
      project.branches.set('main', { sha, isProtected: true });
      return sha;
    },
    async check(sha, name, state) {
      const known = said.find((one) => one.sha === sha && one.name === name);
      if (known) known.state = state;
      else said.push({ sha, name, state });
      const states = said.filter((one) => one.sha === sha).map((one) => one.state);
      const status = states.includes('failure') ? 'failed' : states.includes('pending') ? 'pending' : 'success';
      const pipeline = project.pipelines.find((one) => one.sha === sha);
      if (pipeline) pipeline.status = status;
      else project.pipelines.push(pipelineOf({ sha, status, source: 'external' }));
    },
    async review(number, verdict) {
      const request = requestOf(number);
      request.requestedChanges = verdict === 'request_changes';
      request.approvedBy = verdict === 'approve' ? ['bob'] : [];
    },
    async release(tag) {
      const sha = project.branches.get('main')!.sha;
      project.releases.push({ tag, name: `Release ${tag}`, releasedAt: Date.now(), sha, author: 'bob' });
    },
    async say(number, text) {
      requestOf(number).notes.push({ id: noteId++, author: 'bob', body: text, system: false });
    },
    comments: async (number) => requestOf(number).notes.map(({ body }) => body),
    webhooks: async () => project.hooks.map(({ url }) => url),
    close: () => gitlab.stop(),
  };
}

let lastPipeline = 10_000;
const pipelineOf = (rest: Partial<FakePipeline> & Pick<FakePipeline, 'sha' | 'status'>): FakePipeline => ({
  id: (lastPipeline += 1),
  ref: 'main',
  source: 'push',
  createdAt: Date.now(),
  updatedAt: Date.now(),
  jobs: [],
  ...rest,
});

const CONFIGURATION = `
spec:
  inputs:
    name:
      description: Whom to greet
    loud:
      type: boolean
      default: false
    colour:
      options: [red, blue]
      default: red
---
variables:
  REGION:
    value: eu
    description: Where it runs
  INTERNAL: hidden
greet:
  script: echo "Hello $[[ inputs.name ]]"
  rules: !reference [.rules, rules]
`;

/** The same, with a pipeline that has failed, played as GitLab's runners would. */
export async function gitLabRunsFixture(): Promise<RunsFixture> {
  const gitlab = await startGitLabServer();
  const project = gitlab.addProject(PATH);
  const [sha, now] = [newSha(), Date.now()];
  const executions = { good: 1, bad: 1 };
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`).join('\n');
  const log = [
    `section_start:1760000000:step_script\r\u001b[0K\u001b[0;m\u001b[32;1mExecuting "step_script"\u001b[0;m`,
    lines,
    '\u001b[31;1mit broke\u001b[0;m\r\n',
  ].join('\n');
  const times = { startedAt: now - 4_000, finishedAt: now - 1_000 };
  const failed = pipelineOf({
    sha,
    status: 'failed',
    ref: 'casebook/fix',
    jobs: [
      { id: 1, name: 'good', status: 'success', ...times, log: 'fine\n' },
      { id: 2, name: 'bad', status: 'failed', ...times, log },
    ],
  });
  project.branches.set('casebook/fix', { sha, isProtected: false });
  project.pipelines.push(failed);
  project.files.set('main:.gitlab-ci.yml', CONFIGURATION);
  project.retried = (pipeline) => {
    executions.bad += 1;
    pipeline.status = 'failed';
  };
  project.started = (pipeline) => {
    const said = `Hello ${String(pipeline.inputs?.['name'])}\n`;
    pipeline.jobs.push({ id: 3, name: 'greet', status: 'success', ...times, log: said });
    pipeline.status = 'success';
  };
  return {
    host: openCodeHost('gitlab', { url: gitlab.url, token: gitlab.oauth.issue() }, { log: { debug() {}, warn() {} } }),
    repository: PATH,
    failed: { id: String(failed.id), commit: sha, branch: 'casebook/fix' },
    executions: async (job) => executions[job],
    rerunsFailedOnly: true,
    dispatchable: '.gitlab-ci.yml',
    close: () => gitlab.stop(),
  };
}
