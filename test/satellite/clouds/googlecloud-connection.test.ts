import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lookup } from 'node:dns';
import { freePort } from '../../../src/embedded/free-port.ts';
import {
  connectionTest,
  googlecloud,
  GOOGLE_ERROR_REPORTING_SCOPES,
  GOOGLE_READING_SCOPES,
  TEST_CONNECTION,
  type Connector,
  type Network,
} from '@casebook/connectors';
import type { AnswerPlan } from '../../support/answer-plans.ts';
import { GOOGLE_SCOPES, startGoogleCloudServer, type GoogleCloudServer } from '../../support/google-cloud-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ask, connectorOf, refused } from '../stores/support.ts';

const HOUR = 3_600_000;
const scopes = (...names: string[]): string[] => names.map((name) => GOOGLE_SCOPES + name);
const reading = scopes('cloud-platform.read-only', 'logging.read', 'monitoring.read', 'trace.readonly');

describe('satellite connector: googlecloud, its credential and connection', () => {
  let server: GoogleCloudServer;
  /** Unix ms, of the server and its clients. */
  let now: number;
  let made: Connector[];

  beforeEach(async () => {
    now = Date.now();
    made = [];
    server = await startGoogleCloudServer({ now: () => now });
  });
  afterEach(async () => {
    await Promise.all(made.map((one) => one.close()));
    await server.stop();
  });

  const connect = (config: object = {}, more: Parameters<typeof connectorOf>[2] = {}): Connector => {
    const base = {
      project_id: server.project,
      service_account: server.key,
      token_url: server.tokenUrl,
      api_url: server.apiUrl,
    };
    const one = connectorOf(googlecloud, { ...base, ...config }, { now: () => now, ...more });
    made.push(one);
    return one;
  };
  const withToken = (access_token: string, config: object = {}): Connector =>
    connect({ service_account: undefined, access_token, ...config });
  const test = async (connector: Connector) => connectionTest.parse(await ask(connector, TEST_CONNECTION));
  const read = (connector: Connector, context = {}) => ask(connector, 'metric_descriptors', {}, context);
  const signal = new AbortController().signal;

  describe('its configuration', () => {
    const problems = (config: object): string => {
      const { success, error } = googlecloud.config.safeParse({ project_id: server.project, ...config });
      assert.equal(success, false);
      const said = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
      const key = server.key.private_key.split('\n')[5]!;
      assert.ok(!said.includes(key) && !JSON.stringify(error).includes(key), 'no part of the key is in an error');
      return said;
    };

    it('takes a key as an object or as the text of its file', async () => {
      await read(connect({ service_account: JSON.stringify(server.key) }));
      assert.equal(server.oauth.assertions.length, 1);
    });

    it('has one credential, and no setting that is not known', () => {
      assert.match(problems({}), /service_account: needs either service_account or access_token/);
      assert.match(problems({ service_account: server.key, access_token: 'x' }), /needs either/);
      assert.match(problems({ service_account: server.key, endpoint: 'x' }), /[Uu]nrecognized key.*endpoint/);
      assert.match(problems({ access_token: 'a\nb' }), /access_token: contains a character/);
      for (const id of ['', 'x', '../secret', 'a/b', 'UPPER-case', 'shop:../x', 'a'.repeat(40)])
        assert.match(problems({ access_token: 'x', project_id: id }), /project_id: must be a project id/, id);
    });

    it('takes no other kind of key', () => {
      const changed = (more: object) => problems({ service_account: { ...server.key, ...more } });
      assert.match(changed({ type: 'authorized_user' }), /service_account.type: must be service_account/);
      assert.match(changed({ private_key: 'secret' }), /private_key: is not an RSA private key in PEM/);
      assert.match(changed({ private_key: server.key.private_key.slice(0, 400) }), /is not an RSA private key/);
      assert.match(changed({ client_email: 'x' }), /client_email: must be an e-mail/);
      const text = JSON.stringify(server.key);
      assert.match(problems({ service_account: text.slice(0, -3) }), /service_account: is not JSON/);
    });

    it('sends no assertion where a key says, unless that is Google or the operator says so too', () => {
      const elsewhere = { ...server.key, token_uri: 'https://tokens.evil.example/token' };
      const wanted = /service_account.token_uri: must be Google's, https:\/\/oauth2.googleapis.com\/token, or/;
      assert.match(problems({ service_account: elsewhere }), wanted);
      assert.match(problems({ service_account: elsewhere, token_url: server.tokenUrl }), wanted);
      const allowed = { project_id: server.project, service_account: elsewhere, token_url: elsewhere.token_uri };
      assert.ok(googlecloud.config.safeParse(allowed).success);
    });
  });

  describe('its tokens', () => {
    it('are minted once for calls that wait together', async () => {
      const connector = connect();
      await Promise.all(Array.from({ length: 10 }, () => read(connector)));
      await Promise.all([ask(connector, 'log_entries', { start: 0, end: 1 }), read(connector)]);
      assert.equal(server.calls('token').length, 1);
      const [claims] = server.oauth.assertions;
      assert.deepEqual(claims, {
        iss: server.key.client_email,
        scope: reading.join(' '),
        aud: 'https://oauth2.googleapis.com/token',
        iat: Math.floor(now / 1000),
        exp: Math.floor(now / 1000) + 3_600,
      });
    });

    it('are kept until shortly before they expire', async () => {
      const connector = connect();
      await read(connector);
      now += HOUR - 70_000;
      await read(connector);
      assert.equal(server.calls('token').length, 1);
      now += 15_000;
      await Promise.all([read(connector), read(connector)]);
      assert.equal(server.calls('token').length, 2);
      now += HOUR;
      await read(connector);
      assert.equal(server.calls('token').length, 3);
    });

    it('are minted again after a failure', async () => {
      const connector = connect();
      server.next('token', { status: 503 });
      await refused(read(connector), 'failed', /Google's token server at .* answered 503/);
      await read(connector);
    });

    it('are not lost to others when one caller gives up', async () => {
      const connector = connect();
      const gone = new AbortController();
      const asking = [read(connector, { signal: gone.signal }), read(connector)];
      gone.abort(new Error('gone'));
      await assert.rejects(asking[0]!, /gone/);
      await asking[1];
      assert.equal(server.calls('token').length, 1);
    });

    it('allow more than reading for Error Reporting alone, which accepts nothing less', async () => {
      const connector = connect();
      await Promise.all([ask(connector, 'error_groups'), read(connector)]);
      const asked = new Set(server.oauth.assertions.map(({ scope }) => scope));
      assert.deepEqual(asked, new Set([...scopes('cloud-platform'), reading.join(' ')]));
      assert.equal(server.oauth.assertions.length, 2);
    });

    it('are for the server that both key and operator name', async () => {
      await read(connect({ service_account: { ...server.key, token_uri: server.tokenUrl } }));
      assert.equal(server.oauth.assertions[0]!['aud'], server.tokenUrl);
    });

    it("are a user's, from consent to revocation", async () => {
      const { client } = server.oauth;
      const [redirect] = client.redirectUris;
      const verifier = 'v'.repeat(64);
      const consent = new URL(`${server.oauthUrl}/o/oauth2/v2/auth`);
      consent.search = new URLSearchParams({
        client_id: client.clientId,
        redirect_uri: redirect!,
        response_type: 'code',
        scope: [...GOOGLE_READING_SCOPES, ...GOOGLE_ERROR_REPORTING_SCOPES].join(' '),
        state: 'state-1',
        access_type: 'offline',
        code_challenge_method: 'S256',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      }).toString();
      const code = async (): Promise<string> => {
        const { status, headers } = await fetch(consent, { redirect: 'manual' });
        assert.equal(status, 302);
        const back = new URL(headers.get('location')!);
        assert.equal(back.searchParams.get('state'), 'state-1');
        return back.searchParams.get('code')!;
      };
      const post = async (path: string, form: Record<string, string>) => {
        const body = new URLSearchParams(form);
        const answer = await fetch(`${server.oauthUrl}${path}`, { method: 'POST', body });
        return { status: answer.status, body: (await answer.json()) as Record<string, string> };
      };
      const known = { client_id: client.clientId, client_secret: client.clientSecret };
      const exchange = (form: Record<string, string>) =>
        post('/token', { grant_type: 'authorization_code', redirect_uri: redirect!, ...known, ...form });

      const wrong = await exchange({ code: await code(), code_verifier: 'w'.repeat(64) });
      assert.deepEqual([wrong.status, wrong.body['error']], [400, 'invalid_grant']);
      const used = await code();
      const { body } = await exchange({ code: used, code_verifier: verifier });
      const replayed = await exchange({ code: used, code_verifier: verifier });
      assert.deepEqual([replayed.status, replayed.body['error']], [400, 'invalid_grant']);
      assert.equal((await test(withToken(body['access_token']!))).status, 'ok');

      const renew = () =>
        post('/token', { grant_type: 'refresh_token', refresh_token: body['refresh_token']!, ...known });
      const second = await renew();
      assert.equal(second.body['refresh_token'], undefined);
      server.oauth.refusesRefresh = true;
      assert.equal((await renew()).body['error'], 'invalid_grant');
      server.oauth.refusesRefresh = false;
      const connector = withToken(second.body['access_token']!);
      await read(connector);
      assert.equal((await post('/revoke', { token: body['refresh_token']! })).status, 200);
      await refused(read(connector), 'failed', /401: UNAUTHENTICATED.*expired or was revoked/);
      assert.equal((await renew()).body['error'], 'invalid_grant');
      server.oauth.denies = true;
      const denied = await fetch(consent, { redirect: 'manual' });
      assert.equal(new URL(denied.headers.get('location')!).searchParams.get('error'), 'access_denied');
    });
  });

  describe('its test', () => {
    it('says what can be read, with a token of that moment', async () => {
      const connector = connect();
      await read(connector);
      const found = await test(connector);
      assert.deepEqual(
        { ...found, latencyMs: 0 },
        {
          status: 'ok',
          message: 'Project Shop: Cloud Monitoring, Cloud Logging, Cloud Trace, Error Reporting can be read.',
          latencyMs: 0,
          warnings: [],
          resources: [{ id: server.project, name: 'Shop' }],
        },
      );
      server.oauth.deleteServiceAccount(server.key.client_email);
      await read(connector);
      assert.equal((await test(connector)).status, 'refused');
      await connector.check(signal);
    });

    it('names the credential that is refused', async () => {
      const other = { ...server.key, private_key: server.oauth.createServiceAccount(server.project, 'x').private_key };
      const wrongKey = await test(connect({ service_account: other }));
      assert.deepEqual([wrongKey.status, wrongKey.field], ['refused', 'service_account']);
      assert.match(wrongKey.message, /refused the credential: invalid_grant: Invalid JWT Signature/);
      await assert.rejects(connect({ service_account: other }).check(signal), /Invalid JWT Signature/);
      const unknown = { ...server.key, client_email: 'nobody@shop-prod-4711.iam.gserviceaccount.com' };
      assert.match((await test(connect({ service_account: unknown }))).message, /account not found/);
      const user = await test(withToken('ya29.wrong'));
      assert.deepEqual([user.status, user.field], ['refused', 'access_token']);
      assert.match(user.message, /401: UNAUTHENTICATED/);
      await assert.rejects(withToken('ya29.wrong').check(signal), /401/);
    });

    it('names the permissions that are missing, and the roles that have them', async () => {
      for (const name of [
        'logging.logEntries',
        'monitoring.metricDescriptors',
        'cloudtrace.traces',
        'errorreporting.groups',
      ])
        server.denied.add(`${name}.list`);
      server.denied.add('resourcemanager.projects.get');
      const none = await test(connect());
      assert.deepEqual([none.status, none.field], ['refused', undefined]);
      for (const words of [
        /logging.logEntries.list, which roles\/logging.viewer grants/,
        /monitoring.metricDescriptors.list, which roles\/monitoring.viewer grants/,
        /cloudtrace.traces.list, which roles\/cloudtrace.user grants/,
        /errorreporting.groups.list, which roles\/errorreporting.viewer grants/,
      ])
        assert.match(none.message, words);
      await assert.rejects(connect().check(signal), /roles\/monitoring.viewer/);
    });

    it('warns of each service that cannot be read, while another can', async () => {
      server.denied.add('logging.logEntries.list');
      server.denied.add('monitoring.metricDescriptors.list');
      server.disabled.add('cloudtrace');
      server.always('clouderrorreporting', { status: 503 });
      server.denied.add('resourcemanager.projects.get');
      const none = await test(connect());
      assert.equal(none.status, 'refused');
      server.denied.delete('logging.logEntries.list');
      const some = await test(connect());
      assert.equal(some.status, 'ok');
      assert.equal(some.message, `Project ${server.project}: Cloud Logging can be read.`);
      assert.equal(some.warnings.length, 3);
      assert.match(some.warnings[0]!, /Cloud Monitoring.*roles\/monitoring.viewer/);
      assert.match(some.warnings[1]!, /Cloud Trace.*Enable cloudtrace.googleapis.com in the project/);
      assert.match(some.warnings[2]!, /Error Reporting.*503/);
      await connect().check(signal);
    });

    it('names scopes that a user has not consented to', async () => {
      const found = await test(withToken(server.oauth.issue(scopes('cloud-platform.read-only'))));
      assert.equal(found.status, 'ok');
      assert.equal(found.warnings.length, 2);
      assert.match(found.warnings[0]!, /Cloud Trace.*insufficient authentication scopes.*consent to it again/);
      assert.match(
        found.warnings[1]!,
        /Error Reporting accepts only the scope cloud-platform.*connect a service account/,
      );
    });

    it('names a project that does not exist', async () => {
      const found = await test(connect({ project_id: 'shop-test-1234' }));
      assert.deepEqual([found.status, found.field], ['refused', 'project_id']);
      assert.match(found.message, /The project shop-test-1234 does not exist/);
    });

    it('says that Google does not answer, or that something else does', async () => {
      const closed = `http://127.0.0.1:${await freePort()}`;
      assert.match((await test(connect({ token_url: `${closed}/token` }))).message, /did not answer: ECONNREFUSED/);
      assert.match((await test(connect({ api_url: closed }))).message, /did not answer: ECONNREFUSED/);
      for (const target of ['token', 'monitoring']) {
        for (const plan of [
          'garbage',
          { status: 500 },
          { status: 429 },
          { status: 302 },
          { status: 200, body: [] },
        ] as AnswerPlan[]) {
          for (const name of target === 'token'
            ? ['token']
            : ['monitoring', 'logging', 'cloudtrace', 'clouderrorreporting'])
            server.always(name, plan);
          const found = await test(connect());
          assert.deepEqual([found.status, found.field], ['unreachable', undefined], JSON.stringify(plan));
          await assert.rejects(connect().check(signal));
        }
        server.always(target, undefined);
      }
    });

    it('ends when nobody waits for it', async () => {
      for (const target of ['token', 'logging']) {
        server.always(target, 'hang');
        const gone = new AbortController();
        const before = server.calls(target).length;
        const testing = ask(connect(), TEST_CONNECTION, {}, { signal: gone.signal });
        await waitUntil(() => server.calls(target).length > before || undefined, { what: target, intervalMs: 5 });
        gone.abort(new Error('gone'));
        await assert.rejects(testing, /gone/);
        server.always(target, undefined);
      }
    });
  });

  describe('a failure', () => {
    it('of Google is passed on with what to do', async () => {
      const connector = connect();
      server.next('monitoring', { status: 429, headers: { 'retry-after': '7' } });
      await refused(read(connector), 'busy', /Cloud Monitoring at .* answered 429.*asks to wait 7 s/);
      server.next('monitoring', { status: 500, body: { error: { status: 'INTERNAL', message: 'try again' } } });
      await refused(read(connector), 'failed', /500: INTERNAL: try again/);
      server.next('monitoring', 'garbage');
      await refused(read(connector), 'failed', /not JSON/);
      server.next('logging', { status: 200, body: { entries: 'x' } });
      await refused(ask(connector, 'log_entries', { start: 0, end: 1 }), 'failed', /unknown form: entries/);
      server.denied.add('monitoring.metricDescriptors.list');
      await refused(read(connector), 'failed', /403: PERMISSION_DENIED.*which roles\/monitoring.viewer grants/);
    });

    it('is an answer that is too large, of which the rest is not received', async () => {
      const connector = connect();
      server.always('monitoring', 'huge');
      await refused(read(connector, { maxBytes: 200_000 }), 'too_large', /200000 bytes/);
      server.always('logging', 'huge');
      const logs = ask(connector, 'log_entries', { start: 0, end: 1 }, { maxBytes: 200_000 });
      await refused(logs, 'too_large', /200000 bytes/);
      server.always('token', 'huge');
      await refused(read(connect()), 'too_large', /answered with more than a token/);
    });

    it('is silence, until the time is up', async () => {
      const connector = connect();
      await read(connector);
      server.always('monitoring', 'hang');
      await refused(read(connector, { signal: AbortSignal.timeout(50) }), 'timeout', /did not answer in time/);
      await waitUntil(() => server.abandoned() === 1 || undefined, {
        what: 'the end of the connection',
        intervalMs: 5,
      });
    });

    it('is a token that is not one', async () => {
      for (const body of [
        { access_token: 'a' },
        { access_token: 'a\r\nx: y', expires_in: 9 },
        [],
        { expires_in: 3_600 },
      ]) {
        server.next('token', { status: 200, body });
        await refused(read(connect()), 'failed', /something that is not a token/);
      }
    });

    it('has no secret in it, even if the request is repeated in it', async () => {
      const connector = connect();
      await read(connector);
      const { headers } = server.calls('monitoring').at(-1)!;
      const token = headers['authorization']!.replace('Bearer ', '');
      const failures: unknown[] = [];
      const keep = (asking: Promise<unknown>) =>
        asking.then(
          () => assert.fail('it should fail'),
          (error: unknown) => failures.push(error),
        );
      server.next('monitoring', 'echo');
      await keep(read(connector));
      server.next('monitoring', { status: 400, body: { error: { status: 'X', message: `Bearer ${token}` } } });
      await keep(read(connector));
      assert.match(String(failures[1]), /\[hidden\]/);
      server.next('token', 'echo');
      await keep(read(connect()));
      const form = server.calls('token').at(-1)!.body;
      const assertion = new URLSearchParams(form).get('assertion')!;
      server.always('token', { status: 400, body: { error: 'invalid_grant', error_description: `bad: ${assertion}` } });
      await keep(read(connect()));
      assert.match(String(failures[3]), /bad: \[hidden\]/);
      server.always('token', undefined);
      failures.push(await test(withToken('ya29.secret-of-a-user')));

      const shown = failures.map((error) => [String(error), JSON.stringify(error), (error as Error).stack]).join('\n');
      const lines = server.key.private_key.split('\n').filter((line) => line.length > 20);
      for (const secret of [token, assertion, 'ya29.secret-of-a-user', ...lines])
        assert.ok(!shown.includes(secret), shown);
    });
  });

  it('connects only where the network allows', async () => {
    const looked: string[] = [];
    const network = (refusedHost: string): Network => ({
      lookup(host, options, callback) {
        looked.push(host);
        lookup(host, options, callback);
      },
      hostProblem: () => undefined,
      urlProblem: (url: string) => (url.includes(refusedHost) ? 'That address is not public.' : undefined),
    });
    const by = (url: string): string => url.replace('127.0.0.1', 'localhost');
    const config = { token_url: by(server.tokenUrl), api_url: by(server.apiUrl) };
    await read(connect(config, { network: network('nowhere') }));
    assert.deepEqual(looked, ['localhost', 'localhost']);
    const noTokens = await test(connect({ ...config, token_url: server.tokenUrl }, { network: network('127.0.0.1') }));
    assert.deepEqual([noTokens.status, /token server.*not public/.test(noTokens.message)], ['unreachable', true]);
    const noApi = connect({ ...config, api_url: server.apiUrl }, { network: network('/api') });
    await refused(read(noApi), 'failed', /not public/);
  });
});
