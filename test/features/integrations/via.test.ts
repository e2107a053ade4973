/** Databases that only a satellite reaches: the satellite is a real process, and Casebook may not connect itself. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { createToolRegistry } from '../../../src/features/tools/index.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { startClickhouse } from '../../satellite/stores/clickhouse-server.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { toolContext } from '../../support/tool-context.ts';
import { startSatelliteProcess, type SatelliteProcess } from '../../support/satellite-process.ts';

const PATH = '/api/onboarding/sql-db';

describe('an integration via a satellite', () => {
  let api: ApiOverRows;
  let settings: Record<string, unknown>;
  let start: (name: string, more?: object) => Promise<void>;
  const near = (): SatelliteProcess => satellites[0]!;
  /** As a worker has it: in this process, beside the API. */
  let house: ReturnType<typeof composeRooms>;
  let closing: AsyncDisposableStack;
  let clickhouse: Awaited<ReturnType<typeof startClickhouse>>;
  const satellites: SatelliteProcess[] = [];

  before(async () => {
    const env = { CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex') };
    api = await startApiOverRows(env);
    const config = testConfig({ ...env, DATABASE_URL: api.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const core = await openCore(config, recordedLog('silent').log);
    closing = core.closing;
    house = composeRooms(core);
    clickhouse = await startClickhouse();
    const { hostname, port, pathname, username, password } = new URL(api.database.url);
    const { body } = await api.request('POST', '/api/satellite-tokens', { name: 'via' });
    start = async (name, more = {}) => {
      const settings = { connectors: [], ...more };
      satellites.push(await startSatelliteProcess({ url: api.url, token: body.token, name, settings }));
    };
    await start('near');
    await start('closed', { integrations: { enabled: false } });
    await start('strict', { integrations: { allow: ['10.0.0.0/8'] } });
    settings = {
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
    await clickhouse?.stop();
    for (const satellite of satellites) await satellite.stop();
    await api?.stop();
  });
  const create = (body: object) => api.request('POST', `${PATH}/integrations`, { ...settings, ...body });

  it('is tested and queried where it is, and its password is in no event and in no log', async () => {
    const direct = await create({ name: 'direct' });
    assert.equal(direct.status, 422, 'Casebook itself may not reach it');
    assert.match(direct.body.detail[0].msg, /not .*public.* Or connect it through a satellite that reaches it\.$/);
    const { status, body } = await create({ name: 'orders', via: 'near' });
    assert.deepEqual([status, body.status, body.via], [200, 'connected', 'near'], JSON.stringify(body));
    const tested = await api.request('POST', `${PATH}/integrations/${body.id}/test`);
    assert.equal(tested.body.success, true, JSON.stringify(tested.body));
    const password = String(settings['password']);
    assert.ok(password.length > 8);
    const events = JSON.stringify(await api.database.orm.em.fork().execute('select * from events'));
    assert.ok(events.includes('sealed'), 'the request went through the event log');
    for (const text of [events, ...satellites.map((satellite) => satellite.output())])
      assert.ok(!text.includes(password));
  });

  it('answers the tools of a run there, and is found where an update says that it is', async () => {
    const { body } = await api.request('POST', '/api/onboarding/analytics-db/integrations', {
      name: 'events',
      url: clickhouse.url,
      username: 'settings',
      password: "pa'ss",
      via: 'near',
    });
    assert.deepEqual([body.status, body.via], ['connected', 'near'], JSON.stringify(body));
    const call = async () => {
      const registry = createToolRegistry((await house.teamTools(api.teamId)).tools);
      const context = { ...toolContext(), teamId: api.teamId, toolCallId: randomUUID() };
      const { answer, content } = await registry.invoke('events_query', { sql: 'select 4711' }, context);
      return [answer, String(content)] as const;
    };
    const [answer, content] = await call();
    assert.equal(answer, 'data', content);
    assert.match(content, /4711/);
    const path = `/api/onboarding/analytics-db/integrations/${body.id}`;
    const itself = await api.request('PUT', path, { via: null });
    assert.equal(itself.status, 422, 'Casebook itself may not reach it');
    const elsewhere = await api.request('PUT', path, { via: 'closed' });
    assert.match(JSON.stringify(elsewhere.body), /configuration does not allow/);
    assert.equal((await call())[0], 'data', 'a refused update leaves it as it was');
    const again = await api.request('PUT', path, { via: 'near', name: 'Events' });
    assert.deepEqual([again.status, again.body.via], [200, 'near'], JSON.stringify(again.body));
    await near().stop();
    const [lost, why] = await call();
    assert.equal(lost, 'unavailable');
    assert.match(why, /near/);
    await start('near');
    assert.equal((await api.request('DELETE', path)).status, 200);
  });

  it('names the field that the system refuses there', async () => {
    const { status, body } = await create({ name: 'wrong', via: 'near', password: 'wrong' });
    assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'password']], JSON.stringify(body));
  });

  it('goes only where the satellite lets it, and says so', async () => {
    const closed = await create({ name: 'closed', via: 'closed' });
    assert.match(JSON.stringify(closed.body), /configuration does not allow/);
    const strict = await create({ name: 'strict', via: 'strict' });
    assert.match(JSON.stringify(strict.body), /integrations\.allow/);
    const metadata = await create({ name: 'metadata', via: 'near', host: '169.254.169.254' });
    assert.match(JSON.stringify(metadata.body), /link-local/);
    const nobody = await create({ name: 'nobody', via: 'nobody' });
    assert.match(JSON.stringify(nobody.body), /no satellite/);
    for (const { status } of [closed, strict, metadata, nobody]) assert.ok([422, 503].includes(status), String(status));
    assert.equal((await api.get('/api/integrations')).body.integrations.length, 1);
  });
});
