/** A team connects New Relic, Azure Monitor and Cloudflare over the API, and reads from them as sources. */
import assert from 'node:assert/strict';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startAzureServer, type AzureServer } from '../../support/azure-server.ts';
import { startCloudflareServer, type CloudflareServer } from '../../support/cloudflare-server.ts';
import { startNewRelicServer, type NewRelicServer } from '../../support/newrelic-server.ts';

const SHOP = 'a'.repeat(32);
const SANDBOX = 'b'.repeat(32);
const AT = '2026-09-01T12:00:00.000Z';
const window = 'from=2026-09-01T11:00:00Z&to=2026-09-01T13:00:00Z';

describe('connecting New Relic, Azure Monitor and Cloudflare', () => {
  let api: ApiOverRows;
  let newRelic: NewRelicServer;
  let cloudflare: CloudflareServer;
  let azure: AzureServer;

  before(async () => {
    [newRelic, cloudflare, azure] = await Promise.all([
      startNewRelicServer(),
      startCloudflareServer(),
      startAzureServer(),
    ]);
    api = await startApiOverRows({
      CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1',
      NEW_RELIC_API_URL: newRelic.url,
      CLOUDFLARE_API_URL: cloudflare.url,
      AZURE_AUTHORITY_HOST: azure.authorityHost,
      AZURE_RESOURCE_MANAGER_URL: azure.resourceManagerUrl,
      AZURE_LOG_ANALYTICS_URL: azure.logAnalyticsUrl,
    });
  });
  after(() => Promise.all([api?.stop(), newRelic?.stop(), cloudflare?.stop(), azure?.stop()]));

  const connected = async () => (await api.get('/api/integrations')).body.integrations as { status: string }[];

  describe('New Relic', () => {
    const step1 = (api_key: string) => api.request('POST', '/api/onboarding/apm-a/step1', { api_key, region: 'eu' });
    const step2 = (account_id: number) => api.request('POST', '/api/onboarding/apm-a/step2', { account_id });

    it('stores no key that does not work', async () => {
      newRelic.accounts = [{ id: 1, name: 'Shop' }];
      const wrong = await step1('NRAK-wrong-wrong-wrong');
      assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['body', 'api_key']]);
      newRelic.next({ status: 500 });
      assert.equal((await step1(newRelic.apiKey)).status, 503);
      newRelic.accounts = [];
      assert.equal((await step1(newRelic.apiKey)).status, 422, 'a key without accounts');
      assert.equal((await step2(1)).status, 409, 'there was no first step');
      assert.deepEqual(await connected(), []);
    });

    it('lets one of several accounts be chosen, and only one that the key sees', async () => {
      newRelic.accounts = [
        { id: 1, name: 'Shop' },
        { id: 2, name: 'Sandbox' },
      ];
      const first = await step1(newRelic.apiKey);
      assert.deepEqual(first.body, {
        status: 'select_account',
        accounts: newRelic.accounts,
        default_account_id: null,
      });
      assert.equal((await step2(3)).status, 422);
      const chosen = await step2(2);
      assert.deepEqual([chosen.status, chosen.body.default_account_id], [200, 2]);
      const again = await step1(newRelic.apiKey);
      assert.deepEqual([again.body.status, again.body.default_account_id], ['completed', 2], 'it stays chosen');
      assert.equal((await connected()).length, 1);
      assert.doesNotMatch(JSON.stringify(await connected()), new RegExp(newRelic.apiKey));
    });

    it('is a source of services and of changes', async () => {
      const timestamp = Date.parse(AT);
      newRelic.events.set(2, {
        Deployment: [{ timestamp, deploymentId: 'd1', 'entity.name': 'cart', version: '7' }],
      });
      const { status, body } = await api.get(`/api/sources/integration:new-relic/changes?${window}`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(
        body.changes.map(({ service, summary }: { service: string; summary: string }) => [service, summary]),
        [['cart', 'version 7']],
      );
      const services = await api.get('/api/sources/integration:new-relic/services');
      assert.deepEqual([services.status, services.body.services], [200, []]);
    });

    it('says what is connected, and is removed', async () => {
      const { body } = await api.get('/api/onboarding/apm-a/status');
      assert.deepEqual([body.connected, body.default_account_id, body.region], [true, '2', 'eu']);
      assert.deepEqual((await api.request('DELETE', '/api/onboarding/apm-a/')).body, { removed: true });
      assert.deepEqual((await api.request('DELETE', '/api/onboarding/apm-a/')).body, { removed: false });
      assert.equal((await api.get('/api/onboarding/apm-a/status')).body.status, 'not_connected');
    });
  });

  describe('Azure Monitor', () => {
    const PREFIX = '/api/onboarding/cloud-monitor-a';
    const principal = () => ({
      tenant_id: azure.tenantId,
      subscription_id: azure.subscriptionId,
      client_id: azure.clientId,
      client_secret: azure.clientSecret,
    });
    const connect = (changes: object = {}) => api.request('POST', `${PREFIX}/connect`, { ...principal(), ...changes });

    it('stores no service principal that does not work', async () => {
      const before = (await connected()).length;
      const wrong = await connect({ client_secret: 'wrong' });
      assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['body', 'client_secret']]);
      azure.next('token', { status: 500 });
      assert.equal((await connect()).status, 503);
      const { tenant_id, subscription_id } = principal();
      const none = await api.request('POST', `${PREFIX}/connect`, { tenant_id, subscription_id });
      assert.deepEqual([none.status, none.body.detail[0].loc], [422, ['body', 'client_id']]);
      assert.equal((await connected()).length, before);
      assert.deepEqual((await api.get(`${PREFIX}/status`)).body.status, 'not_connected');
    });

    it('connects, says so, and is removed', async () => {
      const { status, body } = await connect();
      assert.deepEqual([status, body.status], [200, 'connected'], JSON.stringify(body));
      assert.ok(!JSON.stringify(body).includes(azure.clientSecret));
      const path = `/api/integrations/${body.integration.id}`;
      const tested = await api.request('POST', `${path}/test`);
      assert.deepEqual([tested.status, tested.body.success], [200, true], JSON.stringify(tested.body));
      azure.secretExpired = true;
      azure.revokeTokens();
      const expired = await api.request('POST', `${path}/test`);
      azure.secretExpired = false;
      assert.deepEqual([expired.body.success, expired.body.field], [false, 'client_secret']);
      assert.equal((await api.get(`${PREFIX}/status`)).body.status, 'failing', 'the outcome is recorded');
      const off = await api.request('POST', `${path}/toggle`, { enabled: false });
      assert.deepEqual([off.status, off.body.status], [200, 'disabled']);
      await api.request('POST', `${path}/toggle`, { enabled: true });
      await api.request('POST', `${path}/test`);
      assert.deepEqual((await api.get(`${path}/usage`)).body, { runs: [], monitoring_agents: [] });
      const { body: now } = await api.get(`${PREFIX}/status`);
      assert.deepEqual(
        [now.connected, now.default_account_id, now.tool_server, now.integration.name],
        [true, azure.subscriptionId, 'built_in', 'azure-monitor'],
      );
      assert.deepEqual((await api.request('DELETE', `${PREFIX}/`)).body, { removed: true });
      assert.equal((await api.get(`${PREFIX}/status`)).body.connected, false);
    });
  });

  describe('Cloudflare', () => {
    const connect = (body: object) => api.request('POST', '/api/onboarding/edge-a/connect', body);

    it('stores no token that does not work', async () => {
      cloudflare.accounts = [
        { id: SHOP, name: 'Shop' },
        { id: SANDBOX, name: 'Sandbox' },
      ];
      cloudflare.token.accounts = [SHOP, SANDBOX];
      const before = (await connected()).length;
      const api_token = cloudflare.token.value;
      const wrong = await connect({ api_token: `${api_token}x` });
      assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['body', 'api_token']]);
      const several = await connect({ api_token });
      assert.deepEqual([several.status, several.body.detail[0].loc], [422, ['body', 'account_id']]);
      const strange = await connect({ api_token, account_id: 'c'.repeat(32) });
      assert.deepEqual([strange.status, strange.body.detail[0].loc], [422, ['body', 'account_id']]);
      cloudflare.next('garbage');
      assert.equal((await connect({ api_token })).status, 503);
      assert.equal((await connected()).length, before);
    });

    it('is a source of changes, from its audit log', async () => {
      const { status, body } = await connect({ api_token: cloudflare.token.value, account_id: SHOP });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body.integration.capabilities, ['changes', 'tools']);
      const entry = { id: 'e1', when: AT, action: { type: 'rec_set', result: true }, resource: { type: 'dns_record' } };
      cloudflare.auditLogs.set(SHOP, [entry]);
      const found = await api.get(`/api/sources/integration:cloudflare/changes?${window}`);
      assert.equal(found.status, 200, JSON.stringify(found.body));
      assert.deepEqual(
        found.body.changes.map(({ summary }: { summary: string }) => summary),
        ['rec set dns record'],
      );
    });

    it('says what is connected, and is removed', async () => {
      const { body } = await api.get('/api/onboarding/edge-a/status');
      assert.deepEqual([body.connected, body.status, body.tool_server], [true, 'connected', null]);
      assert.equal(body.integration.credential, `…${cloudflare.token.value.slice(-4)}`);
      assert.deepEqual((await api.request('DELETE', '/api/onboarding/edge-a/')).body, { removed: true });
      assert.deepEqual((await api.request('DELETE', '/api/onboarding/edge-a/')).body, { removed: false });
      assert.equal((await api.get('/api/onboarding/edge-a/status')).body.connected, false);
    });
  });
});
