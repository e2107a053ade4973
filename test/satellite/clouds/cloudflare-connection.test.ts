/** Against Cloudflare's published interface; no real Cloudflare was asked. */
import assert from 'node:assert/strict';
import { cloudflare, connectionTest, TEST_CONNECTION, type Connector } from '@casebook/connectors';
import { freePort } from '../../../src/embedded/free-port.ts';
import type { AnswerPlan } from '../../support/answer-plans.ts';
import { startCloudflareServer, type CloudflareServer } from '../../support/cloudflare-server.ts';
import { ask, connectorOf } from '../stores/support.ts';

const ACCOUNT = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const ZONE = '0123456789abcdef0123456789abcdef';
const STRANGE_ZONE = 'f'.repeat(32);

describe('satellite connector: cloudflare, its credential and connection', () => {
  let server: CloudflareServer;
  let connector: Connector;
  const made: Connector[] = [];

  const connect = (config: object = {}): Connector => {
    const settings = { api_token: server.token.value, account_id: ACCOUNT, api_url: server.url, ...config };
    const one = connectorOf(cloudflare, settings);
    made.push(one);
    return one;
  };
  const test = async (one: Connector) => connectionTest.parse(await ask(one, TEST_CONNECTION));
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

  it('has the id of an account, and no setting that is not known', () => {
    const problems = (config: object): string => {
      const { error } = cloudflare.config.safeParse({ api_token: 'x', ...config });
      return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n') ?? '';
    };
    assert.equal(problems({}), '');
    for (const account_id of ['x', `../${ACCOUNT}`, ACCOUNT.toUpperCase(), `${ACCOUNT}/x`])
      assert.match(problems({ account_id }), /account_id: must be the id of an account/);
    assert.match(problems({ api_token: 'a\r\nb' }), /api_token/);
    assert.match(problems({ token: 'x' }), /[Uu]nrecognized key/);
    assert.match(problems({ api_url: 'ftp://x' }), /api_url: must be an http or https URL/);
  });

  describe('its test', () => {
    it('verifies the token of a user, and lists the accounts that it sees', async () => {
      server.token.accounts = [ACCOUNT, OTHER];
      const found = await test(connect({ account_id: undefined }));
      assert.deepEqual(
        { ...found, latencyMs: 0 },
        {
          status: 'ok',
          message: 'Connected to Cloudflare.',
          latencyMs: 0,
          warnings: [],
          resources: [
            { id: ACCOUNT, name: 'Shop' },
            { id: OTHER, name: 'Sandbox' },
          ],
        },
      );
      await connector.check(new AbortController().signal);
    });

    it('verifies the token of an account, known or not', async () => {
      server.token.owner = ACCOUNT;
      for (const account_id of [ACCOUNT, undefined]) {
        assert.equal((await test(connect({ account_id }))).status, 'ok');
        assert.ok(paths().includes(`/accounts/${ACCOUNT}/tokens/verify`));
        server.requests.length = 0;
      }
    });

    it('sees an account beyond the first page', async () => {
      const many = Array.from({ length: 60 }, (_, index) => ({
        id: index.toString(16).padStart(32, '0'),
        name: String(index),
      }));
      server.accounts = [...many, { id: ACCOUNT, name: 'Shop' }];
      server.token.accounts = server.accounts.map(({ id }) => id);
      const found = await test(connector);
      assert.deepEqual([found.status, found.resources.length], ['ok', 51]);
      assert.deepEqual(found.resources.at(-1), { id: ACCOUNT, name: 'Shop' });
    });

    for (const account_id of [ACCOUNT, undefined])
      it(`names a wrong token, with ${account_id === undefined ? 'no account' : 'an account'}`, async () => {
        const wrong = `${server.token.value}x`;
        const found = await test(connect({ account_id, api_token: wrong }));
        assert.deepEqual([found.status, found.field], ['refused', 'api_token']);
        assert.match(found.message, /401: Invalid API Token \(1000\)/);
        assert.doesNotMatch(found.message, new RegExp(wrong));
      });

    it('names what is no token, with each reason', async () => {
      const found = await test(connect({ api_token: 'short' }));
      assert.deepEqual([found.status, found.field], ['refused', 'api_token']);
      assert.match(found.message, /Invalid request headers \(6003\); Invalid format for Authorization header \(6111\)/);
    });

    it('names a token that was turned off', async () => {
      server.token.status = 'disabled';
      const found = await test(connector);
      assert.deepEqual([found.status, found.field, found.message], ['refused', 'api_token', 'The token is disabled.']);
    });

    it('names an account that the token does not see', async () => {
      const found = await test(connect({ account_id: OTHER }));
      assert.deepEqual([found.status, found.field], ['refused', 'account_id']);
      assert.deepEqual(found.resources, [{ id: ACCOUNT, name: 'Shop' }]);
    });

    it('warns of a token without accounts', async () => {
      server.token.permissions.delete('Account Settings');
      const found = await test(connect({ account_id: undefined }));
      assert.equal(found.status, 'ok');
      assert.match(found.warnings.join(), /add Account Settings, Read/);
    });

    for (const [what, plan] of [
      ['a page', 'garbage'],
      ['another system', { status: 404, body: {} }],
      ['an answer of another form', { status: 200, body: { success: true, result: { ok: 1 } } }],
      ['an error', { status: 500 }],
      ['its limit', { status: 429, headers: { 'retry-after': '300' } }],
    ] as [string, AnswerPlan][])
      it(`takes ${what} for no answer`, async () => {
        server.next(plan);
        assert.equal((await test(connector)).status, 'unreachable');
        assert.equal(server.requests.length, 1);
      });

    it('says so where nothing listens', async () => {
      const found = await test(connect({ api_url: `http://127.0.0.1:${await freePort()}/client/v4` }));
      assert.equal(found.status, 'unreachable');
      assert.match(found.message, /did not answer: ECONNREFUSED/);
    });
  });

  it('goes nowhere that its network forbids', async () => {
    const network = {
      lookup: () => assert.fail('looked up'),
      hostProblem: () => undefined,
      urlProblem: () => 'is private',
    };
    const one = connectorOf(cloudflare, { api_token: server.token.value, api_url: server.url }, { network });
    made.push(one);
    assert.match((await test(one)).message, /is private/);
    assert.equal(server.requests.length, 0);
  });
});
