/** What is connected is changed or connected again: what stays, what is mended, and what the team is told. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { checkDue } from '../../../src/features/integrations/health.ts';
import { NOTIFICATION, notificationOf } from '../../../src/features/notifications/index.ts';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { startHttpMcpServer, type HttpMcpServer } from '../../mcp/http-server.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startHoldingProxy, type HoldingProxy } from '../../support/holding-proxy.ts';
import { createIntegration } from '../../support/integration-rows.ts';
import { startNewRelicServer, type NewRelicServer } from '../../support/newrelic-server.ts';

const SQL = '/api/onboarding/sql-db/integrations';
const MCP = '/api/integrations/mcp';
const APM = '/api/onboarding/apm-a';
const DAY_MS = 24 * 3_600_000;

describe('connecting again', () => {
  let api: ApiOverRows;
  let newRelic: NewRelicServer;
  let toNewRelic: HoldingProxy;
  let mcp: HttpMcpServer;
  let worker: ReturnType<typeof composeRooms>;
  let closing: AsyncDisposableStack;
  let database: { name: string } & Record<string, unknown>;

  before(async () => {
    [newRelic, mcp] = await Promise.all([startNewRelicServer(), startHttpMcpServer()]);
    toNewRelic = await startHoldingProxy(newRelic.url);
    const env = {
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
      CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'),
      NEW_RELIC_API_URL: toNewRelic.url,
    };
    api = await startApiOverRows(env);
    const config = testConfig({ ...env, DATABASE_URL: api.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const core = await openCore(config, recordedLog('silent').log);
    closing = core.closing;
    worker = composeRooms(core);
    const { hostname, port, pathname, username, password } = new URL(api.database.url);
    database = {
      name: 'orders-db',
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      ssl_mode: 'disable',
    };
  });
  after(async () => {
    await closing?.disposeAsync();
    await Promise.all([api?.stop(), newRelic?.stop(), toNewRelic?.stop(), mcp?.close()]);
  });
  beforeEach(async () => {
    await em().nativeDelete(Integration, {});
    await em().nativeDelete(Effect, {});
  });

  const em = () => forTeam(api.database.orm.em, api.teamId);
  const only = () => em().findOneOrFail(Integration, {});
  const change = (values: Partial<Integration>) => em().nativeUpdate(Integration, {}, values);
  const told = async () =>
    (await em().find(Effect, { kind: NOTIFICATION })).map((effect) => notificationOf(effect).message.title);
  const good = ({ status, body }: Awaited<ReturnType<ApiOverRows['request']>>) => {
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const connect = async () => good(await api.request('POST', SQL, database));

  describe('when the secrets cannot be opened', () => {
    const LOST = 'v1.00000000.AAAA';

    it('renames, and is mended by a new password', async () => {
      const { id } = await connect();
      await change({ sealed: LOST });
      const renamed = good(await api.request('PUT', `${SQL}/${id}`, { name: 'Orders' }));
      assert.deepEqual([renamed.name, (await only()).sealed], ['Orders', LOST]);
      assert.match(renamed.error, /cannot be opened/);
      assert.equal((await api.request('POST', SQL, database)).status, 409, 'it may be another');
      const { password } = database;
      const mended = good(await api.request('PUT', `${SQL}/${id}`, { password }));
      assert.deepEqual([mended.status, mended.error], ['connected', null]);
      assert.equal(worker.integrations.vault.open(await only())['password'], password);
    });

    it('shows an MCP server and its decisions all the same', async () => {
      const { integration } = good(
        await api.request('POST', MCP, { name: 'tickets', url: mcp.url, headers: { 'x-key': '1' } }),
      );
      await change({ sealed: LOST });
      const shown = good(await api.request('PUT', `${MCP}/${integration.id}`, { tools: { echo: 'read' } }));
      assert.deepEqual([shown.header_names, shown.url], [[], mcp.url]);
      good(await api.request('PUT', `${MCP}/${integration.id}`, { headers: { 'x-key': '2' } }));
      const again = good(await api.request('POST', MCP, { name: 'tickets', url: mcp.url, headers: { 'x-key': '3' } }));
      assert.deepEqual(again.integration.header_names, ['x-key']);
    });
  });

  it('turns on what was turned off, with the same settings', async () => {
    const { id } = await connect();
    good(await api.request('POST', `${SQL}/${id}/toggle`, { enabled: false }));
    assert.equal((await connect()).enabled, true);
    assert.equal((await only()).enabled, true);
  });

  describe('after a failure', () => {
    const failing = { status: 'failing' as const, error: 'It does not answer.' };

    it('tells the team once that a changed integration answers again', async () => {
      const { id } = await connect();
      assert.deepEqual(await told(), [], 'a first connection is no news');
      await change(failing);
      const { password } = database;
      good(await api.request('PUT', `${SQL}/${id}`, { password }));
      good(await api.request('PUT', `${SQL}/${id}`, { password }));
      assert.deepEqual(await told(), ['orders-db answers again']);
    });

    it('tells the team once that one that was connected again does', async () => {
      newRelic.accounts = [{ id: 1, name: 'Shop' }];
      const step1 = () => api.request('POST', `${APM}/step1`, { api_key: newRelic.apiKey, region: 'eu' });
      good(await step1());
      await change({ ...failing, status: 'needs_reconnect' });
      await Promise.all([step1(), step1()].map(async (answer) => good(await answer)));
      assert.deepEqual(await told(), ['new-relic answers again']);
      await change(failing);
      good(await api.request('POST', `${APM}/step2`, { account_id: 1 }));
      assert.equal((await told()).length, 1, 'nobody has asked New Relic');
      assert.equal((await only()).status, 'failing');
    });
  });

  it("keeps New Relic's account that was chosen while the first step was under way", async () => {
    newRelic.accounts = [
      { id: 1, name: 'Shop' },
      { id: 2, name: 'Sandbox' },
    ];
    const step1 = () => api.request('POST', `${APM}/step1`, { api_key: newRelic.apiKey, region: 'eu' });
    good(await step1());
    const { held, release } = toNewRelic.holdNext('/');
    const slow = step1();
    await held;
    good(await api.request('POST', `${APM}/step2`, { account_id: 2 }));
    release();
    assert.deepEqual(good(await slow).default_account_id, 2);
    assert.equal((await only()).settings['account_id'], 2);
  });

  describe('over a consent that nobody has given', () => {
    const waiting = async (createdAt: Date) => {
      const manager = em();
      const { vault } = worker.integrations;
      const given = { teamId: api.teamId, family: 'mcp', name: 'orders-db', settings: {}, secrets: {} } as const;
      const row = createIntegration(manager, vault, given);
      manager.assign(row, { status: 'pending', createdAt, pending: vault.sealText(row, '{}') });
      await manager.flush();
    };

    it('takes its name', async () => {
      await waiting(new Date());
      const { id, family } = await connect();
      assert.deepEqual([family, (await only()).id], ['sql-db', id]);
    });

    it('keeps a newer one for a day of its own', async () => {
      await waiting(new Date(Date.now() - DAY_MS + 60_000));
      const { keep } = await import('../../../src/features/integrations/oauth/flow.ts');
      const { draftOf } = await import('../../../src/features/integrations/service.ts');
      const draft = draftOf(api.teamId, { family: 'mcp', name: 'orders-db', settings: {}, secrets: {} });
      const credential = await em().execute<{ id: string }[]>('select id from credentials limit 1');
      const consent = { url: '', state: 's', verifier: 'v' };
      await keep(
        { clock: worker.clock, vault: worker.integrations.vault },
        em(),
        { teamId: api.teamId, credentialId: credential[0]!.id } as never,
        draft,
        { name: 'orders-db', redirectUri: 'http://127.0.0.1', consent },
      );
      const later = { now: () => new Date(Date.now() + 120_000) };
      await checkDue({ ...worker.integrations.service, clock: later }, new AbortController().signal);
      assert.equal(await em().count(Integration, { status: 'pending' }), 1);
    });
  });
});
