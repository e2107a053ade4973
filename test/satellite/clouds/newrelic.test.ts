/** Against New Relic's published schema and documentation; no real New Relic was asked. */
import assert from 'node:assert/strict';
import { newrelic, TEST_CONNECTION, type Connector } from '@casebook/connectors';
import type { AnswerPlan } from '../../support/answer-plans.ts';
import { startNewRelicServer, type FakeEntity, type NewRelicServer } from '../../support/newrelic-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ask, connectorOf, refused } from '../stores/support.ts';

const ACCOUNT = 1_234_567;
const OTHER = 7_654_321;
const START = 1_790_000_000;
const window = { from: START, to: START + 1_000 };

const entity = (name: string, more: Partial<FakeEntity> = {}): FakeEntity => ({
  guid: Buffer.from(`${ACCOUNT}|APM|APPLICATION|${name}`).toString('base64'),
  name,
  accountId: ACCOUNT,
  domain: 'APM',
  type: 'APPLICATION',
  alertSeverity: 'NOT_ALERTING',
  reporting: true,
  goldenMetrics: [],
  ...more,
});
const at = (second: number, event: Record<string, unknown>) => ({ timestamp: (START + second) * 1_000, ...event });
const log = (second: number, message: string, more: Record<string, unknown> = {}) =>
  at(second, { message, level: 'INFO', 'service.name': 'cart', ...more });

describe('satellite connector: newrelic', () => {
  let server: NewRelicServer;
  let connector: Connector;
  const made: Connector[] = [];

  const connect = (config: object = {}): Connector => {
    const one = connectorOf(newrelic, { api_key: server.apiKey, account_id: ACCOUNT, api_url: server.url, ...config });
    made.push(one);
    return one;
  };
  const names = (found: { entities: { name: string }[] }) => found.entities.map(({ name }) => name);

  beforeEach(async () => {
    server = await startNewRelicServer();
    server.accounts = [
      { id: ACCOUNT, name: 'Shop' },
      { id: OTHER, name: 'Sandbox' },
    ];
    connector = connect();
  });
  afterEach(async () => {
    await Promise.all(made.splice(0).map((one) => one.close()));
    await server.stop();
  });

  describe('NRQL', () => {
    beforeEach(() => {
      server.events.set(ACCOUNT, {
        Transaction: [at(1, { name: 'GET /', duration: 1 }), at(2, { name: 'GET /', duration: 3 })],
      });
    });

    it('is sent as a variable, to the chosen account', async () => {
      const query = "SELECT average(duration) FROM Transaction WHERE name = 'GET /' FACET name";
      const found = await ask(connector, 'nrql', { query });
      assert.deepEqual(found, {
        results: [{ name: 'GET /', facet: 'GET /', 'average.duration': 2 }],
        messages: [],
      });
      const [variables] = server.variables();
      assert.deepEqual([variables?.['query'], variables?.['account']], [query, ACCOUNT]);
      assert.doesNotMatch(server.requests[0]!.body.replace(JSON.stringify(query), ''), /average/);
    });

    it('is stopped by New Relic when the time is over', async () => {
      await ask(connector, 'nrql', { query: 'SELECT count(*) FROM Transaction' }, { remainingMs: 20_000 });
      assert.equal(server.variables()[0]?.['timeout'], 20);
    });

    it('only reads', async () => {
      for (const query of ['DELETE FROM Transaction', 'mutation { x }', '} { actor { user { email } } }'])
        await refused(ask(connector, 'nrql', { query }), 'bad_request', /begins with SELECT/);
      assert.equal(server.requests.length, 0);
    });

    it("fails with New Relic's words", async () => {
      await refused(
        ask(connector, 'nrql', { query: 'SELECT apiKey FROM Transaction HAVING 1' }),
        'bad_request',
        /NRQL Syntax Error: Error at line 1 position \d+, unexpected 'HAVING'/,
      );
      await refused(
        ask(connect({ account_id: 99 }), 'nrql', { query: 'SELECT count(*) FROM A' }),
        'failed',
        /New Relic refuses: You do not have access to account 99/,
      );
      await refused(
        ask(connect({ account_id: undefined }), 'nrql', { query: 'SELECT count(*) FROM A' }),
        'failed',
        /No New Relic account is chosen/,
      );
    });
  });

  describe('entities', () => {
    it('are searched in the account, page by page', async () => {
      server.pageSize = 2;
      server.entities = [
        ...['a', 'b', 'c', 'd', 'e'].map((name) => entity(name)),
        entity('strange', { accountId: OTHER }),
        entity('disk', { domain: 'INFRA', type: 'HOST', alertSeverity: 'CRITICAL' }),
      ];
      const whole = await ask(connector, 'search_entities');
      assert.deepEqual([names(whole), whole.truncated], [['a', 'b', 'c', 'd', 'e', 'disk'], false]);
      const some = await ask(connector, 'search_entities', { limit: 3 });
      assert.deepEqual([names(some), some.truncated], [['a', 'b', 'c'], true]);
      const critical = await ask(connector, 'search_entities', {
        alert_severity: 'CRITICAL',
        domain: 'INFRA',
        type: 'host',
      });
      assert.deepEqual(names(critical), ['disk']);
    });

    it('of another account are dropped, even if New Relic finds them', async () => {
      const entities = [entity('strange', { accountId: OTHER }), entity('web')];
      const entitySearch = { count: 2, results: { nextCursor: null, entities } };
      server.next({ status: 200, body: { data: { actor: { entitySearch } } } });
      assert.deepEqual(names(await ask(connector, 'search_entities')), ['web']);
    });

    it('of types that the search does not know are told apart', async () => {
      server.entities = [
        entity('otel', { domain: 'EXT', type: 'SERVICE' }),
        entity('pulse', { domain: 'EXT', type: 'ALERT' }),
      ];
      assert.deepEqual(names(await ask(connector, 'search_entities', { domain: 'EXT', type: 'SERVICE' })), ['otel']);
    });

    it('are found by any name, which is data', async () => {
      const name = `o'cart") { guid } } x: user { email`;
      server.entities = [entity(name), entity('other')];
      assert.deepEqual(names(await ask(connector, 'search_entities', { name })), [name]);
    });

    it('are services if they are applications or report by OpenTelemetry', async () => {
      server.entities = [
        entity('web'),
        entity('cart', { domain: 'EXT', type: 'SERVICE' }),
        entity('cart', { guid: 'x' }),
        entity('aws', { domain: 'EXT', type: 'ALERT' }),
        entity('disk', { domain: 'INFRA', type: 'HOST' }),
      ];
      assert.deepEqual(await ask(connector, 'services'), [{ name: 'cart' }, { name: 'web' }]);
    });
  });

  describe('golden metrics', () => {
    const metric = (name: string, query: (since?: string, until?: string) => string) => ({
      name,
      title: name,
      unit: 'MS',
      query,
    });

    it('are series over the window, whatever of that their queries have', async () => {
      const select = "SELECT average(duration) FROM Transaction WHERE appName = 'since o\\'clock timeseries'";
      const app = entity('web', {
        goldenMetrics: [
          metric('bare', () => select),
          metric('series', () => `${select} TIMESERIES`),
          metric('whole', (since, until) => `${select} SINCE ${since} UNTIL ${until} TIMESERIES`),
        ],
      });
      server.entities = [app];
      server.events.set(ACCOUNT, {
        Transaction: [at(50, { duration: 4, appName: "since o'clock timeseries" }), at(2_000, { duration: 9 })],
      });
      const found = await ask(connector, 'golden_metrics', { guid: app.guid, ...window });
      assert.equal(found.entity, 'web');
      for (const { points, unit, name } of found.metrics) {
        assert.equal(unit, 'MS');
        assert.equal(points.length, 10, name);
        assert.deepEqual(points[0], {
          beginTimeSeconds: START,
          endTimeSeconds: START + 100,
          'average.duration': 4,
        });
        assert.equal(points[9]['average.duration'], 0);
      }
      assert.equal(found.metrics.length, 3);
    });

    it('are not of other accounts', async () => {
      server.entities = [entity('strange', { accountId: OTHER })];
      for (const guid of [server.entities[0]!.guid, 'bm9uZQ=='])
        await refused(ask(connector, 'golden_metrics', { guid, ...window }), 'not_found', /no such entity/);
      await assert.rejects(ask(connector, 'golden_metrics', { guid: 'x") {', ...window }));
    });
  });

  it('lists the issues that were open in the window', async () => {
    const issue = (id: string, from: number, to?: number, more: object = {}) => ({
      issueId: id,
      accountId: ACCOUNT,
      title: [`${id} is slow`, 'and fails'],
      priority: 'CRITICAL',
      state: to === undefined ? 'ACTIVATED' : 'CLOSED',
      entityNames: ['cart'],
      createdAt: (START + from) * 1_000,
      ...(to !== undefined && { closedAt: (START + to) * 1_000 }),
      totalIncidents: 2,
      ...more,
    });
    server.issues = [
      issue('a', -50, 10),
      issue('b', 20),
      issue('early', -50, -10),
      issue('late', 2_000),
      issue('strange', 20, undefined, { accountId: OTHER }),
    ];
    const { issues, truncated } = await ask(connector, 'issues', window);
    assert.deepEqual(issues, [
      {
        id: 'a',
        title: 'a is slow; and fails',
        priority: 'CRITICAL',
        state: 'CLOSED',
        entityNames: ['cart'],
        totalIncidents: 2,
        opened_at: new Date((START - 50) * 1_000).toISOString(),
        closed_at: new Date((START + 10) * 1_000).toISOString(),
      },
      {
        id: 'b',
        title: 'b is slow; and fails',
        priority: 'CRITICAL',
        state: 'ACTIVATED',
        entityNames: ['cart'],
        totalIncidents: 2,
        opened_at: new Date((START + 20) * 1_000).toISOString(),
        closed_at: null,
      },
    ]);
    assert.equal(truncated, false);
    const closed = await ask(connector, 'issues', { ...window, state: 'CLOSED' });
    assert.deepEqual(
      closed.issues.map(({ id }: { id: string }) => id),
      ['a'],
    );
    server.pageSize = 1;
    assert.equal((await ask(connector, 'issues', window)).truncated, true);
  });

  describe('changes', () => {
    beforeEach(() => {
      server.events.set(ACCOUNT, {
        Deployment: [
          at(30, {
            deploymentId: 'd1',
            deploymentType: 'ROLLING',
            'entity.name': 'cart',
            version: '1.4.2',
            description: 'Faster checkout',
            commit: 'abc123',
            user: 'dev@shop.example',
            deepLink: 'https://ci.example/1',
          }),
        ],
        ChangeTrackingEvent: [
          at(10, {
            changeTrackingId: 'c1',
            category: 'Feature Flag',
            type: 'Basic',
            'entity.name': "o'web",
            shortDescription: 'new-search on',
          }),
          at(20, { changeTrackingId: 'c2', category: 'Deployment', type: 'Basic', 'entity.name': 'cart' }),
          at(1_000, { changeTrackingId: 'late', category: 'Deployment' }),
        ],
      });
    });

    it('are deployments and events of the newer API, in order of time', async () => {
      assert.deepEqual(await ask(connector, 'changes', window), {
        changes: [
          { id: 'c1', at: START + 10, service: "o'web", kind: 'feature_flag', summary: 'new-search on' },
          { id: 'c2', at: START + 20, service: 'cart', kind: 'deploy', summary: 'no description' },
          {
            id: 'd1',
            at: START + 30,
            service: 'cart',
            kind: 'deploy',
            summary: 'version 1.4.2, Faster checkout, commit abc123',
            author: 'dev@shop.example',
            url: 'https://ci.example/1',
          },
        ],
        truncated: false,
      });
      const limited = await ask(connector, 'changes', { ...window, limit: 1 });
      assert.deepEqual([limited.changes.map(({ id }: { id: string }) => id), limited.truncated], [['d1'], true]);
      assert.equal((await ask(connector, 'deployments', window)).length, 3);
    });

    it('are those of a service, whatever its name', async () => {
      const ids = async (service: string) =>
        (await ask(connector, 'changes', { ...window, service })).changes.map(({ id }: { id: string }) => id);
      assert.deepEqual(await ids("o'web"), ['c1']);
      for (const service of [
        "x' OR 'a' != 'b",
        String.raw`x\' OR name != \'`,
        '\\',
        "'",
        'x" FACET user',
        "x'\nLIMIT 1",
      ])
        assert.deepEqual(await ids(service), [], service);
    });
  });

  describe('log lines', () => {
    const messages = async (query: object = {}): Promise<string[]> =>
      (await ask(connector, 'search_logs', { ...window, ...query })).lines.map(
        ({ message }: { message: string }) => message,
      );

    beforeEach(() => {
      server.events.set(ACCOUNT, {
        Log: [
          log(1, 'started'),
          log(2, 'Disk 95% full', { level: 'WARN' }),
          log(3, 'Disk 95 of 100 full', { level: 'warning' }),
          log(4, `said "it's" C:\\x`, { level: 'ERROR', 'service.name': undefined, 'entity.name': 'web' }),
          log(5, 'other', { 'service.name': "o'web" }),
          log(1_000, 'late'),
        ],
      });
    });

    it('are in order of time, of one service or all', async () => {
      const { lines, truncated } = await ask(connector, 'search_logs', window);
      assert.equal(truncated, false);
      assert.deepEqual(lines[0], { at: START + 1, service: 'cart', message: 'started', level: 'INFO' });
      assert.equal(lines[3].service, 'web');
      assert.equal(lines.length, 5);
      assert.deepEqual(await messages({ service: 'web' }), [`said "it's" C:\\x`]);
      assert.deepEqual(await messages({ service: "o'web" }), ['other']);
      assert.deepEqual(await messages({ limit: 2 }), [`said "it's" C:\\x`, 'other']);
      assert.equal((await ask(connector, 'search_logs', { ...window, limit: 2 })).truncated, true);
    });

    it('are found by level and by text, whose signs are themselves', async () => {
      assert.deepEqual(await messages({ level: 'warn' }), ['Disk 95% full', 'Disk 95 of 100 full']);
      assert.deepEqual(await messages({ text: 'STARTED' }), ['started']);
      assert.deepEqual(await messages({ text: 'disk 95% full' }), ['Disk 95% full']);
      assert.deepEqual(await messages({ text: "it's" }), [`said "it's" C:\\x`]);
      assert.deepEqual(await messages({ text: 'C:\\x' }), [`said "it's" C:\\x`]);
      for (const text of ["x' OR 'a' != 'b", String.raw`\' OR level != \'`, "' LIMIT 1 --", '%%'])
        assert.deepEqual(await messages({ text }), [], text);
    });
  });

  describe('a failure', () => {
    const query = { query: 'SELECT count(*) FROM A' };
    const failure = async (plan: AnswerPlan, code: Parameters<typeof refused>[1], words: RegExp, context = {}) => {
      server.next(plan);
      await refused(ask(connector, 'nrql', query, context), code, words);
    };
    const error = (message: string, extensions: object = {}): AnswerPlan => ({
      status: 200,
      body: { data: null, errors: [{ message, extensions }] },
    });

    it('says what would work', async () => {
      await failure({ status: 429, headers: { 'retry-after': '9' } }, 'busy', /429.*asks to wait 9 s/);
      await failure({ status: 500, body: { error: 'broken' } }, 'failed', /answered 500: .*broken/);
      await failure('garbage', 'failed', /not JSON/);
      await failure({ status: 200, body: [] }, 'failed', /unknown form/);
      await failure({ status: 200, body: { data: { actor: null } } }, 'failed', /unknown form: actor/);
      await failure('huge', 'too_large', /larger than the 50000 bytes/, { maxBytes: 50_000 });
      await failure({ status: 302, headers: { location: 'https://evil.example' } }, 'failed', /redirects/);
    });

    it("is classed as New Relic's errors are", async () => {
      await failure(error('Took too long', { errorClass: 'TIMEOUT' }), 'timeout', /New Relic: Took too long/);
      await failure(error('Slow down', { errorClass: 'TOO_MANY_REQUESTS' }), 'busy', /Slow down/);
      await failure(error('Oops', { errorClass: 'SERVER_ERROR' }), 'failed', /Oops/);
      await failure(error('Unknown attribute apiKey'), 'bad_request', /Unknown attribute/);
      await failure(error('Access denied.'), 'failed', /refuses: Access denied/);
      await failure({ status: 403 }, 'failed', /does not accept the key/);
    });

    it('is not a warning', async () => {
      server.warning = 'This field is deprecated! Please use another.';
      assert.deepEqual((await ask(connector, 'nrql', query)).results, [{ count: 0 }]);
    });

    it('ends with the caller', async () => {
      server.next('hang');
      const abort = new AbortController();
      const asking = ask(connector, 'nrql', query, { signal: abort.signal });
      await waitUntil(() => server.requests.length === 1 || undefined, { what: 'the request' });
      abort.abort(new DOMException('late', 'TimeoutError'));
      await refused(asking, 'timeout', /did not answer in time/);
      await waitUntil(() => server.abandoned() === 1 || undefined, { what: 'the end of the connection' });
    });

    it('never repeats the key', async () => {
      await failure('echo', 'failed', /\[hidden\]/);
      await failure(error(`Bad key ${server.apiKey}`), 'bad_request', /Bad key \[hidden\]/);
      await failure(error(`Access denied for ${server.apiKey}`), 'failed', /for \[hidden\]/);
    });
  });

  it('offers a model what it can use, and the sources the rest', () => {
    const named = (tool: boolean) => connector.operations.filter((one) => one.tool === tool).map(({ name }) => name);
    assert.deepEqual(named(true), ['nrql', 'search_entities', 'golden_metrics', 'issues', 'deployments']);
    assert.deepEqual(named(false), [TEST_CONNECTION, 'changes', 'services', 'search_logs']);
  });
});
