import assert from 'node:assert/strict';
import { lookup } from 'node:dns';
import type { CodeHost } from '@casebook/connectors';
import { gitHubConfig, openGitHub } from '../../../packages/connectors/github/index.ts';
import {
  startGitHubServer,
  type FakeRepository,
  type FakeRun,
  type GitHubServer,
} from '../../support/github-server.ts';
import { call, hostOn, refused, sha } from './github-support.ts';

const START = Date.UTC(2026, 4, 1);
const PATH = '.github/workflows/deploy.yml';
const DEPLOY = `
on:
  push:
  workflow_dispatch:
    inputs:
      environment: { type: choice, options: [test, production], required: true, description: Where to }
      dry: { type: boolean, default: true }
      reason:
`;

describe('code host: GitHub, CI', () => {
  let server: GitHubServer;
  let host: CodeHost;
  let shop: FakeRepository;
  beforeEach(async () => {
    server = await startGitHubServer({ now: () => START });
    shop = server.addRepository('acme/shop');
    host = hostOn(server);
  });
  afterEach(() => server.stop());

  const addRun = (id: number, more: Partial<FakeRun> = {}): FakeRun => {
    const run: FakeRun = {
      id,
      path: '.github/workflows/ci.yml',
      name: 'CI',
      commit: sha('a'),
      branch: 'main',
      event: 'push',
      status: 'completed',
      conclusion: 'failure',
      attempt: 1,
      createdAt: START + id * 1000,
      jobs: [
        {
          id: id * 10,
          name: 'test (24)',
          status: 'completed',
          conclusion: 'failure',
          startedAt: START,
          completedAt: START + 5000,
          steps: [
            { name: 'Check out', status: 'completed', conclusion: 'success' },
            { name: 'Test', status: 'completed', conclusion: 'failure' },
          ],
          log: 'one\ntwo\nthree\n',
        },
        { id: id * 10 + 1, name: 'lint', status: 'completed', conclusion: 'success', steps: [] },
      ],
      ...more,
    };
    shop.runs.push(run);
    return run;
  };

  describe('runs', () => {
    it('say what ran, where and how it ended', async () => {
      addRun(1);
      assert.deepEqual(await host.run('acme/shop', '1', call), {
        id: '1',
        workflow: 'CI',
        commit: sha('a'),
        branch: 'main',
        event: 'push',
        status: 'completed',
        conclusion: 'failure',
        attempt: 1,
        url: `${server.url}/acme/shop/actions/runs/1`,
        at: START / 1000 + 1,
      });
      await refused(host.run('acme/shop', '2', call), 'not_found');
    });

    it('are listed by branch, commit and time, newest first', async () => {
      addRun(1);
      addRun(2, { branch: 'fix', commit: sha('b') });
      addRun(3, { status: 'waiting', conclusion: null, name: null });
      const ids = async (query: object) =>
        (await host.runs('acme/shop', { limit: 10, ...query }, call)).map(({ id }) => id);
      assert.deepEqual(await ids({}), ['3', '2', '1']);
      assert.deepEqual(await ids({ limit: 2 }), ['3', '2']);
      assert.deepEqual(await ids({ branch: 'fix' }), ['2']);
      assert.deepEqual(await ids({ commit: sha('a') }), ['3', '1']);
      assert.deepEqual(await ids({ since: START / 1000 + 2 }), ['3', '2']);
      const [waiting] = await host.runs('acme/shop', { limit: 1 }, call);
      assert.deepEqual(
        [waiting?.status, waiting?.conclusion, waiting?.workflow],
        ['queued', null, '.github/workflows/ci.yml'],
      );
    });

    it('are read over several pages', async () => {
      for (let id = 1; id <= 230; id++) addRun(id, { jobs: [] });
      assert.equal((await host.runs('acme/shop', { limit: 150 }, call)).length, 150);
      assert.equal((await host.runs('acme/shop', { limit: 500 }, call)).length, 230);
    });
  });

  it('has jobs with steps', async () => {
    addRun(1);
    const [first, second] = await host.jobs('acme/shop', '1', call);
    assert.deepEqual(first, {
      id: '10',
      name: 'test (24)',
      status: 'completed',
      conclusion: 'failure',
      startedAt: START / 1000,
      completedAt: START / 1000 + 5,
      steps: [
        { name: 'Check out', conclusion: 'success' },
        { name: 'Test', conclusion: 'failure' },
      ],
    });
    assert.equal(second?.conclusion, 'success');
  });

  describe('logs', () => {
    const log = (maxBytes: number, id = '10') => host.jobLog('acme/shop', id, { maxBytes }, call);

    it('come from another host, which gets no credential', async () => {
      addRun(1);
      assert.deepEqual(await log(1000), { text: 'one\ntwo\nthree\n', truncated: false });
      const [request] = server.storageRequests;
      assert.ok(request);
      assert.ok(!JSON.stringify(request).includes(server.token));
      assert.equal(request.headers['authorization'], undefined);
    });

    it('come only from where the network allows', async () => {
      addRun(1);
      const network = {
        lookup,
        hostProblem: () => undefined,
        urlProblem: (url: string) => (url.startsWith(server.storageUrl) ? 'is not allowed' : undefined),
      };
      const guarded = openGitHub(gitHubConfig.parse({ url: server.url, token: server.token }), { network });
      const asked = guarded.jobLog('acme/shop', '10', { maxBytes: 1000 }, call);
      assert.match((await refused(asked, 'unavailable')).message, /is not allowed/u);
      assert.equal(server.storageRequests.length, 0);
    });

    it('are cut at their start', async () => {
      addRun(1);
      assert.deepEqual(await log(7), { text: 'three\n', truncated: true });
    });

    it('are not there yet, or not any more', async () => {
      addRun(1).jobs[0]!.log = undefined as never;
      await refused(log(1000), 'not_found');
      server.next({ status: 410, body: { message: 'Gone' } });
      await refused(log(1000), 'not_found');
    });

    it('are not fetched by other means than the web', async () => {
      server.next({ status: 302, headers: { location: 'file:///etc/passwd' } });
      await refused(log(1000), 'unavailable');
    });
  });

  describe('failed jobs', () => {
    it('are run again, in a new attempt', async () => {
      const run = addRun(1);
      await host.rerunFailed('acme/shop', '1', call);
      const { attempt, status } = await host.run('acme/shop', '1', call);
      assert.deepEqual([attempt, status], [2, 'queued']);
      assert.deepEqual(
        run.jobs.map((job) => [job.name, job.status]),
        [
          ['test (24)', 'queued'],
          ['lint', 'completed'],
        ],
      );
    });

    it('are not run again while the run is in progress, or if there are none', async () => {
      addRun(1, { status: 'in_progress', conclusion: null });
      addRun(2, { conclusion: 'success', jobs: [] });
      await refused(host.rerunFailed('acme/shop', '1', call), 'conflict');
      await refused(host.rerunFailed('acme/shop', '2', call), 'conflict');
    });
  });

  describe('workflows', () => {
    beforeEach(() => {
      shop.workflows.push(
        { id: 1, name: 'Deploy', path: PATH, state: 'active' },
        { id: 2, name: 'CI', path: '.github/workflows/ci.yml', state: 'active' },
        { id: 3, name: 'Old', path: '.github/workflows/old.yml', state: 'disabled_manually' },
        { id: 4, name: 'CodeQL', path: 'dynamic/github-code-scanning/codeql', state: 'active' },
      );
      shop.files.set(`main:${PATH}`, DEPLOY);
      shop.files.set('main:.github/workflows/ci.yml', 'on: [push]');
      shop.files.set('main:.github/workflows/old.yml', DEPLOY);
      shop.branches.set('next', { commit: sha('b'), isProtected: false });
      shop.files.set('next:.github/workflows/ci.yml', 'on: [push, workflow_dispatch]');
    });

    it('that can be dispatched at a ref are listed with their inputs', async () => {
      assert.deepEqual(await host.workflows('acme/shop', 'main', call), [
        {
          id: 'deploy.yml',
          name: 'Deploy',
          path: PATH,
          inputs: [
            {
              name: 'environment',
              type: 'choice',
              description: 'Where to',
              isRequired: true,
              options: ['test', 'production'],
            },
            { name: 'dry', type: 'boolean', description: '', isRequired: false, default: 'true' },
            { name: 'reason', type: 'string', description: '', isRequired: false },
          ],
        },
      ]);
      const next = await host.workflows('acme/shop', 'next', call);
      assert.deepEqual(next, [{ id: 'ci.yml', name: 'CI', path: '.github/workflows/ci.yml', inputs: [] }]);
    });

    it('are dispatched, and the run is named', async () => {
      const wanted = { ref: 'main', inputs: { environment: 'test' } };
      const { runId } = await host.dispatch('acme/shop', 'deploy.yml', wanted, call);
      const run = await host.run('acme/shop', runId!, call);
      assert.deepEqual([run.event, run.workflow, run.status], ['workflow_dispatch', 'Deploy', 'queued']);
      assert.deepEqual(shop.runs[0]!.inputs, { environment: 'test' });
    });

    it('are dispatched once where the run is not named', async () => {
      const enterprise = hostOn(server, { url: server.enterpriseUrl });
      const wanted = { ref: 'main', inputs: { environment: 'test' } };
      assert.deepEqual(await enterprise.dispatch('acme/shop', 'deploy.yml', wanted, call), {});
      assert.equal(shop.runs.length, 1);
    });

    it('are not dispatched with other inputs, at other refs, or if there are none', async () => {
      const dispatch = (id: string, ref: string, inputs: Record<string, string>) =>
        host.dispatch('acme/shop', id, { ref, inputs }, call);
      await refused(dispatch('deploy.yml', 'main', {}), 'invalid');
      await refused(dispatch('deploy.yml', 'main', { environment: 'test', more: 'x' }), 'invalid');
      await refused(dispatch('deploy.yml', 'gone', { environment: 'test' }), 'invalid');
      await refused(dispatch('ci.yml', 'main', {}), 'invalid');
      await refused(dispatch('none.yml', 'main', {}), 'not_found');
      await refused(dispatch('../../../user', 'main', {}), 'not_found');
      assert.equal(shop.runs.length, 0);
    });
  });
});
