/** Against New Relic's published schema and documentation; no real New Relic was asked. */
import assert from 'node:assert/strict';
import { connectionTest, newrelic, TEST_CONNECTION, type Connector } from '@casebook/connectors';
import { freePort } from '../../../src/embedded/free-port.ts';
import type { AnswerPlan } from '../../support/answer-plans.ts';
import { startNewRelicServer, type NewRelicServer } from '../../support/newrelic-server.ts';
import { ask, connectorOf } from '../stores/support.ts';

const ACCOUNT = 1_234_567;
const OTHER = 7_654_321;

describe('satellite connector: newrelic, its credential and connection', () => {
  let server: NewRelicServer;
  let connector: Connector;
  const made: Connector[] = [];

  const connect = (config: object = {}): Connector => {
    const one = connectorOf(newrelic, { api_key: server.apiKey, account_id: ACCOUNT, api_url: server.url, ...config });
    made.push(one);
    return one;
  };
  const test = async (one: Connector) => connectionTest.parse(await ask(one, TEST_CONNECTION));

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

  it('has a region, and no setting that is not known', () => {
    const problems = (config: object): string => {
      const { error } = newrelic.config.safeParse({ api_key: 'NRAK-x', ...config });
      return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n') ?? '';
    };
    assert.equal(problems({}), '');
    assert.equal(problems({ region: 'jp' }), '');
    assert.match(problems({ region: 'mars' }), /region/);
    assert.match(problems({ account_id: '12' }), /account_id/);
    assert.match(problems({ api_key: 'a\nb' }), /api_key/);
    assert.match(problems({ key: 'x' }), /[Uu]nrecognized key/);
    assert.match(problems({ api_url: 'https://a:b@x' }), /api_url: contains credentials/);
  });

  describe('its test', () => {
    it('says whose key it is, and which accounts it sees, before one is chosen', async () => {
      const found = await test(connect({ account_id: undefined }));
      assert.deepEqual(
        { ...found, latencyMs: 0 },
        {
          status: 'ok',
          message: 'Connected to New Relic as ops@shop.example.',
          latencyMs: 0,
          warnings: [],
          resources: [
            { id: String(ACCOUNT), name: 'Shop' },
            { id: String(OTHER), name: 'Sandbox' },
          ],
        },
      );
      await connector.check(new AbortController().signal);
    });

    for (const how of ['status', 'error'] as const)
      it(`names a wrong key that is refused by ${how}`, async () => {
        server.refuses = how;
        const found = await test(connect({ api_key: 'NRAK-wrong-wrong-wrong' }));
        assert.deepEqual([found.status, found.field], ['refused', 'api_key']);
        assert.doesNotMatch(found.message, /NRAK/);
      });

    it('names an account that the key does not see', async () => {
      const found = await test(connect({ account_id: 99 }));
      assert.deepEqual([found.status, found.field, found.resources.length], ['refused', 'account_id', 2]);
      assert.match(found.message, /does not see account 99/);
    });

    for (const [what, plan] of [
      ['a page', 'garbage'],
      ['another system', { status: 200, body: { data: { viewer: {} } } }],
      ['an error', { status: 500, body: {} }],
      ['its limit', { status: 429, headers: { 'retry-after': '9' } }],
    ] as [string, AnswerPlan][])
      it(`takes ${what} for no answer`, async () => {
        server.next(plan);
        assert.equal((await test(connector)).status, 'unreachable');
      });

    it('says so where nothing listens', async () => {
      const found = await test(connect({ api_url: `http://127.0.0.1:${await freePort()}` }));
      assert.equal(found.status, 'unreachable');
      assert.match(found.message, /did not answer: ECONNREFUSED/);
      await assert.rejects(
        connect({ api_url: `http://127.0.0.1:${await freePort()}` }).check(new AbortController().signal),
        /ECONNREFUSED/,
      );
    });
  });

  it('goes nowhere that its network forbids', async () => {
    const network = {
      lookup: () => assert.fail('looked up'),
      hostProblem: () => undefined,
      urlProblem: () => 'is private',
    };
    const one = connectorOf(newrelic, { api_key: 'NRAK-12345678', api_url: server.url }, { network });
    made.push(one);
    const found = await test(one);
    assert.equal(found.status, 'unreachable');
    assert.match(found.message, /is private/);
    assert.equal(server.requests.length, 0);
  });
});
