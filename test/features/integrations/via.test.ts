/** A PostgreSQL that only a satellite reaches: the satellite is a real process, and Casebook may not connect itself. */
import assert from 'node:assert/strict';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { startSatelliteProcess, type SatelliteProcess } from '../../support/satellite-process.ts';

const PATH = '/api/onboarding/sql-db';

describe('an integration via a satellite', () => {
  let api: ApiOverRows;
  let settings: Record<string, unknown>;
  const satellites: SatelliteProcess[] = [];

  before(async () => {
    api = await startApiOverRows();
    const { hostname, port, pathname, username, password } = new URL(api.database.url);
    const { body } = await api.request('POST', '/api/satellite-tokens', { name: 'via' });
    const start = async (name: string, more: object = {}) =>
      satellites.push(
        await startSatelliteProcess({ url: api.url, token: body.token, name, settings: { connectors: [], ...more } }),
      );
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
