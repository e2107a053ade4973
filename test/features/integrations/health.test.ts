/** What happens to integrations over time: tokens are renewed, checks are made, changes of status are told. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import { Integration, IntegrationAlerts } from '../../../src/features/integrations/entities.ts';
import { checkDue } from '../../../src/features/integrations/health.ts';
import type { Integrations } from '../../../src/features/integrations/deps.ts';
import { OAuthUnavailable } from '../../../src/features/integrations/oauth/client.ts';
import { freshTargets } from '../../../src/features/integrations/oauth/fresh.ts';
import { deliverStatusChanges, tellChange } from '../../../src/features/integrations/status.ts';
import { NOTIFICATION, notificationOf, sealChannel } from '../../../src/features/notifications/index.ts';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startGoogleCloudServer, type GoogleCloudServer } from '../../support/google-cloud-server.ts';
import { startHttpReceiver } from '../../support/http-receiver.ts';
import { createIntegration } from '../../support/integration-rows.ts';

const KEY = randomBytes(32).toString('hex');

describe('integrations over time', () => {
  let database: TestDatabase;
  let google: GoogleCloudServer;
  let receiver: Awaited<ReturnType<typeof startHttpReceiver>>;
  /** What was posted to the team's webhook. */
  let told: { event?: string; title?: string; type?: string }[];
  /** As two worker processes have it. */
  let workers: Integrations[];
  let closing: AsyncDisposableStack[];
  const team = '00000000-0000-4000-8000-000000000001';

  before(async () => {
    database = await createTestDatabase();
    google = await startGoogleCloudServer();
    receiver = await startHttpReceiver((request, response) => {
      told.push(JSON.parse(request.body));
      response.end('ok');
    });
  });
  after(async () => {
    await receiver?.stop();
    await google?.stop();
    await database?.drop();
  });

  beforeEach(async () => {
    told = [];
    google.oauth.refusesRefresh = false;
    google.always('token', undefined);
    const config = testConfig({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      CASEBOOK_SECRET_KEY: KEY,
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
      GOOGLE_OAUTH_URL: google.oauthUrl,
      GOOGLE_API_URL: google.apiUrl,
    });
    const { log } = recordedLog('silent');
    const cores = [await openCore(config, log), await openCore(config, log)];
    closing = cores.map((core) => core.closing);
    workers = cores.map((core) => composeRooms(core).integrations);
    const em = forTeam(database.orm.em, team);
    await em.nativeDelete(Effect, {}, anyTeam);
    await em.nativeDelete(Integration, {}, anyTeam);
    await em.nativeDelete(IntegrationAlerts, {}, anyTeam);
    const channel = {
      type: 'webhook' as const,
      url: receiver.url,
      secret: `whsec_${randomBytes(32).toString('base64')}`,
    };
    em.create(IntegrationAlerts, {
      teamId: team,
      channel: sealChannel(workers[0]!.service.secrets, team, channel),
    } as never);
    await em.flush();
  });
  afterEach(async () => {
    for (const stack of closing) await stack.disposeAsync();
  });

  const em = () => forTeam(database.orm.em, team);
  const only = () => em().findOneOrFail(Integration, {});
  const told_ = async () =>
    (await em().find(Effect, { kind: NOTIFICATION })).map((effect) => notificationOf(effect).message.title);

  /** An integration with a person's consent whose access token has some time left. */
  async function connected(secondsLeft: number): Promise<void> {
    const { clientId, clientSecret } = google.oauth.client;
    const redirectUri = google.oauth.client.redirectUris[0]!;
    const asked = new URL('/o/oauth2/v2/auth', google.oauthUrl);
    const { createHash } = await import('node:crypto');
    const verifier = randomBytes(32).toString('base64url');
    const scopes = ['logging.read', 'monitoring.read', 'trace.readonly', 'cloud-platform.read-only'];
    for (const [name, value] of Object.entries({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: scopes.map((scope) => `https://www.googleapis.com/auth/${scope}`).join(' '),
      access_type: 'offline',
      prompt: 'consent',
      state: 's',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }))
      asked.searchParams.set(name, value);
    const { headers } = await fetch(asked, { redirect: 'manual' });
    const code = new URL(headers.get('location')!).searchParams.get('code')!;
    const response = await fetch(google.tokenUrl, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: redirectUri,
      }),
    });
    const { access_token, refresh_token } = (await response.json()) as Record<string, string>;
    assert.ok(access_token && refresh_token, 'there are tokens');
    const owner = { id: team.replace(/1$/u, '9'), teamId: team };
    const manager = em();
    manager.create(Integration, {
      ...owner,
      createdByCredentialId: null,
      createdByUserId: null,
      family: 'cloud-b',
      name: 'google-cloud',
      slug: 'google-cloud',
      status: 'connected',
      statusSince: new Date(),
      settings: { project_id: google.project },
      sealed: workers[0]!.vault.seal(owner, {
        client_id: clientId,
        client_secret: clientSecret,
        access_token,
        refresh_token,
        expires_at: Date.now() + secondsLeft * 1_000,
      }),
      found: { warnings: [], resources: [] },
      tools: null,
      dueAt: new Date(0),
    } as never);
    await manager.flush();
  }

  it('renews a token that is about to expire once, however many runs of however many workers need it', async () => {
    await connected(60);
    const before = google.oauth.refreshes;
    const row = await only();
    const targets = await Promise.all(Array.from({ length: 12 }, (_, index) => workers[index % 2]!.service.fresh(row)));
    assert.equal(google.oauth.refreshes, before + 1);
    const tokens = new Set(targets.map(({ secrets }) => secrets['access_token']));
    assert.equal(tokens.size, 1);
    const after = await only();
    assert.equal(workers[1]!.vault.open(after)['access_token'], [...tokens][0]);
    assert.equal(after.revision, row.revision + 1);
  });

  it('leaves a token alone that has time left, and goes on with it while the vendor is down', async () => {
    await connected(3_000);
    const before = google.oauth.refreshes;
    await workers[0]!.service.fresh(await only());
    assert.equal(google.oauth.refreshes, before);
    await em().nativeDelete(Integration, {});
    await connected(60);
    google.always('token', { status: 500 });
    const row = await only();
    const { secrets } = await workers[0]!.service.fresh(row);
    assert.equal(secrets['access_token'], workers[0]!.vault.open(row)['access_token']);
  });

  it('renews a refused token also while somebody else is content with the old one', async () => {
    await connected(60);
    const row = await only();
    const [worker] = workers;
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const answers = [
      async () => {
        asked.resolve();
        await answered.promise;
        throw new OAuthUnavailable('It does not answer.');
      },
      async () => ({ access_token: 'new' }),
    ];
    const { fresh, renewed } = freshTargets({
      ...worker!.service,
      vault: worker!.vault,
      opened: worker!.opened,
      renew: () => answers.shift()!(),
    });
    const old = worker!.opened(row);
    const content = fresh(row);
    await asked.promise;
    const refused = renewed(old, old.secrets['access_token']);
    answered.resolve();
    assert.equal((await content).secrets['access_token'], old.secrets['access_token']);
    assert.equal((await refused).secrets['access_token'], 'new');
  });

  it('marks an integration whose refresh token is refused, and tells the team once', async () => {
    await connected(60);
    google.oauth.refusesRefresh = true;
    const row = await only();
    for (const worker of [...workers, ...workers])
      await assert.rejects(worker.service.fresh(row), /invalid_grant.*Connect it again/);
    const { status, error } = await only();
    assert.equal(status, 'needs_reconnect');
    assert.match(error ?? '', /Connect it again/);
    assert.deepEqual(await told_(), ['google-cloud has to be connected again']);
    await Promise.all(workers.map(({ service }) => deliverStatusChanges(service)));
    await deliverStatusChanges(workers[0]!.service);
    assert.equal(told.length, 1, JSON.stringify(told));
  });

  it("delivers a team's changes though another team's channel is dead and has more of them", async () => {
    const { service } = workers[0]!;
    await connected(3_000);
    const healthy = await only();
    const other = '00000000-0000-4000-8000-000000000002';
    const theirs = forTeam(database.orm.em, other);
    theirs.create(IntegrationAlerts, {
      teamId: other,
      channel: sealChannel(service.secrets, other, {
        type: 'webhook',
        url: 'http://127.0.0.1:1',
        secret: `whsec_${randomBytes(32).toString('base64')}`,
      }),
    } as never);
    const dead = createIntegration(theirs, workers[0]!.vault, {
      teamId: other,
      family: 'edge-a',
      name: 'edge',
      settings: {},
      secrets: {},
    });
    await theirs.flush();
    const change = (row: Integration, at: number) =>
      tellChange(service, forTeam(database.orm.em, row.teamId), { ...row, statusSince: new Date(at) }, 'failing');
    for (let at = 0; at < 60; at++) await change(dead, at);
    await change(healthy, 0);
    await deliverStatusChanges(service);
    assert.equal(told.length, 1);
    const attempts = async () =>
      (await theirs.fork().find(Effect, {})).map((effect) => effect.attempts).reduce((sum, one) => sum + one, 0);
    assert.equal(await attempts(), 49);
    await deliverStatusChanges(service);
    assert.equal(await attempts(), 60, 'those that failed wait');
  });

  it('checks what is due, each once, and tells when an integration stops answering and when it answers again', async () => {
    await connected(3_000);
    const checks = async () =>
      (await Promise.all(workers.map(({ service }) => checkDue(service, new AbortController().signal)))).reduce(
        (a, b) => a + b,
      );
    assert.equal(await checks(), 1, 'one of the workers');
    assert.equal(await checks(), 0, 'it is not due for minutes');
    assert.deepEqual([(await only()).status, await told_()], ['connected', []]);
    const due = () => em().nativeUpdate(Integration, {}, { dueAt: new Date(0) });

    for (const api of ['cloudresourcemanager', 'logging', 'monitoring', 'cloudtrace', 'clouderrorreporting'])
      google.always(api, { status: 503 });
    await due();
    await checks();
    await due();
    await checks();
    assert.equal((await only()).status, 'failing');
    assert.deepEqual(await told_(), ['google-cloud does not answer']);

    for (const api of ['cloudresourcemanager', 'logging', 'monitoring', 'cloudtrace', 'clouderrorreporting'])
      google.always(api, undefined);
    await due();
    await checks();
    assert.deepEqual([(await only()).status, (await only()).error], ['connected', null]);
    assert.deepEqual((await told_()).toSorted(), ['google-cloud answers again', 'google-cloud does not answer']);
  });

  it('does not check what is turned off, and forgets a consent that nobody gave after a day', async () => {
    await connected(3_000);
    await em().nativeUpdate(Integration, {}, { enabled: false });
    assert.equal(await checkDue(workers[0]!.service, new AbortController().signal), 0);
    await em().nativeUpdate(Integration, {}, { status: 'pending', createdAt: new Date(Date.now() - 25 * 3_600_000) });
    await checkDue(workers[0]!.service, new AbortController().signal);
    assert.equal(await em().count(Integration, {}), 0);
  });
});
