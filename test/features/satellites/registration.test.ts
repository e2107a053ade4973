/** How satellites come, are seen, and go. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { forTeam } from '../../../src/db/team-filter.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createOperatorLink, Credential } from '../../../src/features/identity/index.ts';
import { Satellite } from '../../../src/features/satellites/entities.ts';
import { CLOSE, type Inventory } from '@casebook/wire';
import { connectWireSatellite, openSocket, UpgradeRefused, type WireSatellite } from '../../support/wire-satellite.ts';
import { Browser } from '../identity/support.ts';
import { startSatelliteApi, type SatelliteApi } from './support.ts';

const inventory: Partial<Inventory> = {
  version: '1.2.3',
  labels: { region: 'eu' },
  connectors: [{ id: 'loki', kind: 'loki', title: 'Logs', operations: [] }],
  tools: [{ server: 'files', name: 'read', description: 'Reads.', inputSchema: { type: 'object' }, readOnly: true }],
  omittedTools: 3,
};

describe('registrations of satellites', () => {
  let api: SatelliteApi;
  let token: string;
  const open: WireSatellite[] = [];
  before(async () => {
    api = await startSatelliteApi({ nodes: 2 });
    ({ token } = await api.token());
  });
  after(async () => {
    for (const each of open) each.cut();
    await api.stop();
  });
  const connect = async (options: Partial<Parameters<typeof connectWireSatellite>[0]>): Promise<WireSatellite> => {
    const satellite = await connectWireSatellite({ url: api.url, token, inventory, ...options });
    open.push(satellite);
    return satellite;
  };
  const get = (path: string, options?: Parameters<SatelliteApi['call']>[3]) =>
    api.call('GET', `/satellite/${path}${path.includes('?') ? '&' : '?'}team_id=${api.team.id}`, undefined, options);
  const untilListed = (id: string, is: (satellite: Record<string, never>) => boolean) =>
    waitUntil(
      async () => {
        const { json } = await get(id, { node: 1 });
        return json.id === id && is(json) ? json : undefined;
      },
      { what: `satellite ${id} as expected` },
    );

  it('show what a satellite said of itself, on every node', async () => {
    const satellite = await connect({ name: 'whole' });
    satellite.send({
      type: 'heartbeat',
      sentAt: Date.now(),
      health: [
        { id: 'loki', of: 'connector', status: 'failing', message: 'refused', checkedAgoMs: 5_000 },
        { id: 'files', of: 'mcp', status: 'ok', checkedAgoMs: 1_000 },
      ],
    });
    const json = await untilListed(satellite.id, ({ status }) => status === 'degraded');
    assert.equal(json.version, '1.2.3');
    assert.deepEqual(json.labels, { region: 'eu' });
    assert.deepEqual(json.problems, ['Connector loki is failing: refused']);
    assert.equal(json.connectors[0].status, 'failing');
    assert.equal(json.mcp_servers[0].status, 'ok');
    assert.equal(json.tool_count, 1);
    assert.equal(json.omitted_tool_count, 3);
    assert.ok(Date.parse(json.connectors[0].checked_at) < Date.parse(json.last_heartbeat));
    const { json: tools } = await get('tools/list', { node: 1 });
    assert.equal(tools.omitted, 3);
    assert.deepEqual(tools.tools[0].input_schema, { type: 'object' });
    assert.equal(tools.tools[0].satellite, 'whole');
    assert.equal(tools.tools[0].available, true);
  });

  it('are listed by state', async () => {
    const [stays, goes] = [await connect({ name: 'stays' }), await connect({ name: 'goes' })];
    goes.cut();
    await api.untilStatus(goes.id, 'offline');
    await api.untilStatus(stays.id, 'online');
    const names = async (status: string) => {
      const { json } = await get(`list?status=${status}`);
      return json.satellites.map(({ name }: { name: string }) => name);
    };
    assert.ok((await names('online')).includes('stays'));
    assert.deepEqual(await names('offline'), ['goes']);
    assert.equal((await get('list?status=away')).status, 422);
    const all = await get('list');
    assert.equal(all.json.total, all.json.satellites.length);
  });

  it('come back with the same id when they are deleted while the satellite runs', async () => {
    const satellite = await connect({ name: 'deleted' });
    await untilListed(satellite.id, ({ tool_count }) => tool_count === 1);
    const { json: before } = await get(satellite.id);
    const gone = await api.call('DELETE', `/satellite/${satellite.id}?team_id=${api.team.id}`);
    assert.deepEqual(gone.json, { satellite_id: satellite.id, deleted: true });
    satellite.heartbeat();
    const back = await untilListed(satellite.id, ({ registered_at }) => registered_at !== before.registered_at);
    assert.equal(back.name, 'deleted');
    assert.equal(back.tool_count, 1);
    assert.equal(satellite.socket.readyState, satellite.socket.OPEN);
  });

  it('stay deleted when the satellite is gone', async () => {
    const satellite = await connect({ name: 'over' });
    satellite.cut();
    await api.untilStatus(satellite.id, 'offline');
    await api.call('DELETE', `/satellite/${satellite.id}?team_id=${api.team.id}`);
    assert.equal((await get(satellite.id)).status, 404);
    const again = await api.call('DELETE', `/satellite/${satellite.id}?team_id=${api.team.id}`);
    assert.equal(again.status, 404);
  });

  it('belong to the newest connection with their name, also on another node', async () => {
    const [first, second] = [await connect({ name: 'twice' }), await connect({ name: 'twice' })];
    assert.equal((await first.closed).code, CLOSE.replaced);
    assert.equal(second.id, first.id);
    const elsewhere = await connect({ name: 'twice', url: api.nodes[1]!.url });
    const { code, reason } = await second.closed;
    assert.equal(code, CLOSE.replaced);
    assert.match(reason, /same name/);
    await api.untilStatus(elsewhere.id, 'online');
  });

  it('keep what a satellite has while it comes back and has not said it again', async () => {
    const satellite = await connect({ name: 'keeps' });
    await untilListed(satellite.id, ({ tool_count }) => tool_count === 1);
    satellite.cut();
    await api.untilStatus(satellite.id, 'offline');
    const socket = await openSocket(api.url, token);
    const hello = { type: 'hello', name: 'keeps', version: '9.9.9', instance: randomUUID(), sentAt: Date.now() };
    socket.send(JSON.stringify(hello));
    await api.untilStatus(satellite.id, 'online');
    const { json } = await get(satellite.id);
    assert.equal(json.tool_count, 1);
    assert.equal(json.version, '1.2.3');
    socket.terminate();
  });

  it('of a team stay within their common announcement limit', async () => {
    const tools = Array.from({ length: 100 }, (_, index) => ({
      server: 'files',
      name: `tool-${index}`,
      description: 'x'.repeat(1_900),
      inputSchema: { type: 'object', description: 'x'.repeat(7_000) },
      readOnly: true,
    }));
    const large = await connect({ name: 'large', inventory: { ...inventory, tools } });
    const bytes = (await untilListed(large.id, ({ tool_count }) => tool_count === 100)) && 64 * 1_048_576;
    // As if the other satellites of the team had announced almost all that they may.
    await forTeam(api.database.orm.em, api.team.id).nativeUpdate(
      Satellite,
      { id: large.id },
      { inventoryBytes: bytes },
    );
    const other = await connect({ name: 'too-much', inventory: { ...inventory, tools } });
    const { code, reason } = await other.closed;
    assert.equal(code, CLOSE.tooMuch);
    assert.match(reason, /announce too much/);
    const again = await connect({ name: 'large', inventory });
    await untilListed(again.id, ({ tool_count }) => tool_count === 1);
  });

  it('say that a clock is wrong, and go on', async () => {
    const satellite = await connect({ name: 'clock' });
    satellite.heartbeat(Date.now() - 3_600_000);
    const json = await untilListed(satellite.id, ({ status }) => status === 'degraded');
    assert.ok(Math.abs(json.clock_offset_seconds + 3_600) < 60, String(json.clock_offset_seconds));
    assert.match(json.problems[0], /clock is 36\d\d s behind/);
    assert.ok(Math.abs(Date.parse(json.last_heartbeat) - Date.now()) < 60_000);
  });

  it('show the clusters a satellite sees', async () => {
    const satellite = await connect({ name: 'clusters' });
    satellite.send({
      type: 'clusters',
      clusters: [
        {
          name: 'production',
          connector: 'kubernetes',
          version: 'v1.34.1',
          nodes: { total: 3, ready: 2 },
          namespaces: 4,
          workloads: { total: 10, available: 9 },
          pods: { total: 30, running: 29, pending: 1, failed: 0, restarts: 7 },
          problems: [{ kind: 'Pod', namespace: 'shop', name: 'payments-1', reason: 'CrashLoopBackOff' }],
          observedAgoMs: 2_000,
        },
      ],
    });
    const clusters = await waitUntil(
      async () => {
        const { json } = await get(`${satellite.id}/clusters`, { node: 1 });
        return json.length > 0 ? json : undefined;
      },
      { what: 'the clusters' },
    );
    assert.equal(clusters[0].problems[0].reason, 'CrashLoopBackOff');
    assert.ok(Math.abs(Date.parse(clusters[0].observed_at) - Date.now()) < 60_000);
  });

  it('are closed to a token that is unknown, expired or revoked, which is said', async () => {
    const refusal = async (given: string | undefined) => {
      const error: unknown = await openSocket(api.url, given).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof UpgradeRefused);
      assert.equal(error.status, 401);
      return String(JSON.parse(error.body).detail);
    };
    assert.match(await refusal(undefined), /required/);
    assert.match(await refusal('cbs_nonsense'), /not known/);
    const past = await api.call('POST', '/api/satellite-tokens', { name: 'x', expires_at: '2020-01-01T00:00:00Z' });
    assert.equal(past.status, 422);
    const short = await api.token(api.team, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    const satellite = await connect({ name: 'short', token: short.token });
    const em = forTeam(api.database.orm.em, api.team.id);
    await em.nativeUpdate(Credential, { id: short.id }, { expiresAt: new Date(Date.now() - 1_000) });
    const { code, reason } = await satellite.closed;
    assert.equal(code, CLOSE.unauthorized);
    assert.match(reason, /expired at/);
    assert.match(await refusal(short.token), /expired at/);

    const revoked = await api.token();
    const connected = await connect({ name: 'revoked', token: revoked.token });
    const { json } = await api.call('DELETE', `/api/satellite-tokens/${revoked.id}`);
    assert.ok(json.revoked_at);
    const closed = await connected.closed;
    assert.equal(closed.code, CLOSE.unauthorized);
    assert.match(closed.reason, /revoked at/);
    assert.match(await refusal(revoked.token), /revoked at/);
  });

  it('go with what their token came from: a removed admin, or a key @never-forgiven', async () => {
    const team = await api.newTeam('bereaved');
    const asTeam = (method: string, path: string, body?: unknown, key = team.key) =>
      api.call(method, path, body, { key });
    const admin = { email: 'leaver@example.org', name: 'Leaver', role: 'admin' };
    const { json: member } = await asTeam('POST', '/api/team/members', admin);
    const keyOf = async (body: object, key = team.key) =>
      (await asTeam('POST', '/api/api-keys', { name: 'k', scopes: ['satellites:write'], ...body }, key)).json;
    const link = await createOperatorLink(api.database.orm.em, {
      hash: api.nodes[0]!.api.deps.authenticator.hash,
      expiresAt: new Date(Date.now() + 60_000),
      email: admin.email,
    });
    const browser = new Browser(api.url);
    assert.equal((await browser.signIn({ link: link.token })).status, 200);
    const ofBrowser = await browser.request('POST', '/api/satellite-tokens', { name: 'of a browser' });
    const program = await keyOf({});
    const cases = [
      { token: String(ofBrowser.json.token), end: () => asTeam('DELETE', `/api/team/members/${member.user_id}`) },
      {
        token: (await api.token({ id: team.id, key: program.api_key })).token,
        end: () => asTeam('DELETE', `/api/api-keys/${program.id}`),
      },
    ];
    for (const { token: given, end } of cases) {
      const satellite = await connect({ name: 'left-behind', token: given });
      assert.equal((await end()).status, 200);
      const { code, reason } = await satellite.closed;
      assert.deepEqual([code, /revoked at/.test(reason)], [CLOSE.unauthorized, true]);
      await assert.rejects(openSocket(api.url, given), UpgradeRefused);
    }
  });

  it('do not show tokens again', async () => {
    const { id, token: text } = await api.token();
    const { json, text: all } = await api.call('GET', '/api/satellite-tokens');
    const listed = json.tokens.find((each: { id: string }) => each.id === id);
    assert.equal(text.startsWith(listed.prefix), true);
    assert.ok(!all.includes(text));
  });

  it('are those of one team: another team_id is a 403, whatever else is asked @never-forgiven', async () => {
    const other = await api.newTeam('other');
    const satellite = await connect({ name: 'mine' });
    await api.untilStatus(satellite.id, 'online');
    for (const path of ['list', satellite.id, `${satellite.id}/clusters`, 'tools/list']) {
      const { status, json } = await get(path, { key: other.key });
      assert.equal(status, 403, path);
      assert.equal(json.code, 'wrong_team');
      const own = await api.call('GET', `/satellite/${path}?team_id=${other.id}`, undefined, { key: other.key });
      assert.equal(own.status, path.includes(satellite.id) ? 404 : 200, path);
      assert.ok(!own.text.includes('mine'));
      assert.equal((await api.call('GET', `/satellite/${path}`)).status, 422);
    }
    const body = { connector: 'loki', operation: 'query', satellite_id: satellite.id };
    const query = (team_id: string) =>
      api.call('POST', '/satellite/query/integration', { ...body, team_id }, { key: other.key });
    assert.equal((await query(api.team.id)).status, 403);
    assert.equal((await query(other.id)).status, 404);
    const removed = await api.call('DELETE', `/satellite/${satellite.id}?team_id=${other.id}`, undefined, {
      key: other.key,
    });
    assert.equal(removed.status, 404);
    await api.untilStatus(satellite.id, 'online');
  });

  it('of two teams may have the same name', async () => {
    const other = await api.newTeam('namesake');
    const theirs = await api.token(other);
    const [mine, yours] = [await connect({ name: 'same' }), await connect({ name: 'same', token: theirs.token })];
    assert.notEqual(mine.id, yours.id);
    assert.equal(mine.socket.readyState, mine.socket.OPEN);
  });
});
