/** Google Cloud with a person's consent and with a service account, against a server that speaks its protocols. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { createVault } from '../../../src/features/integrations/vault.ts';
import { createSecretBox } from '../../../src/platform/secrets.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startGoogleCloudServer, type GoogleCloudServer } from '../../support/google-cloud-server.ts';

/** Two prefixes with the same endpoints; each has names of its own for what it connects. */
const FAMILIES = [
  { family: 'cloud-b', other: 'cloud-b-official', account: 'google-cloud-service-account' },
  { family: 'cloud-b-official', other: 'cloud-b', account: 'google-cloud-official-service-account' },
] as const;
const KEY = randomBytes(32);
const vault = createVault(createSecretBox([KEY]));

for (const { family, other: otherFamily, account } of FAMILIES)
  describe(`connecting Google Cloud under ${family}`, () => {
    const PATH = `/api/onboarding/${family}`;
    let google: GoogleCloudServer;
    let api: ApiOverRows;

    before(async () => {
      google = await startGoogleCloudServer();
      api = await startApiOverRows({
        CASEBOOK_SECRET_KEY: KEY.toString('hex'),
        GOOGLE_OAUTH_URL: google.oauthUrl,
        GOOGLE_API_URL: google.apiUrl,
        GOOGLE_CLIENT_ID: google.oauth.client.clientId,
        GOOGLE_CLIENT_SECRET: google.oauth.client.clientSecret,
        CASEBOOK_APP_URL: 'http://127.0.0.1:3000',
      });
      google.oauth.client.redirectUris.push('http://127.0.0.1:3000/integrations/callback');
    });
    after(async () => {
      await api?.stop();
      await google?.stop();
    });

    const rows = () => forTeam(api.database.orm.em, api.teamId).find(Integration, {});
    const begin = async (body: object = { project_id: google.project }) => {
      const answer = await api.request('POST', `${PATH}/connect`, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body as { authorization_url: string; state: string; status: string };
    };
    /** What the browser brings back. */
    const consent = async (url: string): Promise<{ code: string; state: string }> => {
      const response = await fetch(url, { redirect: 'manual' });
      const { searchParams } = new URL(response.headers.get('location') ?? 'http://none');
      return { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' };
    };
    const callback = (body: object, key?: string) => api.request('POST', `${PATH}/callback`, body, key);

    it('asks for consent with state and PKCE, and stores what comes back once', async () => {
      const { authorization_url, state, status } = await begin();
      const asked = new URL(authorization_url).searchParams;
      assert.equal(status, 'authorize');
      assert.deepEqual(
        [asked.get('state'), asked.get('code_challenge_method'), asked.get('access_type')],
        [state, 'S256', 'offline'],
      );
      assert.ok((asked.get('code_challenge') ?? '').length >= 43);
      assert.deepEqual((await api.get('/api/integrations')).body.integrations, [], 'nothing is connected yet');
      const back = await consent(authorization_url);
      assert.equal((await callback({ ...back, state: `${back.state}x` })).status, 422, 'another state');
      const done = await callback(back);
      assert.deepEqual([done.status, done.body.status], [200, 'connected'], JSON.stringify(done.body));
      assert.equal((await callback(back)).status, 422, 'a state is used once');
      const { body } = await api.get(`${PATH}/status`);
      assert.deepEqual([body.connected, body.default_account_id], [true, google.project]);
      assert.equal(body.tool_server, family === 'cloud-b' ? null : 'built_in');
      assert.ok(Math.abs(Date.now() - Date.parse(body.last_checked_at)) < 600_000, body.last_checked_at);
      assert.equal(body.integration.connected_by, 'Admin');
      assert.deepEqual(body.integration.capabilities, ['logs', 'changes', 'tools']);
    });

    it('uses a state for its family and caller only, and no state twice, even if the code is refused', async () => {
      const before = await rows();
      const { authorization_url } = await begin();
      const back = await consent(authorization_url);
      const others = await api.request('POST', `/api/onboarding/${otherFamily}/callback`, back);
      assert.equal(others.status, 422, 'of the other family');
      assert.equal((await callback(back, await api.keyWith('integrations:write'))).status, 422, "another caller's");
      assert.equal((await callback(back)).status, 422, 'it was taken by then');
      const { authorization_url: again } = await begin();
      const { state } = await consent(again);
      const refused = await callback({ code: 'made-up', state });
      assert.deepEqual([refused.status, refused.body.detail[0].loc], [422, ['body', 'code']]);
      assert.deepEqual(
        (await rows()).map(({ id, revision }) => [id, revision]),
        before.map(({ id, revision }) => [id, revision]),
      );
    });

    it('takes no code once the consent has expired, and does not send it to Google', async () => {
      const { authorization_url } = await begin();
      const back = await consent(authorization_url);
      const manager = forTeam(api.database.orm.em, api.teamId);
      const row = await manager.findOneOrFail(Integration, { pending: { $ne: null } });
      const kept = JSON.parse(vault.openText(row, row.pending!));
      assert.ok(kept.until > Date.now() + 9 * 60_000, 'ten minutes');
      row.pending = vault.sealText(row, JSON.stringify({ ...kept, until: Date.now() - 1 }));
      await manager.flush();
      const [before, asked] = [await rows(), google.calls('token').length];
      const answer = await callback(back);
      assert.deepEqual(
        [answer.status, answer.body.detail[0].loc],
        [422, ['body', 'state']],
        JSON.stringify(answer.body),
      );
      assert.equal(google.calls('token').length, asked);
      assert.deepEqual(
        (await rows()).map(({ id, revision, status }) => [id, revision, status]),
        before.map(({ id, revision, status }) => [id, revision, status]),
      );
    });

    it('stores nothing when Google does not answer', async () => {
      const before = (await rows()).map(({ id, revision, status }) => [id, revision, status]);
      const { authorization_url } = await begin();
      const back = await consent(authorization_url);
      google.next('token', { status: 500 });
      const answer = await callback(back);
      assert.deepEqual([answer.status, answer.body.code], [503, 'vendor_unreachable']);
      assert.deepEqual(
        (await rows()).map(({ id, revision, status }) => [id, revision, status]),
        before,
      );
    });

    it('connects with a service account, and names what is wrong with its key', async () => {
      const wrong = await api.request('POST', `${PATH}/sa/connect`, {
        service_account: { ...google.key, private_key_id: 'gone', client_email: 'nobody@shop.iam.gserviceaccount.com' },
        project_id: google.project,
      });
      assert.deepEqual(
        [wrong.status, wrong.body.detail[0].loc[1]],
        [422, 'service_account'],
        JSON.stringify(wrong.body),
      );
      const good = await api.request('POST', `${PATH}/sa/connect`, { service_account: JSON.stringify(google.key) });
      assert.deepEqual([good.status, good.body.status], [200, 'connected'], JSON.stringify(good.body));
      assert.ok(!JSON.stringify(good.body).includes('PRIVATE KEY'));
      const { body } = await api.get(`${PATH}/sa/status`);
      assert.deepEqual([body.connected, body.integration.name], [true, account]);
    });

    describe('without the name of a project', () => {
      const other = { id: 'shop-staging', name: 'Staging' };
      beforeEach(() => api.request('DELETE', `${PATH}/`));
      afterEach(() => {
        google.data.otherProjects = [];
        google.always('cloudresourcemanager', undefined);
      });
      const finish = async () => {
        const { status, body } = await callback(await consent((await begin({})).authorization_url));
        assert.equal(status, 200, JSON.stringify(body));
        return body;
      };
      const choose = (project_id: string) => api.request('POST', `${PATH}/connect`, { project_id });

      it('takes the only one that the person sees', async () => {
        assert.equal((await finish()).status, 'connected');
        assert.equal((await api.get(`${PATH}/status`)).body.default_account_id, google.project);
      });

      it('lets the person choose one of several, without another consent', async () => {
        google.data.otherProjects = [other];
        const { status, integration } = await finish();
        assert.deepEqual([status, integration.status], ['select_account', 'select_account']);
        assert.deepEqual(integration.resources, [{ id: google.project, name: 'Shop' }, other]);
        const asked = google.calls('token').length;
        const wrong = await choose('shop-nowhere');
        assert.deepEqual(
          [wrong.status, wrong.body.detail[0].loc],
          [422, ['body', 'project_id']],
          JSON.stringify(wrong.body),
        );
        const chosen = await choose(google.project);
        assert.deepEqual([chosen.status, chosen.body.status], [200, 'connected'], JSON.stringify(chosen.body));
        assert.equal(google.calls('token').length, asked);
        assert.equal((await choose(google.project)).body.status, 'authorize', 'it is connected: this is a new sign-in');
        assert.equal((await finish()).status, 'connected', 'which keeps the project');
      });

      it('lets the person name one if they cannot be listed, and asks again for a consent that was revoked', async () => {
        google.always('cloudresourcemanager', { status: 403, body: {} });
        const first = await finish();
        assert.deepEqual([first.status, first.integration.resources], ['select_account', []]);
        assert.equal((await choose(google.project)).body.status, 'connected');
        await api.request('DELETE', `${PATH}/`);
        await finish();
        const row = (await rows()).find(({ slug }) => `${slug}-service-account` === account)!;
        const sealed = vault.seal(row, { ...vault.open(row), expires_at: Date.now() });
        await forTeam(api.database.orm.em, api.teamId).nativeUpdate(Integration, { id: row.id }, { sealed });
        google.oauth.refusesRefresh = true;
        assert.equal((await choose(google.project)).body.status, 'authorize');
        google.oauth.refusesRefresh = false;
      });
    });

    it('asks to read only: error groups say what they need', async () => {
      const { authorization_url } = await begin();
      const scopes = new URL(authorization_url).searchParams.get('scope')!.split(' ');
      assert.deepEqual(
        scopes.filter((scope) => !/(?:read-only|\.read|\.readonly)$/u.test(scope)),
        [],
      );
      const { body } = await callback(await consent(authorization_url));
      assert.equal(body.status, 'connected', JSON.stringify(body));
      const [warning] = body.integration.warnings;
      assert.match(warning, /cloud-platform.*connect a service account/u);
    });

    it('is removed, and leaves the service account', async () => {
      assert.deepEqual((await api.request('DELETE', `${PATH}/`)).body, { removed: true });
      assert.deepEqual((await api.request('DELETE', `${PATH}/`)).body, { removed: false });
      assert.equal((await api.get(`${PATH}/sa/status`)).body.connected, true);
      assert.deepEqual((await api.request('DELETE', `${PATH}/sa/`)).body, { removed: true });
      assert.equal((await api.get(`${PATH}/sa/status`)).body.connected, false);
      assert.deepEqual(await rows(), []);
    });
  });
