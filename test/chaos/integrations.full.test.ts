/** `kill -9` while a system is connected, its token renewed, or its consent revoked: real processes, a played vendor. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { forTeam, anyTeam } from '../../src/db/team-filter.ts';
import { Effect } from '../../src/features/effects/index.ts';
import { Team } from '../../src/features/identity/index.ts';
import { Integration } from '../../src/features/integrations/entities.ts';
import { createVault, type Secrets } from '../../src/features/integrations/vault.ts';
import { NOTIFICATION, notificationOf } from '../../src/features/notifications/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { startGoogleCloudServer, type GoogleCloudServer } from '../support/google-cloud-server.ts';
import { connectGoogle, consentAtGoogle, googlePath } from '../support/google-consent.ts';
import { startHoldingProxy, type HoldingProxy } from '../support/holding-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

const KEY = randomBytes(32);
const PROBE = '/api/monitoring/';

describe('kill -9 while integrations change @never-forgiven', () => {
  const vault = createVault(createSecretBox([KEY]));
  let google: GoogleCloudServer;
  /** Between Casebook and Google. */
  let proxy: HoldingProxy;
  let cluster: Cluster;
  let teamId: string;

  before(async () => {
    google = await startGoogleCloudServer();
    google.oauth.client.redirectUris.push('http://127.0.0.1:3000/integrations/callback');
    proxy = await startHoldingProxy(google.oauthUrl);
    cluster = await startCluster({
      apis: 2,
      workers: 1,
      env: {
        CASEBOOK_SECRET_KEY: KEY.toString('hex'),
        CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
        CASEBOOK_APP_URL: 'http://127.0.0.1:3000',
        GOOGLE_OAUTH_URL: proxy.url,
        GOOGLE_API_URL: `${proxy.url}/api`,
        GOOGLE_CLIENT_ID: google.oauth.client.clientId,
        GOOGLE_CLIENT_SECRET: google.oauth.client.clientSecret,
      },
    });
    const [team] = await cluster.database.orm.em.fork().find(Team, {}, anyTeam);
    teamId = team!.id;
  });
  after(async () => {
    await cluster?.stop();
    await proxy?.stop();
    await google?.stop();
  });
  beforeEach(async () => {
    google.oauth.rotates = false;
    await em().nativeDelete(Integration, {});
    await em().nativeDelete(Effect, {});
  });

  const em = () => forTeam(cluster.database.orm.em, teamId);
  const rows = () => em().find(Integration, { status: { $ne: 'pending' } });
  const through = (index: number) => ({
    async request(method: string, path: string, body?: unknown) {
      const response = await fetch(cluster.apis[index]!.url + path, {
        method,
        headers: { 'x-api-key': cluster.apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
  });
  const body = () => ({ project_id: google.project });
  const connect = async () => {
    const { status, body: answer } = await connectGoogle(through(1), body());
    assert.deepEqual([status, (answer as { status: string }).status], [200, 'connected'], JSON.stringify(answer));
  };
  /** Kills the first API while its request waits, and starts it again. */
  const killApi = async (request: Promise<unknown>): Promise<void> => {
    const cut = assert.rejects(request, 'the client gets no answer');
    await cluster.apis[0]!.kill();
    await cut;
    cluster.apis[0]!.start();
    await cluster.apis[0]!.untilReady();
  };
  const killWorker = async (): Promise<void> => {
    await cluster.workers[0]!.kill();
    cluster.workers[0]!.start();
    await cluster.workers[0]!.untilReady();
  };
  const revoked = () => google.calls('revoke').length;
  const until = (what: string, attempt: () => Promise<boolean> | boolean) =>
    waitUntil(async () => (await attempt()) || undefined, { what });
  const end = (status: string) =>
    until(
      `a revocation to be ${status}`,
      async () => (await em().count(Effect, { kind: 'token_revocation', status: status as Effect['status'] })) === 1,
    );

  describe('the API', () => {
    it('during the test of a new connection: nothing is stored, and the repeated request makes one', async () => {
      const request = () => ({ service_account: google.key, project_id: google.project });
      const { held, release } = proxy.holdNext(PROBE);
      const cut = through(0).request('POST', `${googlePath()}/sa/connect`, request());
      await held;
      await killApi(cut);
      release();
      assert.deepEqual(await rows(), []);
      const [one, two] = await Promise.all(
        [0, 1].map((api) => through(api).request('POST', `${googlePath()}/sa/connect`, request())),
      );
      assert.deepEqual([one!.status, two!.status, (await rows()).length], [200, 200, 1]);
    });

    it('while a code is exchanged: nothing is stored, the code is used up, and a new sign-in connects', async () => {
      const back = await consentAtGoogle(through(0), body());
      const { held, release } = proxy.holdNext('/token');
      const cut = through(0).request('POST', `${googlePath()}/callback`, back);
      await held;
      await killApi(cut);
      release();
      assert.equal((await through(1).request('POST', `${googlePath()}/callback`, back)).status, 422, 'it was used');
      assert.deepEqual([await rows(), await em().count(Effect, {})], [[], 0]);
      await connect();
      assert.equal((await rows()).length, 1);
    });

    it('after a code was redeemed: nothing is stored, the token is revoked, and a new sign-in connects', async () => {
      const back = await consentAtGoogle(through(0), body());
      const { held, release } = proxy.holdNext(PROBE);
      const cut = through(0).request('POST', `${googlePath()}/callback`, back);
      await held;
      await killApi(cut);
      release();
      assert.deepEqual(await rows(), []);
      assert.equal((await through(1).request('POST', `${googlePath()}/callback`, back)).status, 422, 'it was used');
      const before = revoked();
      // As if five minutes had passed.
      await em().execute(`update effects set payload = jsonb_set(payload, '{notBefore}', '0')`);
      await end('done');
      assert.equal(revoked(), before + 1);
      await connect();
      assert.equal((await rows()).length, 1);
    });

    it('before a removal is committed: it stays whole, and removing it again revokes its token once', async () => {
      await connect();
      const blocking = Promise.withResolvers<void>();
      const blocked = Promise.withResolvers<void>();
      const block = em().transactional(async (tx) => {
        await tx.execute('select id from teams where id = ? for update', [teamId]);
        blocked.resolve();
        await blocking.promise;
      });
      await blocked.promise;
      const cut = through(0).request('DELETE', `${googlePath()}/`);
      await until('the removal to wait', async () => {
        const [row] = await em().execute<{ waiting: number }[]>(
          `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return row!.waiting > 0;
      });
      await killApi(cut);
      blocking.resolve();
      await block;
      const [row] = await rows();
      assert.ok(row && vault.open(row)['refresh_token']);
      const before = revoked();
      assert.deepEqual((await through(1).request('DELETE', `${googlePath()}/`)).body, { removed: true });
      await end('done');
      assert.deepEqual([(await rows()).length, revoked()], [0, before + 1]);
    });

    it('after a removal is committed: a worker revokes the token', async () => {
      await connect();
      assert.deepEqual((await through(0).request('DELETE', `${googlePath()}/`)).body, { removed: true });
      await cluster.apis[0]!.kill();
      await end('done');
      assert.deepEqual(await rows(), []);
      cluster.apis[0]!.start();
      await cluster.apis[0]!.untilReady();
    });
  });

  describe('the worker', () => {
    /** Makes the worker renew the token: its check is due, and the token expires in a minute. */
    const expire = async (): Promise<void> => {
      const manager = em();
      const row = await manager.findOneOrFail(Integration, {});
      const sealed = vault.seal(row, { ...vault.open(row), expires_at: Date.now() + 60_000 });
      manager.assign(row, { sealed, dueAt: new Date(0) });
      await manager.flush();
    };
    const checkAgain = () => em().nativeUpdate(Integration, {}, { dueAt: new Date(0) });
    const secrets = async (): Promise<Secrets> => vault.open(await em().findOneOrFail(Integration, {}));
    const renewed = () =>
      until('a good token', async () => {
        const { access_token, expires_at } = await secrets();
        return Number(expires_at) > Date.now() + 600_000 && google.oauth.scopesOf(String(access_token)) !== undefined;
      });

    it('never: a token is renewed once', async () => {
      await connect();
      const before = google.oauth.refreshes;
      await expire();
      await renewed();
      await checkAgain();
      await until('another check', async () => (await em().findOneOrFail(Integration, {})).dueAt > new Date());
      assert.equal(google.oauth.refreshes, before + 1);
    });

    it('while the answer with the new token is held: the next check asks for another', async () => {
      await connect();
      const before = google.oauth.refreshes;
      const { held, release } = proxy.holdNext('/token');
      await expire();
      await held;
      await killWorker();
      release();
      assert.equal((await rows())[0]!.status, 'connected');
      await checkAgain();
      await renewed();
      assert.equal(google.oauth.refreshes, before + 2, 'the one that was cut, and one more');
    });

    it('right after the answer was sent: there is a good token all the same', async () => {
      await connect();
      const before = google.oauth.refreshes;
      const { held, release } = proxy.holdNext('/token');
      await expire();
      await held;
      release();
      await killWorker();
      await checkAgain();
      await renewed();
      assert.ok(google.oauth.refreshes - before <= 2, `${google.oauth.refreshes - before} refreshes`);
      assert.equal((await rows())[0]!.status, 'connected');
    });

    it('while a vendor that rotates refresh tokens answers: the team is told once to connect again', async () => {
      await connect();
      google.oauth.rotates = true;
      const { held, release } = proxy.holdNext('/token');
      await expire();
      await held;
      await killWorker();
      release();
      await checkAgain();
      await until('the refusal', async () => (await rows())[0]!.status === 'needs_reconnect');
      await checkAgain();
      await killWorker();
      const told = await em().find(Effect, { kind: NOTIFICATION });
      assert.deepEqual(
        told.map((effect) => notificationOf(effect).message.title),
        ['google-cloud has to be connected again'],
      );
      await connect();
      assert.equal((await rows())[0]!.status, 'connected');
    });

    it('while a token is revoked: another attempt finds that it is', async () => {
      await connect();
      const { held, release } = proxy.holdNext('/revoke');
      const token = String((await secrets())['refresh_token']);
      assert.deepEqual((await through(1).request('DELETE', `${googlePath()}/`)).body, { removed: true });
      await held;
      await killWorker();
      release();
      // The lease of the killed attempt ends, and the pause after it.
      await em().execute(`update effects set leased_until = null, updated_at = 'epoch' where status = 'pending'`);
      await end('done');
      assert.equal(google.oauth.revoke(token).status, 400, 'it is no good any more');
    });
  });
});
