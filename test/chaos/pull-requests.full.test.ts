/** `kill -9` between any two steps of a pull request, at a real Gitea: in the end there is one branch and one request. */
import assert from 'node:assert/strict';
import { freePort } from '../../src/embedded/free-port.ts';
import { startGitea, type TestGitea } from '../support/gitea.ts';
import { startInstallation, type Installation, type ProcessName } from '../support/installation/index.ts';
import type { ScriptedStep } from '../support/scripted-model/index.ts';
import { reportInput } from '../support/scripts.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startHostProxy, type HostProxy, type Stop } from './support/host-proxy.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are whatever the servers sent
type Json = any;

/** Each case suggests a file of its own. */
const play = ({ turn, request }: { turn: number; request: object }): ScriptedStep => {
  const name = /\[case ([\w-]+)\]/.exec(JSON.stringify(request))?.[1] ?? 'none';
  const repository = 'casebook/shop';
  if (turn === 0) {
    const edits = [{ path: `${name}.md`, content: `${name}\n` }];
    return { toolUses: [{ name: 'suggest_pr', input: { repository, title: `Add ${name}`, edits } }] };
  }
  const report = reportInput({ recommended_pr: { suggestion: 1 }, citations: [] });
  return { toolUses: [{ name: 'submit_report', input: { ...report, accept_unverified: true } }] };
};

describe('kill -9 while a pull request is opened @never-forgiven', () => {
  let gitea: TestGitea;
  let proxy: HostProxy;
  let installation: Installation;
  before(async () => {
    gitea = await startGitea();
    assert.equal(gitea.admin.username, 'casebook');
    const file = { content: Buffer.from('# Shop\n').toString('base64'), message: 'Begin' };
    await gitea.api('POST', '/user/repos', { name: 'shop', private: true, default_branch: 'main' });
    await gitea.api('POST', '/repos/casebook/shop/contents/README.md', file);
    proxy = await startHostProxy(gitea.url);
    const port = await freePort();
    installation = await startInstallation({
      script: play,
      env: {
        PORT: String(port),
        CASEBOOK_APP_URL: `http://127.0.0.1:${port}`,
        CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
      },
    });
    const connected = await call('POST', '/api/code-hosts/gitea', {
      name: 'gitea',
      url: proxy.url,
      token: gitea.admin.token,
    });
    assert.equal(connected.status, 200, JSON.stringify(connected.body));
    await waitUntil(
      async () => {
        const { body } = await call('GET', '/api/code-hosts/repositories');
        return body.repositories.some((one: Json) => one.full_name === 'casebook/shop' && one.synced_at !== null)
          ? true
          : undefined;
      },
      { what: 'the mirror of the repository' },
    );
  });
  after(async () => {
    await installation?.stop();
    await proxy?.stop();
    await gitea?.stop();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error(installation.errors());
    await installation.untilReady();
  });

  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Json }> => {
    const response = await fetch(installation.apiUrl + path, {
      method,
      headers: installation.headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const suggested = async (name: string): Promise<string> => {
    const id = await installation.investigate(`[case ${name}] What is wrong?`);
    await waitUntil(
      async () => {
        const { status } = await installation.get<{ status: string }>(`/api/v1/investigations/${id}`);
        return status === 'processing' ? undefined : true;
      },
      { what: `the end of ${name}` },
    );
    return id;
  };
  const open = (investigationId: string) =>
    call('POST', '/api/create-pr/from-investigation', { investigation_id: investigationId });
  const untilStatus = (investigationId: string, status: string): Promise<Json> =>
    waitUntil(
      async () => {
        const { items } = await installation.get<Json>(`/api/pull-requests?investigation_id=${investigationId}`);
        return items[0]?.status === status ? items[0] : undefined;
      },
      { what: `a pull request that is ${status}` },
    );
  /** What the host has of it. */
  const atHost = async (title: string) => {
    const pulls = (await gitea.api('GET', '/repos/casebook/shop/pulls?state=all&limit=50')) as Json[];
    const branches = (await gitea.api('GET', '/repos/casebook/shop/branches?limit=50')) as Json[];
    return {
      pulls: pulls.filter((pull) => pull.title === title),
      branches: branches.filter(({ commit }) => commit.message.startsWith(`${title}\n`)),
    };
  };

  const isPush: Stop['at'] = (method, path) => method === 'POST' && path.includes('git-receive-pack');
  const isCreation: Stop['at'] = (method, path) => method === 'POST' && path.endsWith('/repos/casebook/shop/pulls');
  const isLookUp: Stop['at'] = (method, path) => method === 'GET' && /\/repos\/casebook\/shop\/pulls\?/.test(path);
  const isReading: Stop['at'] = (method, path) => method === 'GET' && /\/repos\/casebook\/shop\/pulls\/\d+$/.test(path);
  const isListing: Stop['at'] = (_method, path) => path.includes('info/refs?service=git-upload-pack');

  const cases: [string, Pick<Stop, 'at' | 'when'>, ProcessName[]][] = [
    ['before-it-fetches', { at: isListing, when: 'before' }, ['worker']],
    ['before-the-push-arrives', { at: isPush, when: 'before' }, ['worker']],
    ['after-the-push', { at: isPush, when: 'after' }, ['worker']],
    ['before-the-look-up', { at: isLookUp, when: 'before' }, ['worker']],
    ['before-the-creation-arrives', { at: isCreation, when: 'before' }, ['worker']],
    ['after-the-creation', { at: isCreation, when: 'after' }, ['worker']],
    ['before-its-state-is-recorded', { at: isReading, when: 'after' }, ['worker']],
    ['api-after-the-push', { at: isPush, when: 'after' }, ['api', 'worker']],
    ['everything-after-the-creation', { at: isCreation, when: 'after' }, ['worker', 'api', 'temporal', 'postgres']],
  ];
  for (const [name, point, killed] of cases) {
    it(`${name.replaceAll('-', ' ')}: ${killed.join(', ')}`, async () => {
      const id = await suggested(name);
      const stopped = proxy.stopAt({ ...point, act: () => installation.kill(...killed) });
      const first = open(id).catch(() => undefined);
      await stopped;
      await first;
      await installation.untilReady();
      const opened = await untilStatus(id, 'open');
      const again = await open(id);
      assert.deepEqual(
        [again.status, again.body.pull_request_id, again.body.number],
        [200, opened.pull_request_id, opened.number],
      );
      const { pulls, branches } = await atHost(`Add ${name}`);
      assert.deepEqual(
        [pulls.length, branches.length, pulls[0]?.number, pulls[0]?.head.ref],
        [1, 1, opened.number, opened.branch],
      );
      assert.equal(branches[0].name, opened.branch);
    });
  }

  it('tells the investigation when it is merged, by webhook', async () => {
    const id = await suggested('merged');
    const { body } = await open(id);
    assert.equal(body.status, 'open', JSON.stringify(body));
    await gitea.mergePullRequest('casebook/shop', body.number);
    await untilStatus(id, 'merged');
    const detail = await installation.get<Json>(`/api/investigations/${id}`);
    assert.deepEqual(
      detail.pull_requests.map(({ number, status }: Json) => [number, status]),
      [[body.number, 'merged']],
    );
  });
});
