/** Against a fake that keeps to GitHub's published description; no real GitHub was asked. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { gitHubConfig, openGitHub } from '../../../packages/connectors/github/index.ts';
import { startGitHubServer, type GitHubServer } from '../../support/github-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { call, hostOn, refused } from './github-support.ts';

const NOW = Date.UTC(2026, 5, 1);

describe('code host: GitHub, connection', () => {
  let server: GitHubServer;
  beforeEach(async () => {
    server = await startGitHubServer({ now: () => NOW });
    server.addRepository('acme/shop');
  });
  afterEach(() => server.stop());

  const repository = (config: object = {}) => hostOn(server, config, () => NOW).repository('acme/shop', call);

  describe('account', () => {
    const account = (config: object = {}) => hostOn(server, config, () => NOW).account(call);

    it('is that of the token', async () => {
      assert.deepEqual(await account(), { login: 'casey', warnings: [] });
      const { password, username } = await hostOn(server).gitCredential(call);
      assert.deepEqual([username, password], ['x-access-token', server.token]);
    });

    it('warns of scopes that are lacking or too many', async () => {
      server.tokens.get(server.token)!.scopes = 'public_repo, delete_repo, admin:org, admin:repo_hook';
      const { warnings } = await account();
      assert.deepEqual(
        warnings.map((warning) => /scope (?<scope>[\w:]+)/u.exec(warning)?.groups?.['scope']),
        ['repo', 'workflow', 'delete_repo', 'admin:org'],
      );
    });

    it('warns of a fine-grained token that expires soon', async () => {
      const token = { login: 'casey', repositories: new Set<string>(), expiresAt: NOW + 20 * 86_400_000 };
      server.tokens.set('github_pat_1234', token);
      assert.deepEqual((await account({ token: 'github_pat_1234' })).warnings, []);
      token.expiresAt = NOW + 3 * 86_400_000;
      assert.deepEqual((await account({ token: 'github_pat_1234' })).warnings, ['The token expires on 2026-06-04.']);
    });

    it('has the version of Enterprise Server', async () => {
      assert.equal((await account({ url: server.enterpriseUrl })).version, '3.19.1');
      assert.ok(server.requests.every(({ path }) => path.startsWith('/api/v3/')));
    });
  });

  it('works with a base URL that ends with a slash', async () => {
    assert.equal((await repository({ url: `${server.enterpriseUrl}/` })).fullName, 'acme/shop');
  });

  it('says which version of the API it speaks', async () => {
    await repository();
    assert.equal(server.requests.at(-1)?.headers['x-github-api-version'], '2022-11-28');
  });

  describe('what is asked again', () => {
    it('is not sent again if it is the same', async () => {
      const host = hostOn(server);
      const first = await host.repository('acme/shop', call);
      const left = server.limit.remaining;
      assert.deepEqual(await host.repository('acme/shop', call), first);
      assert.equal(server.notModified, 1);
      assert.equal(server.limit.remaining, left);
      server.repositories[0]!.defaultBranch = 'trunk';
      assert.equal((await host.repository('acme/shop', call)).defaultBranch, 'trunk');
      assert.equal(server.notModified, 1);
    });

    it('is not what another credential sees', async () => {
      const host = hostOn(server);
      await host.repository('acme/shop', call);
      server.tokens.get(server.token)!.repositories.clear();
      await refused(host.repository('acme/shop', call), 'not_found');
    });
  });

  describe('refusals', () => {
    it('of a credential', async () => {
      await refused(repository({ token: 'ghp_wrong' }), 'unauthorized');
      server.tokens.get(server.token)!.permissions = { contents: 'read' };
      const branches = await hostOn(server).branches('acme/shop', call);
      assert.equal(branches.length, 1);
      await refused(
        hostOn(server).registerWebhook('acme/shop', { url: 'https://a.example', secret: 's' }, call),
        'forbidden',
      );
    });

    it('of the primary limit ask for a pause until there are more requests', async () => {
      server.limit = { remaining: 0, resetsAt: NOW / 1000 + 90 };
      assert.equal((await refused(repository(), 'limited')).retryAfterMs, 90_000);
    });

    it('of a secondary limit ask for the pause that GitHub names, or for a minute', async () => {
      const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
      server.next({ status: 403, body: { message }, headers: { 'retry-after': '17' } });
      assert.equal((await refused(repository(), 'limited')).retryAfterMs, 17_000);
      server.next({ status: 429, body: { message } }, { status: 403, body: { message } });
      assert.equal((await refused(repository(), 'limited')).retryAfterMs, 60_000);
      assert.equal((await refused(repository(), 'limited')).retryAfterMs, 60_000);
      assert.equal(server.requests.length, 3, 'nothing is repeated');
    });

    it('of names that no repository has are not asked for', async () => {
      const host = hostOn(server);
      for (const name of ['shop', 'acme/shop/more', '../shop', 'acme/..', 'acme/sh op', 'acme/shop?x=1', 'acme/%2e%2e'])
        await refused(host.repository(name, call), 'not_found');
      await refused(host.run('acme/shop', '1/../2', call), 'not_found');
      assert.equal(server.requests.length, 0);
    });
  });

  describe('hostile answers', () => {
    it('of other servers are unavailable', async () => {
      const bodies = [
        'garbage',
        { status: 200, body: { id: 'x' } },
        { status: 200, body: [] },
        { status: 502 },
      ] as const;
      for (const body of bodies) {
        server.next(body);
        await refused(repository(), 'unavailable');
      }
    });

    it('that never end are given up', async () => {
      server.next('huge');
      const { message } = await refused(repository(), 'unavailable');
      assert.match(message, /more than \d+ bytes/u);
    });

    it('that never come are given up when the caller does', async () => {
      server.next('hang');
      const controller = new AbortController();
      const asked = hostOn(server).repository('acme/shop', { signal: controller.signal });
      await waitUntil(() => server.requests[0], { what: 'the request' });
      controller.abort(new Error('enough'));
      await assert.rejects(asked, /enough/u);
      await waitUntil(() => server.abandoned() || undefined, { what: 'the end of the request' });
    });

    it('that repeat the token do not bring it into the error', async () => {
      server.next('echo');
      const error = await refused(repository(), 'unavailable');
      assert.ok(!inspect(error, { depth: 20, showHidden: true }).includes(server.token), inspect(error));
      server.next({ status: 422, body: { message: `Bad ${server.token}` } });
      const refusal = await refused(repository(), 'invalid');
      assert.ok(!inspect(refusal, { depth: 20, showHidden: true }).includes(server.token));
    });

    it('cannot send the token elsewhere', async () => {
      server.next({ status: 301, headers: { location: `${server.storageUrl}/repos/acme/shop` } });
      await refused(repository(), 'unavailable');
      const link = `<${server.storageUrl}/user/repos?page=2>; rel="next"`;
      server.next({ status: 200, headers: { link, 'content-type': 'application/json' }, body: [] });
      assert.deepEqual(await Array.fromAsync(hostOn(server).repositories(call)), []);
      assert.match(server.requests.at(-1)!.path, /^\/user\/repos\?.*page=2$/u);
      assert.equal(server.storageRequests.length, 0);
    });

    it('to a repository that was renamed are followed', async () => {
      server.next({ status: 301, headers: { location: `${server.url}/repos/acme/shop` } });
      assert.equal((await hostOn(server).repository('acme/old-shop', call)).fullName, 'acme/shop');
    });
  });

  it('goes only where the network allows', async () => {
    const network = {
      lookup: () => assert.fail('resolved'),
      hostProblem: () => 'is not allowed',
      urlProblem: (url: string) => `${new URL(url).hostname} is not allowed`,
    };
    const host = openGitHub(gitHubConfig.parse({ url: server.url, token: server.token }), { network });
    const { message } = await refused(host.repository('acme/shop', call), 'unavailable');
    assert.match(message, /is not allowed/u);
    assert.equal(server.requests.length, 0);
  });

  describe('configuration', () => {
    const problems = (config: object): string[] =>
      (gitHubConfig.safeParse(config).error?.issues ?? []).map(({ path }) => path.join('.'));

    it('is either a token or an App, and whole', () => {
      assert.deepEqual(problems({ token: 'ghp_1' }), []);
      assert.deepEqual(problems({}), ['token']);
      assert.deepEqual(problems({ token: 'ghp_1', app_id: 1 }), ['token', 'private_key', 'installation_id']);
      assert.deepEqual(problems({ app_id: '1', installation_id: 'x', private_key: 'y' }), [
        'private_key',
        'installation_id',
      ]);
      assert.deepEqual(problems({ token: 'ghp_1', url: 'ftp://github.example' }), ['url']);
    });

    it('asks github.com unless told otherwise', () => {
      assert.equal(gitHubConfig.parse({ token: 'ghp_1' }).url, 'https://api.github.com');
    });
  });
});
