import assert from 'node:assert/strict';
import { freePort } from '../../../src/embedded/free-port.ts';
import { azuremonitor, connectionTest, TEST_CONNECTION, type Connector } from '@casebook/connectors';
import type { AnswerPlan } from '../../support/answer-plans.ts';
import { startAzureServer, type AzureServer } from '../../support/azure-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ask, connectorOf, refused } from '../stores/support.ts';

const HOUR = 3_600_000;
const OTHER_ID = '99998888-0000-4000-8000-000000000000';

describe('satellite connector: azuremonitor, its credential and connection', () => {
  let server: AzureServer;
  /** Unix ms, of the server and its clients. */
  let now: number;
  let made: Connector[];

  beforeEach(async () => {
    now = Date.now();
    made = [];
    server = await startAzureServer({ now: () => now });
    server.data.tables = { T: [['row']] };
  });
  afterEach(async () => {
    await Promise.all(made.map((one) => one.close()));
    await server.stop();
  });

  const settings = () => ({
    tenant_id: server.tenantId,
    subscription_id: server.subscriptionId,
    client_id: server.clientId,
    client_secret: server.clientSecret,
    workspace_id: server.workspaceId as string | undefined,
    authority_host: server.authorityHost,
    resource_manager_url: server.resourceManagerUrl,
    log_analytics_url: server.logAnalyticsUrl,
  });
  const connect = (config: object = {}): Connector => {
    const one = connectorOf(azuremonitor, { ...settings(), ...config }, { now: () => now });
    made.push(one);
    return one;
  };
  const test = async (connector: Connector) => connectionTest.parse(await ask(connector, TEST_CONNECTION));
  const read = (connector: Connector, context = {}) => ask(connector, 'resources', {}, context);
  const query = (connector: Connector, context = {}) =>
    ask(connector, 'query_logs', { query: 'T', start: 0, end: 1 }, context);
  const signal = new AbortController().signal;

  it('has ids, and no setting that is not known', () => {
    const problems = (config: object): string => {
      const { error } = azuremonitor.config.safeParse({ ...settings(), ...config });
      return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n') ?? '';
    };
    assert.equal(problems({ tenant_id: server.tenantId.toUpperCase() }), '');
    for (const name of ['tenant_id', 'subscription_id', 'client_id', 'workspace_id'])
      for (const value of ['x', '../x', `${OTHER_ID}/x`]) assert.match(problems({ [name]: value }), /must be an id/);
    assert.match(problems({ client_secret: '' }), /client_secret/);
    assert.match(problems({ authority: 'x' }), /[Uu]nrecognized key.*authority/);
    assert.match(problems({ authority_host: 'ftp://x' }), /authority_host: must be an http or https URL/);
  });

  describe('its tokens', () => {
    it('are minted once for each API, for calls that wait together', async () => {
      const connector = connect();
      await Promise.all([...Array.from({ length: 5 }, () => read(connector)), query(connector), query(connector)]);
      const scopes = server.calls('token').map(({ body }) => new URLSearchParams(body).get('scope'));
      assert.deepEqual(
        new Set(scopes),
        new Set([`${server.resourceManagerUrl}/.default`, `${server.logAnalyticsUrl}/.default`]),
      );
      assert.equal(scopes.length, 2);
      assert.ok(server.calls('token').every(({ path }) => path === `/entra/${server.tenantId}/oauth2/v2.0/token`));
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
          message: 'Subscription Shop can be read, and so can the workspace.',
          latencyMs: 0,
          warnings: [],
          resources: [{ id: server.subscriptionId, name: 'Shop' }],
        },
      );
      await connector.check(signal);
      server.secretExpired = true;
      await read(connector);
      assert.equal((await test(connector)).status, 'refused');
    });

    for (const [what, config, field, words] of [
      ['tenant', { tenant_id: OTHER_ID }, 'tenant_id', /AADSTS90002: Tenant '9999/],
      ['application', { client_id: OTHER_ID }, 'client_id', /AADSTS700016: Application/],
      ['secret', { client_secret: 'wrong-secret' }, 'client_secret', /AADSTS7000215: Invalid client secret/],
      ['subscription', { subscription_id: OTHER_ID }, 'subscription_id', /SubscriptionNotFound: .*Monitoring Reader/],
      ['workspace', { workspace_id: OTHER_ID }, 'workspace_id', /PathNotFoundError/],
    ] as const) {
      it(`names a wrong ${what}`, async () => {
        const found = await test(connect(config));
        assert.deepEqual([found.status, found.field], ['refused', field], found.message);
        assert.match(found.message, words);
        assert.doesNotMatch(found.message, /Trace ID|wrong-secret/);
        if (field !== 'workspace_id') await assert.rejects(connect(config).check(signal), words);
      });
    }

    it('names a secret that has expired', async () => {
      server.secretExpired = true;
      const found = await test(connect());
      assert.deepEqual([found.status, found.field], ['refused', 'client_secret']);
    });

    it('names the role that is missing', async () => {
      server.denied.add('Microsoft.Resources/subscriptions/read');
      const none = await test(connect());
      assert.deepEqual([none.status, none.field], ['refused', undefined]);
      assert.match(none.message, /AuthorizationFailed: .*role Monitoring Reader on the subscription/);
      server.denied.clear();
      server.denied.add('Microsoft.OperationalInsights/workspaces/query/read');
      const logs = await test(connect());
      assert.deepEqual([logs.status, logs.field], ['refused', undefined]);
      assert.match(logs.message, /InsufficientAccessError: .*role Log Analytics Reader on the workspace/);
    });

    it('warns of what works less well', async () => {
      server.denied.add('Microsoft.Insights/eventtypes/values/read');
      server.data.subscription['state'] = 'Disabled';
      const { status, warnings } = await test(connect({ workspace_id: undefined }));
      assert.equal(status, 'ok');
      assert.equal(warnings.length, 3);
      assert.match(warnings[0]!, /subscription is Disabled/);
      assert.match(warnings[1]!, /there are no changes.*AuthorizationFailed.*Monitoring Reader/);
      assert.match(warnings[2]!, /No workspace_id is set/);
      assert.equal(server.calls('logs').length, 0);
      await refused(query(connect({ workspace_id: undefined })), 'bad_request', /see workspaces/);
    });

    it('says that Azure does not answer, or that something else does', async () => {
      const closed = `http://127.0.0.1:${await freePort()}`;
      for (const name of ['authority_host', 'resource_manager_url', 'log_analytics_url'] as const) {
        const plain = name === 'authority_host' ? {} : { authority_host: server.authorityHost };
        server[name === 'log_analytics_url' ? 'logAnalyticsUrl' : 'resourceManagerUrl'] =
          name === 'authority_host' ? server.resourceManagerUrl : closed;
        const found = await test(connect({ ...plain, [name]: closed }));
        assert.deepEqual([found.status, found.field], ['unreachable', undefined], found.message);
        assert.match(found.message, /did not answer: ECONNREFUSED/);
        server.resourceManagerUrl = server.authorityHost.replace('/entra', '/arm');
        server.logAnalyticsUrl = server.authorityHost.replace('/entra', '/logs');
      }
      for (const target of ['token', 'arm', 'logs'] as const) {
        const plans = ['garbage', { status: 500 }, { status: 429 }, { status: 302 }, { status: 403, body: 'no' }];
        for (const plan of plans as AnswerPlan[]) {
          server.always(target, plan);
          const found = await test(connect());
          assert.deepEqual(
            [found.status, found.field],
            ['unreachable', undefined],
            `${target} ${JSON.stringify(plan)}`,
          );
        }
        server.always(target, undefined);
      }
    });

    it('ends when nobody waits for it', async () => {
      for (const target of ['token', 'arm', 'logs'] as const) {
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
    it('of Azure is passed on', async () => {
      const connector = connect();
      server.next('arm', {
        status: 429,
        headers: { 'retry-after': '17' },
        body: { error: { code: 'TooMany', message: '' } },
      });
      await refused(
        read(connector),
        'busy',
        /Azure Resource Manager at .* answered 429: TooMany; it asks to wait 17 s/,
      );
      server.next('arm', { status: 500 }, 'garbage');
      await refused(read(connector), 'failed', /500/);
      await refused(read(connector), 'failed', /not JSON/);
      server.next('arm', { status: 200, body: { value: 'x' } });
      await refused(ask(connector, 'changes', { from: 0, to: 1 }), 'failed', /unknown form: value/);
      server.denied.add('Microsoft.Resources/subscriptions/resources/read');
      await refused(read(connector), 'failed', /403: AuthorizationFailed: .*role Monitoring Reader/);
      server.revokeTokens();
      await refused(read(connector), 'failed', /401: InvalidAuthenticationToken/);
    });

    it('is an answer that is too large, of which the rest is not received', async () => {
      server.always('arm', 'huge');
      await refused(read(connect(), { maxBytes: 200_000 }), 'too_large', /200000 bytes/);
      server.always('logs', 'huge');
      await refused(query(connect(), { maxBytes: 200_000 }), 'too_large', /200000 bytes/);
      server.always('token', 'huge');
      await refused(read(connect()), 'too_large', /answered with more than a token/);
    });

    it('is silence, until the time is up', async () => {
      const connector = connect();
      await read(connector);
      server.always('arm', 'hang');
      await refused(read(connector, { signal: AbortSignal.timeout(50) }), 'timeout', /did not answer in time/);
      await waitUntil(() => server.abandoned() === 1 || undefined, {
        what: 'the end of the connection',
        intervalMs: 5,
      });
    });

    it('has no secret in it, even if the request is repeated in it', async () => {
      const connector = connect();
      await read(connector);
      const token = server.calls('arm').at(-1)!.headers['authorization']!.replace('Bearer ', '');
      const failures: unknown[] = [];
      const keep = (asking: Promise<unknown>) =>
        asking.then(
          () => assert.fail('it should fail'),
          (error: unknown) => failures.push(error),
        );
      server.next('arm', 'echo');
      await keep(read(connector));
      assert.match(String(failures[0]), /\[hidden\]/);
      server.next('token', 'echo');
      await keep(read(connect()));
      const description = `AADSTS7000215: the secret ${server.clientSecret} is wrong`;
      server.always('token', { status: 401, body: { error: 'invalid_client', error_description: description } });
      await keep(read(connect()));
      assert.match(String(failures[2]), /the secret \[hidden\] is wrong/);
      failures.push(await test(connect()));
      const shown = failures.map((error) => [String(error), JSON.stringify(error), (error as Error).stack]).join('\n');
      for (const secret of [token, server.clientSecret, encodeURIComponent(server.clientSecret)])
        assert.ok(!shown.includes(secret), shown);
    });
  });
});
