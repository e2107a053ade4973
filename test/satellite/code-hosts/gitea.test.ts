import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  connectionTest,
  gitea as kind,
  openCodeHost,
  readWebhook,
  TEST_CONNECTION,
  verifyWebhook,
} from '@casebook/connectors';
import { z } from 'zod';
import { startHttpReceiver } from '../../support/http-receiver.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ask, connectorOf } from '../stores/support.ts';
import { giteaFixture } from './gitea-fixture.ts';

const run = promisify(execFile);
const log = { debug() {}, warn() {} };
const call = { signal: new AbortController().signal };

describe('a real Gitea', () => {
  let fixture: Awaited<ReturnType<typeof giteaFixture>>;
  before(async () => {
    fixture = await giteaFixture();
  });
  after(() => fixture?.close());

  /** A token of the administrator's with these scopes only. */
  const tokenWith = async (name: string, scopes: string[]): Promise<string> => {
    const { username, password } = fixture.gitea.admin;
    const response = await fetch(`${fixture.gitea.url}/api/v1/users/${username}/tokens`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name, scopes }),
    });
    return z.object({ sha1: z.string() }).parse(await response.json()).sha1;
  };
  const open = (token: string) => openCodeHost('gitea', { url: `${fixture.gitea.url}/api/v1/`, token }, { log });

  it('gives Git its repository for the credential, and for nothing less', async () => {
    const { cloneUrl } = await fixture.host.repository(fixture.repository, call);
    const read = async (password: string): Promise<string> => {
      const { username } = await fixture.host.gitCredential(call);
      const basic = Buffer.from(`${username}:${password}`).toString('base64');
      const args = ['-c', `http.extraHeader=Authorization: Basic ${basic}`, 'ls-remote', cloneUrl, 'refs/heads/main'];
      const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
      return (await run('git', args, { env })).stdout;
    };
    assert.match(await read((await fixture.host.gitCredential(call)).password), /^[0-9a-f]{40}\trefs\/heads\/main\n$/u);
    await assert.rejects(read('wrong'));
  });

  it('sends its events to a registered webhook, with our signature', async () => {
    const secret = 'a secret of this webhook';
    const receiver = await startHttpReceiver((_request, response) => void response.writeHead(200).end());
    try {
      await fixture.host.registerWebhook(fixture.repository, { url: `${receiver.url}/hook`, secret: 'old' }, call);
      await fixture.host.registerWebhook(fixture.repository, { url: `${receiver.url}/hook`, secret }, call);
      await fixture.commit('feature/hook', 'hook.txt', 'hook\n');
      const pushed = await waitUntil(
        () => receiver.requests.find(({ headers }) => headers['x-github-event'] === 'push'),
        { what: 'the push' },
      );
      assert.equal(await verifyWebhook('gitea', pushed.headers, Buffer.from(pushed.body), secret), true);
      const event = readWebhook('gitea', pushed.headers, JSON.parse(pushed.body));
      const { id, fullName } = await fixture.host.repository(fixture.repository, call);
      assert.deepEqual(event, {
        repository: { id, fullName },
        type: 'push',
        branch: 'feature/hook',
      });
    } finally {
      await receiver.stop();
    }
  });

  it('says which scopes its token lacks, and that an administrator is too much', async () => {
    const { warnings: ofAdmin, version } = await fixture.host.account(call);
    assert.equal(version, '1.26.0');
    assert.deepEqual(ofAdmin, ['casebook is an administrator of Gitea: a user of its own would be enough.']);
    const reader = open(await tokenWith('reader', ['read:user', 'read:repository']));
    const { warnings } = await reader.account(call);
    assert.match(warnings.join('\n'), /write:repository.*\n.*write:issue/u);
    const writer = open(await tokenWith('writer', ['read:user', 'write:repository', 'write:issue']));
    assert.doesNotMatch((await writer.account(call)).warnings.join('\n'), /lacks/u);
  });

  it('is tested as a connection', async () => {
    const test = async (config: object) =>
      connectionTest.parse(await ask(connectorOf(kind, { url: fixture.gitea.url, ...config }), TEST_CONNECTION));
    const { token } = fixture.gitea.admin;
    const works = await test({ token });
    assert.deepEqual([works.status, works.version], ['ok', '1.26.0']);
    assert.ok(works.resources.some(({ name }) => name === fixture.repository));
    const refused = await test({ token: 'f'.repeat(40) });
    assert.deepEqual([refused.status, refused.field], ['refused', 'token']);
    assert.doesNotMatch(refused.message, /fffff/u);
    const narrow = await test({ token: await tokenWith('narrow', ['read:repository']) });
    assert.deepEqual([narrow.status, narrow.field, /read:user/u.test(narrow.message)], ['refused', 'token', true]);
    const elsewhere = await test({ token, url: `${fixture.gitea.url}/not/gitea` });
    assert.deepEqual([elsewhere.status, elsewhere.field], ['unreachable', 'url']);
  });

  it('has its changes as a source’s', async () => {
    const from = Math.floor(Date.now() / 1000) - 5;
    await fixture.release('v9');
    const query = { from, to: from + 600, service: 'shop' };
    const answer = await ask(
      connectorOf(kind, { url: fixture.gitea.url, token: fixture.gitea.admin.token }),
      'changes',
      query,
    );
    const { changes } = z.object({ changes: z.array(z.looseObject({ id: z.string() })) }).parse(answer);
    const release = changes.find(({ id }) => id === 'casebook/shop:release:v9');
    assert.deepEqual(
      [release?.['kind'], release?.['service'], release?.['summary'], release?.['author']],
      ['release', 'shop', 'Released v9: Release v9', 'casebook'],
    );
  });

  it('has its other changes where releases are turned off', async () => {
    const { gitea, repository, host } = fixture;
    const { token } = await gitea.createUser('eve');
    await gitea.api('PUT', `/repos/${repository}/collaborators/eve`, { permission: 'read' });
    const from = Math.floor(Date.now() / 1000) - 5;
    await fixture.commit('off', 'off.txt', 'off\n');
    const wanted = { head: 'off', base: 'main', title: 'Turn it off', body: '', isDraft: false };
    const { number } = await host.createPullRequest(repository, wanted, call);
    await fixture.merge(number);
    await gitea.api('PATCH', `/repos/${repository}`, { has_releases: false });
    const changes = await open(token).changes(repository, { from, to: from + 600 }, call);
    assert.deepEqual(
      changes.map(({ id }) => id),
      [`pull_request:${number}`],
    );
  });

  it('has dispatchable workflows of any branch, in either folder', async () => {
    const text = 'name: Ship it\non: {workflow_dispatch: {inputs: {to: {type: environment}}}}\njobs: {}\n';
    await fixture.commit('workflows', '.github/workflows/ship.yaml', text);
    await fixture.commit('workflows', '.github/workflows/ci.yml', 'on: push\njobs: {}\n');
    assert.deepEqual(await fixture.host.workflows(fixture.repository, 'workflows', call), [
      {
        id: 'ship.yaml',
        name: 'Ship it',
        path: '.github/workflows/ship.yaml',
        inputs: [{ name: 'to', type: 'environment', description: '', isRequired: false }],
      },
    ]);
    assert.deepEqual(await fixture.host.workflows(fixture.repository, 'main', call), []);
    for (const id of ['', '..', '../../user', 'a/b'])
      await assert.rejects(
        fixture.host.dispatch(fixture.repository, id, { ref: 'main', inputs: {} }, call),
        /There is no workflow/u,
      );
  });
});
