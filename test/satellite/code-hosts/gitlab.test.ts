/** GitLab, against a server that speaks its protocols: no real one runs here. */
import assert from 'node:assert/strict';
import { CodeHostError, connectorKinds, openCodeHost, type CodeHost, type HostCall } from '@casebook/connectors';
import { newSha, startGitLabServer, type FakeProject, type GitLabServer } from '../../support/gitlab-server.ts';
import { testCodeHost, testCodeHostRuns } from './contract.ts';
import { gitLabFixture, gitLabRunsFixture } from './gitlab-fixture.ts';

testCodeHost('GitLab', gitLabFixture);
testCodeHostRuns('GitLab', gitLabRunsFixture);

const call: HostCall = { signal: new AbortController().signal };
const log = { debug() {}, warn() {} };
const PATH = 'shop/checkout';

describe('GitLab', () => {
  let gitlab: GitLabServer;
  let project: FakeProject;
  let host: CodeHost;

  beforeEach(async () => {
    gitlab = await startGitLabServer();
    project = gitlab.addProject(PATH);
    host = open(gitlab.oauth.issue());
  });
  afterEach(() => gitlab.stop());

  const open = (token: string) => openCodeHost('gitlab', { url: gitlab.url, token }, { log });
  const refusal = async (work: Promise<unknown>): Promise<CodeHostError> => {
    const error: unknown = await work.then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof CodeHostError, String(error));
    return error;
  };

  it('warns of scopes that are missing, and knows the version', async () => {
    assert.deepEqual(await host.account(call), { login: 'ann', version: '18.5.1-ee', warnings: [] });
    const { warnings } = await open(gitlab.oauth.issue(['read_api'])).account(call);
    assert.match(warnings.join(), /no scope api/u);
  });

  it('lists projects page by page, each once, and asks again only for what has changed', async () => {
    for (let index = 0; index < 249; index++) gitlab.addProject(`shop/p${index}`);
    const all = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { fullName } of host.repositories(call)) found.push(fullName);
      return found;
    };
    const found = await all();
    assert.deepEqual([found.length, new Set(found).size], [250, 250]);
    const asked = gitlab.requests.length;
    assert.deepEqual(await all(), found);
    assert.ok(gitlab.requests.slice(asked).every(({ headers }) => headers['if-none-match'] !== undefined));
    const [first] = gitlab.requests;
    assert.equal(new URL(first!.path, gitlab.url).searchParams.get('min_access_level'), '20', 'who may read code');
    for await (const one of host.repositories(call)) {
      assert.equal(one.fullName, PATH);
      break;
    }
    assert.equal(gitlab.requests.length, asked + 4, 'one page, if one is enough');
  });

  it('counts deployments as changes, and does without them where they are hidden', async () => {
    const at = Date.now() - 60_000;
    const made = { sha: newSha(), ref: 'main', environment: 'production', user: 'bob' };
    project.deployments.push({ ...made, id: 5, status: 'success', at }, { ...made, id: 6, status: 'failed', at });
    const window = { from: at / 1000 - 10, to: at / 1000 + 10 };
    const changes = await host.changes(PATH, window, call);
    assert.deepEqual(
      changes.map(({ id, kind, summary, commit, author }) => [id, kind, summary, commit, author]),
      [['deployment:5', 'deployment', 'Deployed main to production', made.sha, 'bob']],
    );
    project.hidesReleases = true;
    assert.deepEqual(await host.changes(PATH, window, call), []);
  });

  it('is a source of changes for satellites too, under the name of the project', async () => {
    project.releases.push({ tag: 'v2', name: 'v2', releasedAt: Date.now() - 1_000, sha: newSha(), author: 'bob' });
    const { gitlab: kind } = connectorKinds;
    const config = kind.config.parse({ url: gitlab.url, token: gitlab.oauth.issue() });
    const connector = kind.create(config, { id: 'gitlab', title: 'GitLab', log });
    const now = Date.now() / 1000;
    const limits = { signal: call.signal, maxBytes: 1e6 };
    const operation = connector.operations.find(({ name }) => name === 'changes')!;
    const { changes } = (await operation.run({ from: now - 60, to: now + 60, limit: 10 }, limits)) as {
      changes: { id: string; service: string }[];
    };
    assert.deepEqual(
      changes.map(({ id, service }) => [id, service]),
      [[`${PATH}:release:v2`, 'checkout']],
    );
  });

  it('takes a merge request of its own branch, not one of a fork', async () => {
    project.branches.set('casebook/x', { sha: newSha(), isProtected: false });
    const wanted = { head: 'casebook/x', base: 'main', title: 'Repair', body: '', isDraft: false };
    const { number } = await host.createPullRequest(PATH, wanted, call);
    const [own] = project.requests;
    project.requests.push({ ...own!, iid: 2, createdAt: own!.createdAt + 1, fork: 999 });
    assert.equal((await host.findPullRequest(PATH, 'casebook/x', call))?.number, number);
  });

  it('says which limit was reached, and how long to wait, and does not repeat the request', async () => {
    gitlab.always('api', { status: 429, headers: { 'retry-after': '30' }, body: { message: 'Retry later' } });
    const error = await refusal(host.repository(PATH, call));
    assert.deepEqual([error.reason, error.retryAfterMs], ['limited', 30_000]);
    gitlab.always('api', { status: 502 });
    assert.equal((await refusal(host.repository(PATH, call))).reason, 'unavailable');
    assert.equal(gitlab.requests.length, 2);
  });

  it('refuses what is not an answer of GitLab, however large, and never says the token', async () => {
    const { password } = await host.gitCredential(call);
    for (const plan of ['garbage', 'echo', 'huge'] as const) {
      gitlab.next('api', plan);
      const error = await refusal(host.repository(PATH, call));
      assert.equal(error.reason, 'unavailable', plan);
      assert.ok(!`${error.message} ${error.stack}`.includes(password), plan);
    }
  });

  it('tells a role that may not from a project that is not there', async () => {
    project.members.set('bob', 30);
    const developer = open(gitlab.oauth.issue(['api'], 'bob'));
    const hook = { url: 'https://casebook.example/hook', secret: 's' };
    assert.equal((await refusal(developer.registerWebhook(PATH, hook, call))).reason, 'forbidden');
    project.members.delete('bob');
    assert.equal((await refusal(developer.repository(PATH, call))).reason, 'not_found');
  });

  it('sends typed inputs, and variables under the names that the team gave them', async () => {
    project.files.set(
      'main:.gitlab-ci.yml',
      'spec:\n  inputs:\n    dryRun: {type: boolean}\n    maxItems: {type: number}\n---\nvariables:\n  RegionName: {value: eu, description: Where}\n',
    );
    const inputs = { dryRun: 'true', maxItems: '3', RegionName: 'us' };
    await host.dispatch(PATH, '.gitlab-ci.yml', { ref: 'main', inputs }, call);
    const [made] = project.pipelines;
    assert.deepEqual(made?.inputs, { dryRun: true, maxItems: 3 });
    assert.deepEqual(made?.variables, [{ key: 'RegionName', value: 'us' }]);
  });
});
