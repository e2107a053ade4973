import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { startGitHubServer, type GitHubServer } from '../../support/github-server.ts';
import { call, hostOn, refused } from './github-support.ts';

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  // As GitHub gives them.
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});
const PERMISSIONS = {
  contents: 'write',
  pull_requests: 'write',
  actions: 'write',
  checks: 'read',
  statuses: 'read',
  deployments: 'read',
  repository_hooks: 'write',
  workflows: 'write',
  metadata: 'read',
} as const;

describe('code host: GitHub App', () => {
  let server: GitHubServer;
  let time: number;
  const config = { app_id: '4711', installation_id: 99, private_key: keys.privateKey };
  const now = (): number => time;

  beforeEach(async () => {
    time = Date.now();
    server = await startGitHubServer({ now });
    server.app = {
      id: '4711',
      slug: 'casebook-acme',
      publicKey: keys.publicKey,
      installation: { id: 99, account: 'acme', permissions: { ...PERMISSIONS }, repositories: new Set() },
      isSuspended: false,
      tokenLifeMs: 3_600_000,
      minted: [],
    };
    server.addRepository('acme/shop');
    server.addRepository('acme/secret');
    server.app.installation.repositories.delete('acme/secret');
  });
  afterEach(() => server.stop());

  const host = (more: object = {}) => hostOn(server, { ...config, ...more }, now);

  it('sees the repositories of its installation', async () => {
    const found = await Array.fromAsync(host().repositories(call));
    assert.deepEqual(
      found.map(({ fullName }) => fullName),
      ['acme/shop'],
    );
    await refused(host().repository('acme/secret', call), 'not_found');
  });

  it('mints one token for everything that is asked until it is about to expire', async () => {
    const one = host();
    await Promise.all([1, 2, 3].map(() => one.repository('acme/shop', call)));
    const { username, password } = await one.gitCredential(call);
    assert.deepEqual([username, password], ['x-access-token', server.app!.minted[0]]);
    time += 45 * 60_000;
    await one.repository('acme/shop', call);
    assert.equal(server.app!.minted.length, 1);
    time += 10 * 60_000;
    assert.equal((await one.gitCredential(call)).password, server.app!.minted[1]);
  });

  it('mints for those who still wait when the first has given up', async () => {
    const one = host();
    const controller = new AbortController();
    const gaveUp = one.repository('acme/shop', { signal: controller.signal });
    const waits = one.repository('acme/shop', call);
    controller.abort(new Error('enough'));
    await assert.rejects(gaveUp, /enough/u);
    assert.equal((await waits).fullName, 'acme/shop');
    assert.equal(server.app!.minted.length, 1);
  });

  it('never gets a token that was minted for another App', async () => {
    const others = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const wrong = others.export({ type: 'pkcs8', format: 'pem' });
    const [right, stolen] = await Promise.allSettled([
      host().gitCredential(call),
      host({ private_key: wrong }).gitCredential(call),
    ]);
    assert.equal(right.status, 'fulfilled');
    assert.equal(stolen.status, 'rejected');
  });

  it('tries again after a failure', async () => {
    const one = host();
    server.next({ status: 503 });
    await refused(one.repository('acme/shop', call), 'unavailable');
    assert.equal((await one.repository('acme/shop', call)).fullName, 'acme/shop');
  });

  it('is unknown with another id, installation or key', async () => {
    await refused(host({ app_id: 4712 }).repository('acme/shop', call), 'unauthorized');
    await refused(host({ installation_id: 98 }).repository('acme/shop', call), 'not_found');
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const wrong = host({ private_key: other.export({ type: 'pkcs8', format: 'pem' }) });
    const error = await refused(wrong.repository('acme/shop', call), 'unauthorized');
    assert.ok(!inspect(error, { depth: 20, showHidden: true }).includes('eyJ'));
  });

  it('has a key whose lines were written as one', async () => {
    const one = host({ private_key: keys.privateKey.replaceAll('\n', String.raw`\n`) });
    assert.equal((await one.repository('acme/shop', call)).fullName, 'acme/shop');
  });

  it('names itself, and the permissions that it lacks or does not need', async () => {
    assert.deepEqual(await host().account(call), { login: 'casebook-acme[bot]', warnings: [] });
    const { checks: _, ...fewer } = PERMISSIONS;
    server.app!.installation.permissions = { ...fewer, contents: 'read', administration: 'write' };
    const { warnings } = await host().account(call);
    assert.deepEqual(
      warnings.map((warning) => /permission (?<name>\w+)/u.exec(warning)?.groups?.['name']),
      ['contents', 'checks', 'administration'],
    );
  });

  it('does not work while its installation is suspended', async () => {
    server.app!.isSuspended = true;
    const { message } = await refused(host().account(call), 'forbidden');
    assert.match(message, /suspended/u);
  });

  it('is refused what it has no permission for', async () => {
    server.app!.installation.permissions = { ...PERMISSIONS, actions: 'read' };
    await refused(host().dispatch('acme/shop', 'x.yml', { ref: 'main', inputs: {} }, call), 'forbidden');
  });

  it('edits its own comment', async () => {
    const [shop] = server.repositories;
    shop!.branches.set('fix', { commit: 'f'.repeat(40), isProtected: false });
    const pull = { head: 'fix', base: 'main', title: 'Fix', body: '', isDraft: false };
    const { number } = await host().createPullRequest('acme/shop', pull, call);
    const first = await host().comment('acme/shop', number, { marker: '<!-- a -->', body: 'one <!-- a -->' }, call);
    assert.equal(
      await host().comment('acme/shop', number, { marker: '<!-- a -->', body: 'two <!-- a -->' }, call),
      first,
    );
    assert.deepEqual(
      shop!.comments.map(({ body, user }) => [body, user]),
      [['two <!-- a -->', 'casebook-acme[bot]']],
    );
  });
});
