/** Tokens that nobody needs any more are revoked at Google, once, whatever fails meanwhile. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { deliverRevocations, STORED_WITHIN_MS } from '../../../src/features/integrations/oauth/revocation.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startGoogleCloudServer, type GoogleCloudServer } from '../../support/google-cloud-server.ts';
import { connectGoogle, googlePath } from '../../support/google-consent.ts';

const OFFICIAL = googlePath('cloud-b-official');
const KIND = 'token_revocation';

describe('tokens that nobody needs any more', () => {
  let google: GoogleCloudServer;
  let api: ApiOverRows;
  let workers: ReturnType<typeof composeRooms>[];
  const closing: AsyncDisposableStack[] = [];

  before(async () => {
    google = await startGoogleCloudServer();
    const env = {
      CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
      GOOGLE_OAUTH_URL: google.oauthUrl,
      GOOGLE_API_URL: google.apiUrl,
      GOOGLE_CLIENT_ID: google.oauth.client.clientId,
      GOOGLE_CLIENT_SECRET: google.oauth.client.clientSecret,
      CASEBOOK_APP_URL: 'http://127.0.0.1:3000',
    };
    api = await startApiOverRows(env);
    google.oauth.client.redirectUris.push('http://127.0.0.1:3000/integrations/callback');
    const config = testConfig({ ...env, DATABASE_URL: api.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const cores = await Promise.all([1, 2].map(() => openCore(config, recordedLog('silent').log)));
    closing.push(...cores.map((core) => core.closing));
    workers = cores.map((core) => composeRooms(core));
  });
  after(async () => {
    for (const stack of closing) await stack.disposeAsync();
    await api?.stop();
    await google?.stop();
  });
  beforeEach(async () => {
    google.always('revoke', undefined);
    google.denied.clear();
    await em().nativeDelete(Integration, {});
    await em().nativeDelete(Effect, {});
  });

  const em = () => forTeam(api.database.orm.em, api.teamId);
  const connect = (path?: string) => connectGoogle(api, { project_id: google.project }, path);
  const connected = async (path?: string) => {
    const { status, body } = await connect(path);
    assert.deepEqual([status, body.status], [200, 'connected'], JSON.stringify(body));
  };
  const remove = async (path = googlePath()) =>
    assert.deepEqual((await api.request('DELETE', `${path}/`)).body, { removed: true });
  /** @returns the number of requests to Google that it made */
  const deliver = async (afterMs = 0, by = workers.slice(0, 1)): Promise<number> => {
    const before = google.calls('revoke').length;
    const clock = { now: () => new Date(Date.now() + afterMs) } as never;
    await Promise.all(by.map(({ integrations }) => deliverRevocations({ ...integrations.revocations, clock })));
    return google.calls('revoke').length - before;
  };
  const states = async () => (await em().find(Effect, { kind: KIND })).map(({ status }) => status);

  it('are revoked once, after Google has failed to', async () => {
    await connected();
    assert.deepEqual(await states(), [], 'they are in use');
    const row = await em().findOneOrFail(Integration, {});
    const { refresh_token: token } = workers[0]!.integrations.vault.open(row);
    await remove();
    const [effect] = await em().find(Effect, { kind: KIND });
    assert.ok(!JSON.stringify(effect).includes(String(token)), 'it is sealed');
    google.always('revoke', { status: 500 });
    assert.equal(await deliver(), 1);
    assert.equal(await deliver(), 0, 'not again at once');
    google.always('revoke', undefined);
    assert.equal(await deliver(60_000, workers), 1, 'by one of two workers');
    assert.equal(await deliver(3_600_000), 0);
    assert.deepEqual(await states(), ['done']);
    assert.equal(new URLSearchParams(google.calls('revoke').at(-1)!.body).get('token'), token);
  });

  it('are given up after many attempts', async () => {
    await connected();
    await remove();
    google.always('revoke', { status: 500 });
    let attempts = 0;
    for (let round = 0; round < 20; round++) {
      await em().nativeUpdate(Effect, {}, { updatedAt: new Date(0) });
      attempts += await deliver();
    }
    assert.deepEqual([attempts, await states()], [16, ['failed']]);
  });

  it('stay as long as another integration of the team has the same consent', async () => {
    await connected();
    await connected(OFFICIAL);
    await remove();
    assert.deepEqual([await deliver(3_600_000), await states()], [0, ['skipped']]);
    await remove(OFFICIAL);
    assert.equal(await deliver(), 1);
  });

  it('stay as long as another team has the same consent', async () => {
    const made = await api.request('POST', '/api/teams', {
      name: 'Second',
      admin_email: 'ada@example.org',
      admin_name: 'Ada',
    });
    const second: typeof api = {
      ...api,
      request: (method, path, body) => api.request(method, path, body, made.body.api_key.api_key),
    };
    await connected();
    assert.equal((await connectGoogle(second, { project_id: google.project })).body.status, 'connected');
    await remove();
    assert.deepEqual([await deliver(3_600_000), await states()], [0, ['skipped']]);
    assert.equal((await second.request('GET', `${googlePath()}/status`)).body.connected, true);
    await second.request('DELETE', `${googlePath()}/`);
    assert.equal(await deliver(), 1);
  });

  it('stay when the same person connects again', async () => {
    await connected();
    await connected();
    assert.equal(await deliver(3_600_000), 0);
    const tested = await workers[0]!.integrations.service.fresh(await em().findOneOrFail(Integration, {}));
    assert.ok(tested.secrets['access_token']);
  });

  it('are those of a sign-in that did not become an integration', async () => {
    for (const permission of ['logging.logEntries.list', 'monitoring.metricDescriptors.list', 'cloudtrace.traces.list'])
      google.denied.add(permission);
    google.always('clouderrorreporting', { status: 403, body: {} });
    const { status } = await connect();
    google.always('clouderrorreporting', undefined);
    assert.equal(status, 422);
    assert.equal(await deliver(), 0, 'its request may be under way');
    assert.equal(await deliver(STORED_WITHIN_MS), 1);
  });
});
