/** Connecting a code host with a token, over the API and against a real Gitea. */
import assert from 'node:assert/strict';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Repository } from '../../../src/features/code-hosts/entities.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startGitea, type TestGitea } from '../../support/gitea.ts';
import { startHttpReceiver } from '../../support/http-receiver.ts';

const PATH = '/api/code-hosts/gitea';
const WRONG = '0123456789abcdef0123456789abcdef01234567';

describe('connecting Gitea', () => {
  let gitea: TestGitea;
  let api: ApiOverRows;
  let token: string;

  before(async () => {
    gitea = await startGitea();
    ({ token } = gitea.admin);
    for (const name of ['shop', 'prices'])
      await gitea.api('POST', '/user/repos', { name, auto_init: true, private: true, default_branch: 'main' });
    api = await startApiOverRows({
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
      CASEBOOK_APP_URL: 'http://127.0.0.1:3000',
    });
  });
  after(async () => {
    await api?.stop();
    await gitea?.stop();
  });

  const em = () => forTeam(api.database.orm.em, api.teamId);
  const connect = (body: object) => api.request('POST', PATH, { url: gitea.url, token, ...body });
  const hooksOf = async (name: string) =>
    (await gitea.api('GET', `/repos/${gitea.admin.username}/${name}/hooks`)) as { config: { url: string } }[];

  it('stores nothing for a wrong token, another kind of server, a closed port, or an address that is not public', async () => {
    const other = await startHttpReceiver((_request, response) => response.end('<html>Sign in</html>'));
    const cases: [object, number, string | undefined][] = [
      [{ token: WRONG }, 422, 'token'],
      [{ token: 'line\nbreak' }, 422, 'token'],
      [{ url: other.url }, 503, undefined],
      [{ url: 'http://127.0.0.1:1' }, 503, undefined],
      [{ url: 'http://10.1.2.3:3000' }, 422, 'url'],
      [{ url: 'https://user:secret@gitea.example' }, 422, 'url'],
      [{ url: 'ftp://127.0.0.1' }, 422, 'url'],
      [{ name: '…' }, 422, 'name'],
      [{ name: 'GitLab' }, 422, 'name'],
    ];
    for (const [body, status, field] of cases) {
      const answer = await connect(body);
      const what = `${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`;
      assert.equal(answer.status, status, what);
      if (field !== undefined) assert.equal(answer.body.detail[0].loc[1], field, what);
      assert.ok(!what.includes(token) && !JSON.stringify(answer.body).includes(WRONG), what);
    }
    await other.stop();
    assert.equal(await em().count(Integration, {}), 0);
  });

  it('makes one connection of two requests at once, lists its repositories, and registers their webhooks', async () => {
    const [one, two] = await Promise.all([connect({}), connect({})]);
    assert.deepEqual([one.status, two.status], [200, 200], JSON.stringify([one.body, two.body]));
    assert.equal(one.body.code_host.id, two.body.code_host.id);
    const { body } = await api.get('/api/code-hosts');
    assert.equal(body.code_hosts.length, 1);
    const [host] = body.code_hosts;
    assert.deepEqual(
      [host.vendor, host.name, host.url, host.repositories, host.webhooks],
      ['Gitea', 'Gitea', gitea.url, 2, 2],
    );
    assert.equal(host.version, '1.26.0');
    const repositories = (await api.get('/api/code-hosts/repositories')).body.repositories;
    assert.deepEqual(
      repositories.map(({ full_name, head, up_to_date, webhook }: Record<string, unknown>) => [
        full_name,
        head,
        up_to_date,
        webhook,
      ]),
      ['prices', 'shop'].map((name) => [`${gitea.admin.username}/${name}`, null, false, true]),
    );
    const { body: second } = await api.get('/api/code-hosts/repositories?page=2&count=1');
    assert.deepEqual([second.page, second.count, second.total], [2, 1, 2]);
    assert.deepEqual(second.repositories, repositories.slice(1));
    for (const name of ['shop', 'prices'])
      assert.deepEqual(
        (await hooksOf(name)).map(({ config }) => config.url),
        ['http://127.0.0.1:3000/api/workspace/webhook/codehost-a'],
      );
  });

  it('changes nothing when the request is repeated, and replaces the token when there is another', async () => {
    const before = await em().findOneOrFail(Integration, {});
    assert.equal((await connect({})).status, 200);
    const same = await em().findOneOrFail(Integration, {});
    assert.equal(same.revision, before.revision);
    const { token: other } = await gitea.createUser('ann');
    const replaced = await connect({ token: other });
    assert.equal(replaced.status, 200, JSON.stringify(replaced.body));
    const after = await em().findOneOrFail(Integration, {});
    assert.deepEqual([after.id, after.revision], [before.id, before.revision + 1]);
    // She sees none of them: their mirrors are to be collected.
    assert.deepEqual((await api.get('/api/code-hosts/repositories')).body.repositories, []);
    assert.equal((await connect({})).status, 200);
    assert.equal((await api.get('/api/code-hosts/repositories')).body.repositories.length, 2);
  });

  it('refuses the name of another connection', async () => {
    const answer = await connect({ url: `${gitea.url}/other` });
    assert.deepEqual([answer.status, answer.body.code], [409, 'name_taken'], JSON.stringify(answer.body));
  });

  it('has the scopes that it names', async () => {
    const reader = await api.keyWith('code-hosts:read');
    assert.equal((await api.get('/api/code-hosts', reader)).status, 200);
    assert.equal((await api.request('POST', PATH, { url: gitea.url, token }, reader)).status, 403);
    const other = await api.keyWith('integrations:write');
    assert.equal((await api.get('/api/code-hosts', other)).status, 403);
  });

  it('is removed with its webhooks', async () => {
    const [host] = (await api.get('/api/code-hosts')).body.code_hosts;
    const removed = await api.request('DELETE', `/api/code-hosts/${host.id}`);
    assert.deepEqual(removed.body, { id: host.id, removed: true });
    assert.deepEqual(await hooksOf('shop'), []);
    assert.deepEqual((await api.get('/api/code-hosts')).body.code_hosts, []);
    assert.equal(await em().count(Repository, { integrationId: { $ne: null } }), 0);
    const again = await api.request('DELETE', `/api/code-hosts/${host.id}`);
    assert.deepEqual([again.status, again.body.code], [404, 'code_host_not_found']);
  });
});
