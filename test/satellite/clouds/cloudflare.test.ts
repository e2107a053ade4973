/** Against Cloudflare's published interface; no real Cloudflare was asked. */
import assert from 'node:assert/strict';
import { cloudflare, TEST_CONNECTION, type Connector } from '@casebook/connectors';
import type { AnswerPlan } from '../../support/answer-plans.ts';
import { startCloudflareServer, type CloudflareServer } from '../../support/cloudflare-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ask, connectorOf, refused } from '../stores/support.ts';

const ACCOUNT = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const ZONE = '0123456789abcdef0123456789abcdef';
const STRANGE_ZONE = 'f'.repeat(32);
const START = 1_790_000_100;
const window = { from: START, to: START + 3_600 };
const on = (second: number): string => new Date((START + second) * 1_000).toISOString();

describe('satellite connector: cloudflare', () => {
  let server: CloudflareServer;
  let connector: Connector;
  const made: Connector[] = [];

  const connect = (config: object = {}): Connector => {
    const settings = { api_token: server.token.value, account_id: ACCOUNT, api_url: server.url, ...config };
    const one = connectorOf(cloudflare, settings);
    made.push(one);
    return one;
  };
  const paths = () => server.requests.map(({ path }) => path.replace('/client/v4', ''));

  beforeEach(async () => {
    server = await startCloudflareServer();
    server.accounts = [
      { id: ACCOUNT, name: 'Shop' },
      { id: OTHER, name: 'Sandbox' },
    ];
    server.token.accounts = [ACCOUNT];
    server.zones = [
      { id: ZONE, name: 'shop.example', account: ACCOUNT, status: 'active', paused: false, plan: { name: 'Pro' } },
      { id: STRANGE_ZONE, name: 'strange.example', account: OTHER, status: 'active' },
    ];
    connector = connect();
  });
  afterEach(async () => {
    await Promise.all(made.splice(0).map((one) => one.close()));
    await server.stop();
  });

  describe('zones', () => {
    it('are those of the account', async () => {
      server.token.accounts = [ACCOUNT, OTHER];
      assert.deepEqual(await ask(connector, 'zones'), [
        { id: ZONE, name: 'shop.example', status: 'active', paused: false, plan: 'Pro' },
      ]);
      const all = await ask(connect({ account_id: undefined }), 'zones');
      assert.equal(all.length, 2);
    });

    it('are read page by page, up to a limit', async () => {
      server.zones = Array.from({ length: 120 }, (_, index) => ({
        id: String(index),
        name: `${index}.example`,
        account: ACCOUNT,
      }));
      assert.equal((await ask(connector, 'zones', { limit: 500 })).length, 120);
      assert.equal(server.requests.length, 3);
      assert.equal((await ask(connector, 'zones', { limit: 60 })).length, 60);
      assert.equal(server.requests.length, 5);
    });

    it('need a permission, which is named', async () => {
      server.token.permissions.delete('Zone');
      await refused(
        ask(connector, 'zones'),
        'failed',
        /403: Authentication error \(10000\); the token needs the permission Zone, Read$/,
      );
    });
  });

  describe('the traffic of a zone', () => {
    const group = (second: number, more: object = {}) => ({
      tag: ZONE,
      at: on(second),
      count: 10,
      sum: { edgeResponseBytes: 5_000, visits: 3 },
      quantiles: {
        edgeTimeToFirstByteMsP50: 20,
        edgeTimeToFirstByteMsP95: 80,
        originResponseDurationMsP50: 15,
        originResponseDurationMsP95: 70,
      },
      dimensions: { datetimeFiveMinutes: on(second), edgeResponseStatus: 200, cacheStatus: 'hit' },
      ...more,
    });
    beforeEach(() => {
      server.traffic = [group(300), group(0), group(3_600), group(0, { tag: STRANGE_ZONE })];
    });

    it('is one record for each step, status and cache status', async () => {
      const found = await ask(connector, 'zone_analytics', { zone: 'shop.example', ...window });
      assert.equal(found.truncated, false);
      assert.deepEqual(found.groups, [
        {
          datetimeFiveMinutes: on(0),
          edgeResponseStatus: 200,
          cacheStatus: 'hit',
          count: 10,
          edgeResponseBytes: 5_000,
          visits: 3,
          edgeTimeToFirstByteMsP50: 20,
          edgeTimeToFirstByteMsP95: 80,
          originResponseDurationMsP50: 15,
          originResponseDurationMsP95: 70,
        },
        { ...found.groups[0], datetimeFiveMinutes: on(300) },
      ]);
      assert.equal((await ask(connector, 'zone_analytics', { zone: ZONE, ...window, limit: 2 })).truncated, true);
    });

    it('is what the plan has of it', async () => {
      server.lackedFields = new Set([
        'edgeTimeToFirstByteMsP50',
        'edgeTimeToFirstByteMsP95',
        'originResponseDurationMsP50',
        'originResponseDurationMsP95',
      ]);
      const found = await ask(connector, 'zone_analytics', { zone: ZONE, ...window });
      assert.deepEqual(found.groups[0], {
        datetimeFiveMinutes: on(0),
        edgeResponseStatus: 200,
        cacheStatus: 'hit',
        count: 10,
        edgeResponseBytes: 5_000,
        visits: 3,
      });
      assert.deepEqual(
        found.not_in_plan,
        [...server.lackedFields].map((name) => name.toLowerCase()),
      );
    });

    it('says which window the plan allows', async () => {
      await refused(
        ask(connector, 'zone_analytics', { zone: ZONE, from: START, to: START + 90_000 }),
        'bad_request',
        /Cloudflare: zone '.*' cannot request a time range wider than 1d/,
      );
    });

    it('is not that of another', async () => {
      await refused(
        ask(connector, 'zone_analytics', { zone: STRANGE_ZONE, ...window }),
        'not_found',
        /does not see the analytics/,
      );
      for (const zone of ['strange.example', 'shop.example&account.id=', '../accounts', `") { id } }`, 'x/../y'])
        await refused(ask(connector, 'zone_analytics', { zone, ...window }), 'not_found', /sees no zone/);
      assert.ok(paths().every((path) => path === '/graphql' || path.startsWith('/zones?account.id=')));
    });

    it('asks no more often than there are fields', async () => {
      const lacks = { errors: [{ message: "zone 'x' does not have access to the field 'count'" }] };
      server.nextTo('graphql', ...Array.from({ length: 40 }, () => ({ status: 200, body: lacks })));
      await refused(ask(connector, 'zone_analytics', { zone: ZONE, ...window }), 'bad_request', /field 'count'/);
      assert.equal(server.requests.length, 2);
    });
  });

  it('lists firewall events, newest first', async () => {
    const event = (second: number) => ({
      tag: ZONE,
      at: on(second),
      datetime: on(second),
      action: 'block',
      source: 'waf',
      ruleId: 'r1',
      rayName: `ray${second}`,
      clientCountryName: 'NL',
      clientASNDescription: 'AS',
      clientRequestHTTPHost: 'shop.example',
      clientRequestHTTPMethodName: 'GET',
      clientRequestPath: '/login',
      edgeResponseStatus: 403,
      userAgent: 'curl',
    });
    server.firewall = [event(10), event(20), event(4_000)];
    const found = await ask(connector, 'firewall_events', { zone: ZONE, ...window });
    const { tag: _tag, at: _at, ...shown } = event(20);
    assert.deepEqual(found.events[0], shown);
    assert.deepEqual([found.events.length, found.truncated], [2, false]);
    server.lackedFields = new Set(['clientASNDescription']);
    const less = await ask(connector, 'firewall_events', { zone: ZONE, ...window, limit: 1 });
    assert.deepEqual([less.events.length, less.truncated, less.not_in_plan], [1, true, ['clientasndescription']]);
    server.token.permissions.delete('Analytics');
    await refused(
      ask(connector, 'firewall_events', { zone: ZONE, ...window }),
      'failed',
      /zones \[.*\] are not authorized; the token needs the permission Zone Analytics, Read/,
    );
  });

  it('lists invocations of Workers by script and status', async () => {
    server.workers = [
      {
        tag: ACCOUNT,
        at: on(5),
        sum: { requests: 9, errors: 4, subrequests: 0 },
        quantiles: { cpuTimeP50: 700, cpuTimeP99: 9_000 },
        dimensions: { scriptName: 'checkout', status: 'scriptThrewException' },
      },
    ];
    assert.deepEqual(await ask(connector, 'worker_errors', window), {
      scripts: [
        {
          scriptName: 'checkout',
          status: 'scriptThrewException',
          requests: 9,
          errors: 4,
          subrequests: 0,
          cpuTimeP50: 700,
          cpuTimeP99: 9_000,
        },
      ],
      truncated: false,
    });
    await refused(ask(connect({ account_id: OTHER }), 'worker_errors', window), 'not_found', /does not see/);
    await refused(
      ask(connect({ account_id: undefined }), 'worker_errors', window),
      'failed',
      /No Cloudflare account is chosen/,
    );
    server.token.permissions.delete('Analytics');
    await refused(
      ask(connector, 'worker_errors', window),
      'failed',
      /not authorized for that account; the token needs the permission Account Analytics, Read/,
    );
  });

  describe('the audit log', () => {
    const entry = (second: number, type: string, more: object = {}) => ({
      id: `e${second}`,
      when: on(second),
      action: { type, result: true },
      actor: { email: 'dev@shop.example', id: 'x', ip: '203.0.113.7', type: 'user' },
      resource: { id: 'r', type: 'dns_record' },
      metadata: { zone_name: 'shop.example' },
      interface: 'API',
      oldValue: 'secret-before',
      newValue: 'secret-after',
      owner: { id: ACCOUNT },
      ...more,
    });
    beforeEach(() => {
      server.auditLogs.set(ACCOUNT, [
        entry(3_600, 'add'),
        entry(50, 'login', { metadata: null, resource: null }),
        entry(40, 'rec_set', { action: { type: 'rec_set', result: false } }),
        entry(30, 'purge', { metadata: { zone_name: 'other.example' } }),
        entry(20, 'script_update', { metadata: {}, resource: { id: 'checkout', type: 'script' } }),
        entry(10, 'rec_set'),
      ]);
      server.auditLogs.set(OTHER, [entry(10, 'rec_set')]);
    });

    it('is read newest first, without addresses and values', async () => {
      const { entries, truncated } = await ask(connector, 'audit_log', window);
      assert.equal(truncated, false);
      assert.deepEqual(
        entries.map(({ id }: { id: string }) => id),
        ['e50', 'e40', 'e30', 'e20', 'e10'],
      );
      assert.deepEqual(entries[1], {
        id: 'e40',
        when: on(40),
        action: 'rec_set',
        succeeded: false,
        actor: 'dev@shop.example',
        resource: 'dns_record',
        resource_name: 'shop.example',
        interface: 'API',
      });
      assert.doesNotMatch(JSON.stringify(entries), /203\.0\.113|secret/);
    });

    it('is read page by page, up to a limit', async () => {
      server.auditLogs.set(
        ACCOUNT,
        Array.from({ length: 350 }, (_, index) => entry(350 - index, 'rec_set')),
      );
      const whole = await ask(connector, 'audit_log', { ...window, limit: 1_000 });
      assert.deepEqual([whole.entries.length, whole.truncated, server.requests.length], [350, false, 4]);
      const some = await ask(connector, 'audit_log', { ...window, limit: 120 });
      assert.deepEqual([some.entries.length, some.truncated, some.entries[0].id], [120, true, 'e350']);
    });

    it('gives changes that succeeded, in order of time', async () => {
      const { changes, truncated } = await ask(connector, 'changes', window);
      assert.equal(truncated, false);
      assert.deepEqual(changes, [
        {
          id: 'e10',
          at: START + 10,
          kind: 'edge',
          summary: 'rec set dns record',
          service: 'shop.example',
          author: 'dev@shop.example',
        },
        { id: 'e20', at: START + 20, kind: 'edge', summary: 'script update script', author: 'dev@shop.example' },
        {
          id: 'e30',
          at: START + 30,
          kind: 'edge',
          summary: 'purge dns record',
          service: 'other.example',
          author: 'dev@shop.example',
        },
      ]);
      const of = await ask(connector, 'changes', { ...window, service: 'shop.example' });
      assert.deepEqual(
        of.changes.map(({ id }: { id: string }) => id),
        ['e10', 'e20'],
      );
    });

    it('needs a permission, which is named', async () => {
      server.token.permissions.delete('Account Settings');
      for (const operation of ['audit_log', 'changes'])
        await refused(
          ask(connector, operation, window),
          'failed',
          /10000\); the token needs the permission Account Settings, Read/,
        );
    });
  });

  describe('a failure', () => {
    const failure = async (plan: AnswerPlan, code: Parameters<typeof refused>[1], words: RegExp, context = {}) => {
      server.next(plan);
      await refused(ask(connector, 'zones', {}, context), code, words);
    };
    const analyticsFailure = async (plan: AnswerPlan, code: Parameters<typeof refused>[1], words: RegExp) => {
      server.nextTo('graphql', plan);
      await refused(ask(connector, 'worker_errors', window), code, words);
    };
    const error = (message: string, status = 200): AnswerPlan => ({
      status,
      body: { data: null, errors: [{ message, path: null, extensions: { timestamp: on(0) } }] },
    });

    it('says what would work', async () => {
      await failure({ status: 429, headers: { 'retry-after': '300' } }, 'busy', /429.*asks to wait 300 s/);
      await failure({ status: 500, body: { error: 'broken' } }, 'failed', /answered 500: .*broken/);
      await failure('garbage', 'failed', /not JSON/);
      await failure({ status: 200, body: [] }, 'failed', /unknown form/);
      await failure({ status: 200, body: { success: true, result: [{ id: 7 }] } }, 'failed', /unknown form: 0\.id/);
      await failure('huge', 'too_large', /larger than the 50000 bytes/, { maxBytes: 50_000 });
      await failure({ status: 302, headers: { location: 'https://evil.example' } }, 'failed', /redirects/);
      const unsuccessful = { success: false, errors: [{ code: 7, message: 'no' }], result: null };
      await failure({ status: 200, body: unsuccessful }, 'failed', /Cloudflare: no \(7\)/);
    });

    it("is classed by Cloudflare's words, where they have no code", async () => {
      await analyticsFailure(error('rate limiter budget depleted, try again after 5 minutes'), 'busy', /5 minutes/);
      await analyticsFailure(error('too many queries in progress, please try again later', 200), 'busy', /later/);
      await analyticsFailure(error('rate limiter budget depleted', 429), 'busy', /429: rate limiter budget depleted$/);
      await analyticsFailure(error('unknown field "x"'), 'bad_request', /^Cloudflare: unknown field "x"$/);
      await analyticsFailure(
        { status: 200, body: { data: { viewer: null }, errors: null } },
        'failed',
        /unknown form: viewer/,
      );
    });

    it('ends with the caller', async () => {
      server.next('hang');
      const abort = new AbortController();
      const asking = ask(connector, 'zones', {}, { signal: abort.signal });
      await waitUntil(() => server.requests.length === 1 || undefined, { what: 'the request' });
      abort.abort(new DOMException('late', 'TimeoutError'));
      await refused(asking, 'timeout', /did not answer in time/);
      await waitUntil(() => server.abandoned() === 1 || undefined, { what: 'the end of the connection' });
    });

    it('never repeats the token', async () => {
      await failure('echo', 'failed', /\[hidden\]/);
      const repeated = { success: false, errors: [{ code: 7, message: `bad ${server.token.value}` }], result: null };
      await failure({ status: 200, body: repeated }, 'failed', /bad \[hidden\] \(7\)/);
      await failure({ status: 403, body: repeated }, 'failed', /bad \[hidden\] \(7\)/);
      await analyticsFailure(error(`bad ${server.token.value}`), 'bad_request', /bad \[hidden\]/);
    });
  });

  it('offers a model what it can use, and the sources the rest', () => {
    const named = (tool: boolean) => connector.operations.filter((one) => one.tool === tool).map(({ name }) => name);
    assert.deepEqual(named(true), ['zones', 'zone_analytics', 'firewall_events', 'worker_errors', 'audit_log']);
    assert.deepEqual(named(false), [TEST_CONNECTION, 'changes']);
  });
});
