/** A team connects its databases over the API: a real PostgreSQL, a real ClickHouse, and one that is not there. */
import assert from 'node:assert/strict';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import { startClickhouse } from '../../satellite/stores/clickhouse-server.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startOwnPostgres } from '../../support/own-postgres.ts';

const PATH = '/api/onboarding/sql-db';

describe('connecting PostgreSQL', () => {
  let api: ApiOverRows;
  /** Of the installation's own database, which is as good as any. */
  let settings: Record<string, unknown>;

  before(async () => {
    api = await startApiOverRows({ CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' });
    const { hostname, port, pathname, username, password } = new URL(api.database.url);
    settings = {
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      ssl_mode: 'disable',
    };
  });
  after(() => api?.stop());

  const create = (changes: object = {}) =>
    api.request('POST', `${PATH}/integrations`, { name: 'orders-db', ...settings, ...changes });
  const rows = () => forTeam(api.database.orm.em, api.teamId).find(Integration, {});

  it('stores what works, says what was found, and never shows the password', async () => {
    const { status, body } = await create({ name: 'Orders DB' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      [body.name, body.source_id, body.status, body.enabled, body.host, body.username, body.error],
      ['Orders DB', 'integration:orders-db', 'connected', true, settings.host, settings.username, null],
    );
    assert.match(body.version, /^\d+/);
    assert.ok(body.warnings.some((warning: string) => /may write to \d+ tables.*create role casebook/.test(warning)));
    const tools = body.tools.map(({ name }: { name: string }) => name);
    for (const name of ['query', 'explain', 'slow_queries', 'locks', 'replication'])
      assert.ok(tools.includes(name), name);
    assert.deepEqual(body.capabilities, ['sql', 'tools']);
    const [row] = await rows();
    for (const text of [JSON.stringify(body), JSON.stringify(row)])
      assert.ok(!text.includes(String(settings.password)), 'the password is nowhere');
    const listed = await api.get('/api/integrations');
    assert.deepEqual(
      listed.body.integrations.map(({ id }: { id: string }) => id),
      [body.id],
    );
    const { body: of } = await api.get(`${PATH}/status`);
    assert.deepEqual([of.connected, of.integrations[0].id], [true, body.id]);
  });

  it('is one integration, however often the request is sent; other settings under its name are a conflict', async () => {
    const both = await Promise.all([create({ name: 'twice' }), create({ name: 'twice' })]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(both[0].body.id, both[1].body.id);
    const other = await create({ name: 'twice', ssl_mode: 'prefer' });
    assert.deepEqual([other.status, other.body.code], [409, 'name_taken']);
  });

  it('stores nothing that does not work, and names the field', async () => {
    const before = (await rows()).length;
    const failing: [object, number, unknown][] = [
      [{ password: 'wrong' }, 422, 'password'],
      [{ database: 'nowhere' }, 422, 'database'],
      [{ port: await freePort() }, 503, 'host'],
      [{ ssl_mode: 'require' }, 422, 'ssl_mode'],
      [{ host: '10.0.0.1' }, 422, 'host'],
      [{ host: 'a,b' }, 422, 'host'],
      [{ name: '!!!' }, 422, 'name'],
      [{ name: 'cloudflare' }, 422, 'name'],
    ];
    for (const [change, status, field] of failing) {
      const answer = await create({ name: 'failing', ...change });
      const named = status === 422 ? answer.body.detail[0].loc.at(-1) : answer.body.field;
      assert.deepEqual([answer.status, named], [status, field], JSON.stringify([change, answer.body]));
      assert.ok(!JSON.stringify(answer.body).includes('wrong'), 'what was sent is not repeated');
    }
    assert.equal((await rows()).length, before);
  });

  it('tests without storing', async () => {
    const before = (await rows()).length;
    const good = await api.request('POST', `${PATH}/test`, settings);
    assert.deepEqual([good.status, good.body.success, good.body.field], [200, true, null], JSON.stringify(good.body));
    assert.ok(good.body.latency_ms > 0 && good.body.server_version);
    const bad = await api.request('POST', `${PATH}/test`, { ...settings, password: 'wrong' });
    assert.deepEqual([bad.status, bad.body.success, bad.body.field], [200, false, 'password']);
    assert.equal((await rows()).length, before);
  });
});

for (const family of ['sql-db', 'analytics-db'] as const)
  describe(`a database connected under ${family}`, () => {
    const prefix = `/api/onboarding/${family}`;
    let api: ApiOverRows;
    let settings: Record<string, unknown>;
    let changed: { username: string; password: string };
    let stop: () => Promise<void>;

    before(async () => {
      api = await startApiOverRows({ CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' });
      if (family === 'sql-db') {
        const postgres = await startOwnPostgres(
          `create role reader login password 'open sesame'; create role other login password 'abracadabra'`,
        );
        settings = { ...postgres.settings, username: 'reader', password: 'open sesame' };
        changed = { username: 'other', password: 'abracadabra' };
        stop = () => postgres.stop();
      } else {
        const clickhouse = await startClickhouse();
        settings = { url: clickhouse.url, username: 'settings', password: "pa'ss" };
        changed = { username: 'nothing', password: "pa'ss" };
        stop = () => clickhouse.stop();
      }
    });
    after(async () => {
      await api?.stop();
      await stop?.();
    });

    it('is stored, changed, tested, turned off and removed; a password that is not sent stays', async () => {
      const { status, body: made } = await api.request('POST', `${prefix}/integrations`, {
        name: 'short-lived',
        ...settings,
      });
      assert.deepEqual([status, made.status], [200, 'connected'], JSON.stringify(made));
      assert.equal(made.connected_by, 'Admin');
      for (const time of [made.connected_at, made.last_checked_at])
        assert.ok(Math.abs(Date.now() - Date.parse(time)) < 600_000, time);
      assert.equal(made.last_used_at, null);
      const path = `${prefix}/integrations/${made.id}`;
      const renamed = await api.request('PUT', path, { name: 'Renamed' });
      assert.deepEqual(
        [renamed.status, renamed.body.name, renamed.body.source_id, renamed.body.username],
        [200, 'Renamed', 'integration:short-lived', settings['username']],
      );
      const refused = await api.request('PUT', path, { password: 'wrong' });
      assert.deepEqual([refused.status, refused.body.detail[0].loc], [422, ['body', 'password']]);
      const tested = await api.request('POST', `${path}/test`);
      assert.deepEqual([tested.status, tested.body.success], [200, true], JSON.stringify(tested.body));
      const moved = await api.request('PUT', path, changed);
      assert.deepEqual([moved.status, moved.body.username], [200, changed.username], JSON.stringify(moved.body));
      const off = await api.request('POST', `${path}/toggle`, { enabled: false });
      assert.deepEqual([off.status, off.body.enabled, off.body.status], [200, false, 'disabled']);
      const on = await api.request('POST', `${path}/toggle`, { enabled: true });
      assert.deepEqual([on.status, on.body.enabled, on.body.status], [200, true, 'connected']);
      const { body: of } = await api.get(`${prefix}/status`);
      assert.deepEqual([of.connected, of.integrations.length], [true, 1]);
      const found = await api.request('POST', `${prefix}/test`, settings);
      assert.deepEqual([found.status, found.body.success], [200, true], JSON.stringify(found.body));
      assert.deepEqual((await api.request('DELETE', path)).body, { id: made.id, removed: true });
      assert.equal((await api.request('DELETE', path)).status, 404);
      assert.equal((await api.request('POST', `${path}/test`)).status, 404);
      assert.deepEqual((await api.get(`${prefix}/status`)).body, { connected: false, integrations: [] });
    });
  });
