/** Connecting GitHub over the API, with a token and with an App, against a server that keeps to its description. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startGitHubServer, type GitHubServer } from '../../support/github-server.ts';

const PATH = '/api/code-hosts/github';

describe('connecting GitHub', () => {
  let github: GitHubServer;
  let api: ApiOverRows;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

  before(async () => {
    github = await startGitHubServer();
    github.addRepository('shop/checkout');
    github.app = {
      id: '4711',
      slug: 'casebook',
      publicKey,
      installation: {
        id: 815,
        account: 'shop',
        permissions: { contents: 'write', metadata: 'read', pull_requests: 'write', actions: 'write' },
        repositories: new Set(['shop/checkout']),
      },
      isSuspended: false,
      tokenLifeMs: 3_600_000,
      minted: [],
    };
    // Nothing outside can reach this installation, and only the operator's GitHub is allowed inside.
    api = await startApiOverRows({ CASEBOOK_GITHUB_API_URL: github.url, CASEBOOK_APP_URL: 'http://localhost:3000' });
  });
  after(async () => {
    await api?.stop();
    await github?.stop();
  });

  const connect = (body: object) => api.request('POST', PATH, body);
  const app = { app_id: '4711', installation_id: '815', private_key: privateKey };

  it('stores nothing that is incomplete, contradictory or refused, and says which field is at fault', async () => {
    const cases: [object, string][] = [
      [{}, 'token'],
      [{ token: github.token, ...app }, 'token'],
      [{ app_id: '4711' }, 'private_key'],
      [{ ...app, app_id: 'casebook' }, 'app_id'],
      [{ ...app, private_key: 'no key' }, 'private_key'],
      [{ ...app, installation_id: '816' }, 'private_key'],
      [{ token: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' }, 'token'],
      // That the operator's GitHub is inside does not open the way for those that teams name.
      [{ token: github.token, url: github.url }, 'url'],
    ];
    for (const [body, field] of cases) {
      const answer = await connect(body);
      const what = `${Object.keys(body).join()}: ${JSON.stringify(answer.body)}`;
      assert.equal(answer.status, 422, what);
      assert.ok(
        answer.body.detail.some(({ loc }: { loc: string[] }) => loc[1] === field),
        what,
      );
      assert.ok(!what.includes('PRIVATE KEY') && !what.includes('ghp_'), what);
    }
    const em = forTeam(api.database.orm.em, api.teamId);
    assert.equal(await em.count(Integration, {}), 0);
  });

  it('connects with a token, and shows the webhook to set up by hand where no host can reach it', async () => {
    const { status, body } = await connect({ token: github.token });
    assert.equal(status, 200, JSON.stringify(body));
    const { code_host: host, webhook } = body;
    assert.deepEqual([host.name, host.vendor, host.url, host.repositories], ['GitHub', 'GitHub', github.url, 1]);
    assert.ok(!JSON.stringify(body).includes(github.token));
    assert.equal(host.credential, `…${github.token.slice(-4)}`);
    assert.deepEqual(
      [webhook.url, webhook.registered],
      ['http://localhost:3000/api/workspace/webhook/codehost-a', false],
    );
    assert.match(webhook.problem, /localhost/u);
    assert.ok(webhook.secret.length >= 40);
    assert.deepEqual(github.repositories[0]?.hooks, []);
    const again = await connect({ token: github.token });
    assert.equal(again.body.webhook.secret, webhook.secret, 'the secret stays the same');
  });

  it('connects an App beside it', async () => {
    const { status, body } = await connect({ name: 'GitHub of the shop', ...app });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.code_host.source_id, 'integration:github-of-the-shop');
    assert.ok(body.code_host.warnings.length > 0, 'its permissions do not suffice for webhooks');
    const { body: listed } = await api.get('/api/code-hosts');
    assert.deepEqual(
      listed.code_hosts.map((one: { name: string }) => one.name),
      ['GitHub', 'GitHub of the shop'],
    );
    const { body: found } = await api.get('/api/code-hosts/repositories');
    assert.equal(found.repositories.length, 2, 'of each its own');
  });
});
