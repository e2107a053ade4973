import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { github, TEST_CONNECTION } from '@casebook/connectors';
import { startGitHubServer, type GitHubServer } from '../../support/github-server.ts';
import { ask, connectorOf } from '../stores/support.ts';
import { sha } from './github-support.ts';

const NOW = Date.UTC(2026, 4, 1);

describe('satellite connector: github', () => {
  let server: GitHubServer;
  beforeEach(async () => {
    server = await startGitHubServer({ now: () => NOW });
    server.addRepository('acme/shop');
    server.addRepository('acme/web');
  });
  afterEach(() => server.stop());

  const connect = (config: object = {}) => connectorOf(github, { url: server.url, token: server.token, ...config });

  it('says whose credential it has, and what it sees', async () => {
    const test = await ask(connect({ url: server.enterpriseUrl }), TEST_CONNECTION);
    const { latencyMs: _, ...rest } = test as { latencyMs: number };
    assert.deepEqual(rest, {
      status: 'ok',
      message: 'Connected to GitHub as casey.',
      version: '3.19.1',
      warnings: [],
      resources: server.repositories.map(({ id, owner, name }) => ({ id: String(id), name: `${owner}/${name}` })),
    });
    await connect().check(new AbortController().signal);
  });

  it('names the setting at fault', async () => {
    const field = async (config: object) => {
      const { status, field: name } = (await ask(connect(config), TEST_CONNECTION)) as Record<string, string>;
      return [status, name];
    };
    assert.deepEqual(await field({ token: 'ghp_wrong' }), ['refused', 'token']);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const app = { token: undefined, app_id: 1, installation_id: 2, private_key };
    assert.deepEqual(await field(app), ['refused', 'private_key']);
    server.next({ status: 404, body: { message: 'Not Found' } });
    assert.deepEqual(await field({}), ['unreachable', 'url']);
  });

  it('has changes of services, which are repositories', async () => {
    for (const repository of server.repositories)
      repository.deployments.push({
        id: repository.id,
        commit: sha('a'),
        ref: 'main',
        environment: 'production',
        createdAt: NOW,
        creator: 'bot',
      });
    const window = { from: NOW / 1000, to: NOW / 1000 + 1 };
    const all = (await ask(connect(), 'changes', window)) as { changes: { service: string }[] };
    assert.deepEqual(all.changes.map(({ service }) => service).toSorted(), ['shop', 'web']);
    const [, web] = server.repositories;
    assert.deepEqual(await ask(connect(), 'changes', { ...window, service: 'web' }), {
      changes: [
        {
          id: `acme/web:deployment:${web!.id}`,
          at: NOW / 1000,
          kind: 'deployment',
          service: 'web',
          summary: 'Deployed main to production',
          commit: sha('a'),
          author: 'bot',
        },
      ],
      truncated: false,
    });
  });
});
