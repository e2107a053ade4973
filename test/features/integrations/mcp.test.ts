/** Remote MCP servers of a team: with headers, and with the consent that a real authorization server asks for. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { deliverRevocations } from '../../../src/features/integrations/oauth/revocation.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { startHttpMcpServer, type HttpMcpServer } from '../../mcp/http-server.ts';
import { addressOf } from '../../support/address.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startMcpAuthorizationServer, type McpAuthorizationServer } from '../../support/mcp-authorization.ts';

const PATH = '/api/integrations/mcp';

describe('connecting MCP servers', () => {
  const env = { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1', CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex') };
  let api: ApiOverRows;
  let open: HttpMcpServer;
  /** What the open server accepts. */
  let accepted = 'the right one';
  before(async () => {
    api = await startApiOverRows(env);
    open = await startHttpMcpServer({
      refusal: ({ 'x-key': key }) => (key === accepted ? undefined : { status: 401 }),
    });
  });
  after(async () => {
    await api?.stop();
    await open?.close();
  });
  const create = (body: object) => api.request('POST', PATH, body);

  it('offers the tools that a server declares read-only, and others as the team decides', async () => {
    const { status, body } = await create({ name: 'tickets', url: open.url, headers: { 'X-Key': 'the right one' } });
    assert.deepEqual([status, body.status], [200, 'connected'], JSON.stringify(body));
    const { integration } = body;
    assert.deepEqual([integration.header_names, integration.capabilities], [['x-key'], ['tools']]);
    assert.ok(!JSON.stringify(body).includes('the right one'));
    assert.ok(integration.tools.length > 0);
    for (const { read_only, allowed } of integration.tools) assert.equal(allowed, read_only);
    const [writing] = integration.tools.filter((tool: { read_only: boolean }) => !tool.read_only);
    assert.ok(writing, 'one may change things');
    const change = (changes: object) => api.request('PUT', `${PATH}/${integration.id}`, changes);
    const decided = await change({ tools: { [writing.name]: 'act' } });
    const now = decided.body.tools.find(({ name }: { name: string }) => name === writing.name);
    assert.deepEqual([now.allowed, now.read_only], [true, false], JSON.stringify(decided.body).slice(0, 500));
    assert.equal((await api.request('POST', `${PATH}/${integration.id}/test`)).body.success, true);
    const headers = { 'X-Key': 'the right one', 'X-Other': 'more' };
    assert.deepEqual((await change({ headers })).body.header_names, ['x-key', 'x-other']);
    const fewer = await change({ headers: { 'X-Key': 'the right one' } });
    assert.deepEqual(fewer.body.header_names, ['x-key'], 'new headers replace the old ones');
    assert.equal((await change({ headers: { 'X-Key': 'another' } })).status, 422);
    accepted = 'a new one';
    const denied = await change({ name: 'Tickets', tools: { [writing.name]: 'deny' } });
    accepted = 'the right one';
    assert.deepEqual([denied.status, denied.body.name], [200, 'Tickets'], 'also while the server is away');
    assert.deepEqual((await api.request('DELETE', `${PATH}/${integration.id}`)).body, {
      id: integration.id,
      removed: true,
    });
  });

  it('seals the query of an address, sends it, and shows it nowhere', async () => {
    const headers = { 'x-key': 'the right one' };
    const key = 'secret-key-in-the-query';
    const made = await create({ name: 'by-query', url: `${open.url}?api_key=${key}`, headers });
    assert.deepEqual([made.status, made.body.integration?.url], [200, open.url], JSON.stringify(made.body));
    assert.equal(open.requests.at(-1)!.path, `/mcp?api_key=${key}`);
    const [stored] = await api.database.orm.em.fork().execute('select * from integrations');
    const listed = await api.get('/api/integrations');
    for (const text of [JSON.stringify(stored), JSON.stringify(listed.body), JSON.stringify(made.body)])
      assert.ok(!text.includes(key), text);
    const { id } = made.body.integration;
    await api.request('PUT', `${PATH}/${id}`, { headers });
    assert.equal(open.requests.at(-1)!.path, `/mcp?api_key=${key}`, 'new headers leave it');
    await create({ name: 'by-query', url: `${open.url}?api_key=another`, headers });
    assert.equal(open.requests.at(-1)!.path, '/mcp?api_key=another', 'another key for the same server');
    await api.request('PUT', `${PATH}/${id}`, { name: 'Renamed' });
    const again = await create({ name: 'by-query', url: open.url, headers: { ...headers, 'x-other': 'more' } });
    assert.equal(open.requests.at(-1)!.path, '/mcp?api_key=another', 'kept where the same server is connected again');
    assert.deepEqual([again.body.integration.id, again.body.integration.name], [id, 'Renamed']);
    const inUrl = await create({ name: 'by-query', url: open.url.replace('//', `//user:${key}@`), headers });
    assert.deepEqual([inUrl.status, JSON.stringify(inUrl.body).includes(key)], [422, false]);
    await api.request('DELETE', `${PATH}/${id}`);
  });

  it('stores nothing for a wrong header, a closed port, or an address that is not public', async () => {
    const wrong = await create({ name: 'wrong', url: open.url, headers: { 'X-Key': 'another' } });
    assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['body', 'headers']], JSON.stringify(wrong.body));
    const closed = await create({ name: 'closed', url: 'http://127.0.0.1:1/mcp' });
    assert.equal(closed.status, 503, JSON.stringify(closed.body));
    const inner = await create({ name: 'inner', url: 'http://10.0.0.1/mcp' });
    assert.deepEqual([inner.status, inner.body.detail[0].loc], [422, ['body', 'url']], JSON.stringify(inner.body));
    assert.deepEqual((await api.get('/api/integrations')).body.integrations, []);
  });

  describe('that want consent', () => {
    let authorization: McpAuthorizationServer;
    let inner: HttpMcpServer;
    /** In front of the server: wants a token for it, and says where to get one. */
    let guard: ReturnType<typeof createServer>;
    let url: string;

    before(async () => {
      authorization = await startMcpAuthorizationServer({ resource: () => url, accessTokenSeconds: 60 });
      inner = await startHttpMcpServer();
      guard = createServer((request, response) => {
        const origin = url.replace(/\/mcp$/u, '');
        if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
          response.setHeader('content-type', 'application/json');
          response.end(
            JSON.stringify({
              resource: url,
              authorization_servers: [authorization.issuer],
              scopes_supported: ['tools', 'offline_access'],
            }),
          );
          return;
        }
        const token = /^Bearer (.+)$/u.exec(request.headers.authorization ?? '')?.[1];
        void (token === undefined ? Promise.resolve(false) : authorization.accepts(token)).then((good) => {
          if (!good) {
            const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
            response.writeHead(401, { 'www-authenticate': challenge }).end();
            return;
          }
          const { method, headers } = request;
          const onward = httpRequest(
            inner.url,
            { method, headers: { ...headers, host: new URL(inner.url).host } },
            (reply) => {
              response.writeHead(reply.statusCode ?? 500, reply.headers);
              reply.pipe(response);
            },
          );
          request.pipe(onward);
        });
      });
      guard.listen(0, '127.0.0.1');
      await once(guard, 'listening');
      url = `http://127.0.0.1:${addressOf(guard).port}/mcp`;
    });
    after(async () => {
      guard?.closeAllConnections();
      guard?.close();
      await inner?.close();
      await authorization?.stop();
    });

    it('register Casebook, take PKCE and the resource, and are connected with the code, once', async () => {
      const { status, body } = await create({ name: 'consented', url });
      assert.deepEqual([status, body.status], [200, 'authorize'], JSON.stringify(body));
      assert.equal(authorization.registered.length, 1);
      const asked = new URL(body.authorization_url).searchParams;
      assert.deepEqual([asked.get('resource'), asked.get('code_challenge_method')], [url, 'S256']);
      const back = await authorization.consent(body.authorization_url);
      const elsewhere = { ...back, iss: 'https://accounts.example.com' };
      const mixed = await api.request('POST', `${PATH}/callback`, elsewhere);
      assert.equal(mixed.status, 422, 'a code of another server is not sent to this one');
      assert.equal((await api.request('POST', `${PATH}/callback`, back)).status, 422, 'the state is used up');
      const again = await authorization.consent((await create({ name: 'consented', url })).body.authorization_url);
      const done = await api.request('POST', `${PATH}/callback`, again);
      assert.deepEqual([done.status, done.body.status], [200, 'connected'], JSON.stringify(done.body).slice(0, 800));
      assert.ok(done.body.integration.tools.length > 0);
      assert.equal((await api.request('POST', `${PATH}/callback`, back)).status, 422);
      // A minute is left, so the test renews the token first.
      const tested = await api.request('POST', `${PATH}/${done.body.integration.id}/test`);
      assert.equal(tested.body.success, true, JSON.stringify(tested.body));
      assert.equal(authorization.refreshes, 1);
      authorization.refusesRefresh = true;
      const refused = await api.request('POST', `${PATH}/${done.body.integration.id}/test`);
      assert.equal(refused.body.success, false);
      const [{ status: now }] = (await api.get('/api/integrations')).body.integrations;
      assert.equal(now, 'needs_reconnect');
    });

    it('have a token revoked that a new consent has replaced', async () => {
      authorization.refusesRefresh = false;
      const { id } = (await api.get('/api/integrations')).body.integrations[0];
      await api.request('PUT', `${PATH}/${id}`, { name: 'Renamed' });
      const back = await authorization.consent((await create({ name: 'consented', url })).body.authorization_url);
      const done = await api.request('POST', `${PATH}/callback`, back);
      assert.deepEqual([done.status, done.body.status], [200, 'connected'], JSON.stringify(done.body).slice(0, 800));
      const all = (await api.get('/api/integrations')).body.integrations as { id: string; name: string }[];
      assert.deepEqual(
        all.map((one) => [one.id, one.name]),
        [[id, 'Renamed']],
      );
      const config = testConfig({ ...env, DATABASE_URL: api.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
      const core = await openCore(config, recordedLog('silent').log);
      try {
        const { revocations } = composeRooms(core).integrations;
        await deliverRevocations(revocations);
        await deliverRevocations(revocations);
      } finally {
        await core.closing.disposeAsync();
      }
      assert.equal(authorization.revocations, 1);
      const tested = await api.request('POST', `${PATH}/${done.body.integration.id}/test`);
      assert.equal(tested.body.success, true, 'the new one is good');
    });
  });
});
