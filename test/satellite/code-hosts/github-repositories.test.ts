import assert from 'node:assert/strict';
import type { CodeHost } from '@casebook/connectors';
import { startGitHubServer, type FakeRepository, type GitHubServer } from '../../support/github-server.ts';
import { call, hostOn, refused, sha } from './github-support.ts';

const START = Date.UTC(2026, 4, 1);
const at = (minute: number): number => START + minute * 60_000;

describe('code host: GitHub, repositories', () => {
  let server: GitHubServer;
  let host: CodeHost;
  let shop: FakeRepository;
  let time: number;
  beforeEach(async () => {
    time = at(0);
    server = await startGitHubServer({ now: () => time });
    shop = server.addRepository('acme/shop', { isPrivate: false });
    host = hostOn(server);
  });
  afterEach(() => server.stop());

  it('are listed page by page, and only as far as they are wanted', async () => {
    for (let index = 0; index < 249; index++) server.addRepository(`acme/r${index}`, { isArchived: index === 7 });
    const all = await Array.fromAsync(host.repositories(call));
    assert.equal(all.length, 250);
    assert.equal(server.requests.length, 3);
    assert.deepEqual(
      all.filter(({ isArchived }) => isArchived).map(({ fullName }) => fullName),
      ['acme/r7'],
    );
    for await (const _ of host.repositories(call)) break;
    assert.equal(server.requests.length, 4);
  });

  it('are described with what Git needs', async () => {
    assert.deepEqual(await host.repository('acme/shop', call), {
      id: String(shop.id),
      fullName: 'acme/shop',
      defaultBranch: 'main',
      cloneUrl: `${server.url}/acme/shop.git`,
      webUrl: `${server.url}/acme/shop`,
      isPrivate: false,
      isArchived: false,
    });
    await refused(host.repository('acme/other', call), 'not_found');
  });

  it('have branches, some of them protected', async () => {
    for (let index = 0; index < 120; index++)
      shop.branches.set(`b${index}`, { commit: sha('a'), isProtected: index === 3 });
    const branches = await host.branches('acme/shop', call);
    assert.equal(branches.length, 121);
    assert.deepEqual(
      branches.filter(({ isProtected }) => isProtected),
      [{ name: 'b3', commit: sha('a'), isProtected: true }],
    );
  });

  describe('changes', () => {
    const changes = (from: number, to: number) =>
      host.changes('acme/shop', { from: at(from) / 1000, to: at(to) / 1000 }, call);
    /** Opens a request, and merges it at a minute. */
    const merge = async (name: string, minute: number): Promise<void> => {
      shop.branches.set(name, { commit: sha('f'), isProtected: false });
      const wanted = { head: name, base: 'main', title: `Change ${name}`, body: '', isDraft: false };
      const { number } = await host.createPullRequest('acme/shop', wanted, call);
      time = at(minute);
      server.merge(
        shop,
        shop.pulls.find((pull) => pull.number === number)!,
      );
    };

    it('are merged requests, releases and deployments, in order of time', async () => {
      await merge('limit', 10);
      shop.releases.push(
        {
          tag: 'v2',
          name: 'Two',
          target: sha('b'),
          isDraft: false,
          createdAt: at(1),
          publishedAt: at(12),
          author: 'ann',
        },
        { tag: 'v3', name: null, target: 'main', isDraft: true, createdAt: at(2), publishedAt: at(12), author: 'ann' },
      );
      shop.deployments.push({
        id: 5,
        commit: sha('b'),
        ref: 'v2',
        environment: 'production',
        createdAt: at(11),
        creator: 'bot',
        states: ['success'],
      });
      const web = `${server.url}/acme/shop`;
      assert.deepEqual(await changes(0, 60), [
        {
          id: 'pull_request:1',
          at: at(10) / 1000,
          kind: 'merge',
          summary: 'Merged #1: Change limit',
          commit: shop.branches.get('main')!.commit,
          author: 'casey',
          url: `${web}/pull/1`,
        },
        {
          id: 'deployment:5',
          at: at(11) / 1000,
          kind: 'deployment',
          summary: 'Deployed v2 to production',
          commit: sha('b'),
          author: 'bot',
        },
        {
          id: 'release:v2',
          at: at(12) / 1000,
          kind: 'release',
          summary: 'Released v2: Two',
          commit: sha('b'),
          author: 'ann',
          url: `${web}/releases/tag/v2`,
        },
      ]);
    });

    it('are what the token may read', async () => {
      await merge('limit', 10);
      server.tokens.get(server.token)!.permissions = { pull_requests: 'read', contents: 'read' };
      assert.deepEqual(
        (await changes(0, 60)).map(({ id }) => id),
        ['pull_request:1'],
      );
    });

    it('include deployments that succeeded, and those of which nobody says what became', async () => {
      const states: FakeRepository['deployments'][number]['states'][] = [
        ['queued', 'in_progress', 'success'],
        ['in_progress', 'success', 'inactive'],
        ['in_progress', 'failure'],
        ['error'],
        ['queued', 'pending'],
        undefined,
      ];
      for (const [id, each] of states.entries())
        shop.deployments.push({
          id,
          commit: sha('b'),
          ref: 'main',
          environment: 'production',
          createdAt: at(id),
          creator: 'bot',
          states: each,
        });
      const ids = async () => (await changes(0, 60)).map(({ id }) => id);
      assert.deepEqual(await ids(), ['deployment:0', 'deployment:1', 'deployment:5']);
    });

    it('do not take a request for each of very many deployments', async () => {
      for (let id = 0; id < 50; id++)
        shop.deployments.push({
          id,
          commit: sha('b'),
          ref: 'main',
          environment: 'test',
          createdAt: at(id),
          creator: 'bot',
          states: ['failure'],
        });
      assert.equal((await changes(0, 60)).length, 20);
      assert.equal(server.requests.filter(({ path }) => path.includes('/statuses')).length, 30);
    });

    it('lie in a half-open window', async () => {
      await merge('one', 10);
      await merge('two', 20);
      const numbers = async (from: number, to: number) => (await changes(from, to)).map(({ id }) => id);
      assert.deepEqual(await numbers(10, 20), ['pull_request:1']);
      assert.deepEqual(await numbers(11, 21), ['pull_request:2']);
    });

    it('do not include requests that were closed without a merge', async () => {
      await merge('one', 10);
      shop.branches.set('two', { commit: sha('e'), isProtected: false });
      await host.createPullRequest(
        'acme/shop',
        { head: 'two', base: 'main', title: 'x', body: '', isDraft: false },
        call,
      );
      await host.updatePullRequest('acme/shop', 2, { state: 'closed' }, call);
      assert.deepEqual(
        (await changes(0, 60)).map(({ id }) => id),
        ['pull_request:1'],
      );
    });

    it('are found among many that are older without reading these', async () => {
      for (let index = 0; index < 450; index++)
        shop.deployments.push({
          id: index,
          commit: sha('b'),
          ref: 'main',
          environment: 'test',
          createdAt: at(index),
          creator: 'bot',
        });
      for (let index = 0; index < 450; index++)
        shop.pulls.push({
          number: index + 1,
          title: 'x',
          body: null,
          head: `h${index}`,
          base: 'main',
          state: 'closed',
          isDraft: false,
          headCommit: sha('c'),
          author: 'ann',
          createdAt: at(index),
          updatedAt: at(index),
          mergedAt: at(index),
          reviews: [],
        });
      assert.equal((await changes(440, 450)).length, 20);
      assert.equal(server.requests.filter(({ path }) => /\/deployments(?:\?|$)/u.test(path)).length, 1);
      assert.equal(server.requests.filter(({ path }) => path.includes('/pulls')).length, 1);
      assert.equal((await changes(290, 450)).length, 320);
    });
  });

  describe('webhooks', () => {
    const wanted = { url: 'https://casebook.example/hook', secret: 'first-secret' };

    it('are registered once for a URL', async () => {
      shop.hooks.push({ id: 1, url: 'https://ci.example', secret: 'x', events: ['push'], active: true });
      const first = await host.registerWebhook('acme/shop', wanted, call);
      const again = await host.registerWebhook('acme/shop', { ...wanted, secret: 'second-secret' }, call);
      assert.deepEqual(again, first);
      assert.equal(server.requests.filter(({ method }) => method === 'POST').length, 1);
      assert.deepEqual(
        shop.hooks.map(({ url, secret, active }) => ({ url, secret, active })),
        [
          { url: 'https://ci.example', secret: 'x', active: true },
          { url: wanted.url, secret: 'second-secret', active: true },
        ],
      );
      assert.ok(
        ['push', 'create', 'delete', 'pull_request', 'workflow_run'].every((event) =>
          shop.hooks[1]!.events.includes(event),
        ),
      );
    });

    it('are registered once by two at the same time', async () => {
      const [first, second] = await Promise.all([
        host.registerWebhook('acme/shop', wanted, call),
        host.registerWebhook('acme/shop', wanted, call),
      ]);
      assert.deepEqual(first, second);
      assert.equal(shop.hooks.length, 1);
    });

    it('are removed, which is harmless if they are gone', async () => {
      const { id } = await host.registerWebhook('acme/shop', wanted, call);
      await host.removeWebhook('acme/shop', id, call);
      await host.removeWebhook('acme/shop', id, call);
      assert.deepEqual(shop.hooks, []);
    });

    it('have secrets that no error repeats', async () => {
      server.next({ status: 200, body: [] }, 'echo');
      const { message } = await refused(host.registerWebhook('acme/shop', wanted, call), 'unavailable');
      assert.ok(!message.includes('first-secret'), message);
    });
  });
});
