/** The sources of a team over the API: recorded incidents, and a satellite that is away. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { askWithin } from '../../../src/features/sources/ask.ts';
import { SourceError } from '../../../src/features/sources/index.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Satellite } from '../../../src/features/satellites/entities.ts';
import { recordedLog } from '../../http/support/api.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';

const { log } = recordedLog('silent');

describe('the sources of a team', () => {
  let api: ApiOverRows;
  before(async () => {
    api = await startApiOverRows({ CASEBOOK_INCIDENTS_DIR: join(import.meta.dirname, '../../../demo/incidents') });
    const em = forTeam(api.database.orm.em, api.teamId);
    const connectors = [{ id: 'prometheus', kind: 'prometheus', title: 'Prometheus', operations: ['query'] }];
    em.create(Satellite, {
      teamId: api.teamId,
      name: 'prod-eu',
      version: '1',
      labels: {},
      instance: api.teamId,
      tokenId: api.teamId,
      connectedAt: new Date(0),
      lastHeartbeatAt: new Date('2026-03-01T12:00:00Z'),
      clockOffsetMs: 0,
      health: [],
      summary: { connectors, servers: [], tools: 0, omittedTools: 0 },
      inventory: { version: '1', labels: {}, connectors, tools: [], omittedTools: 0 },
      inventoryBytes: 1,
      inventoryDigest: 'x',
      clusters: [],
    } as never);
    await em.flush();
  });
  after(() => api?.stop());

  it('are listed with their alerts; one that does not answer says why', async () => {
    const { status, body } = await api.get('/api/sources');
    assert.equal(status, 200, JSON.stringify(body));
    const incident = body.sources.find(({ id }: { id: string }) => id === 'incident:orders-slow');
    assert.deepEqual(incident, {
      id: 'incident:orders-slow',
      title: 'Placing an order takes many seconds, some orders fail',
      kind: 'recorded-incident',
      capabilities: incident.capabilities,
      owner: 'installation',
      satellite: null,
      window: { from: '2026-03-19T16:00:00.000Z', to: '2026-03-19T18:30:00.000Z' },
      baseline: { from: '2026-03-19T16:00:00.000Z', to: '2026-03-19T17:00:00.000Z' },
      alerts: [
        {
          name: 'CheckoutSlow',
          service: 'checkout',
          metric: 'latency',
          at: '2026-03-19T17:42:40.000Z',
          summary: 'checkout: p95 latency is 2.08 s, above 2 s for 2 minutes',
        },
      ],
      error: null,
    });
    assert.ok(incident.capabilities.includes('metrics') && incident.capabilities.includes('logs'));
    const away = body.sources.find(({ id }: { id: string }) => id === 'satellite:prod-eu/prometheus');
    assert.deepEqual([away?.owner, away?.satellite, away?.alerts, away?.kind], ['team', 'prod-eu', [], 'prometheus']);
    assert.match(away.error, /The satellite "prod-eu" is offline; it was last seen at 2026-03-01T12:00:00.000Z/);
    assert.deepEqual([body.sources.length, body.truncated], [7, false]);
  });

  it('complete the names of services and metrics', async () => {
    const services = await api.get('/api/sources/incident%3Aorders-slow/services?text=PAY');
    assert.deepEqual(
      [services.status, services.body.services.map(({ name }: { name: string }) => name), services.body.total],
      [200, ['payment'], 1],
    );
    const all = await api.get('/api/sources/incident:orders-slow/services?limit=3');
    assert.deepEqual([all.body.services.length, all.body.truncated], [3, true]);
    const metrics = await api.get('/api/sources/incident:orders-slow/metrics?service=fraud&text=throttled');
    assert.equal(metrics.status, 200);
    assert.equal(metrics.body.metrics[0].metric, 'cpu_throttled_ratio');
    assert.ok(metrics.body.metrics[0].services.includes('fraud'));
    assert.equal((await api.get('/api/sources/incident:orders-slow/metrics?limit=2')).body.truncated, true);
  });

  it('say who calls whom and what changed, over their own period or the asked one', async () => {
    const path = '/api/sources/incident:orders-slow';
    const { status, body } = await api.get(`${path}/dependencies`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.from, body.to], ['2026-03-19T16:00:00.000Z', '2026-03-19T18:30:00.000Z']);
    const call = body.calls.find((one: { caller: string; callee: string }) => one.callee === 'payment');
    assert.equal(call?.caller, 'checkout');
    assert.equal(body.truncated, false);

    const changes = async (query = '') => (await api.get(`${path}/changes${query}`)).body.changes;
    const all: { at: string; service: string | null; id: string }[] = await changes();
    assert.ok(all.length > 1);
    assert.deepEqual(
      all.map(({ at }) => at),
      all.map(({ at }) => at).toSorted((a, b) => b.localeCompare(a)),
    );
    const { service } = all.find((one) => one.service !== null)!;
    const own: typeof all = await changes(`?service=${service}`);
    assert.ok(own.length > 0 && own.length < all.length);
    assert.ok(own.every((one) => one.service === service || one.service === null));
    assert.deepEqual(await changes(`?to=${all.at(-1)!.at}`), []);
    const reversed = await api.get(`${path}/changes?from=2026-03-19T18:00:00Z&to=2026-03-19T17:00:00Z`);
    assert.equal(reversed.status, 422);
  });

  it('are unknown, do not offer it, or do not answer: each is said', async () => {
    const unknown = await api.get('/api/sources/incident:..%2F..%2Fetc/services');
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'no_such_source']);
    const away = await api.get('/api/sources/satellite:prod-eu%2Fprometheus/services');
    assert.deepEqual([away.status, away.body.code], [503, 'source_unavailable']);
  });

  it('ask for a scope that reads', async () => {
    assert.equal((await api.get('/api/sources', await api.keyWith('team:read'))).status, 403);
    assert.equal((await api.get('/api/sources', await api.keyWith('monitoring:read'))).status, 200);
  });
});

describe('asking a source for somebody who waits', () => {
  const { signal } = new AbortController();

  it('gives its answer, or what it says of why there is none', async () => {
    assert.deepEqual(await askWithin(async () => 7, { signal, log }), { answer: 7 });
    const fails = (error: Error) => {
      const ask = async (): Promise<never> => {
        throw error;
      };
      return askWithin(ask, { signal, log });
    };
    assert.deepEqual(await fails(new SourceError('Prometheus is down.')), { error: 'Prometheus is down.' });
    assert.deepEqual(await fails(new Error('secret')), { error: 'It could not be queried.' });
  });

  it('waits no longer than its patience, whether or not the source stops', async () => {
    let stopped = false;
    const stubborn = () => new Promise<never>(() => undefined);
    const stopping = async ({ signal: told }: { signal: AbortSignal }): Promise<never> => {
      await once(told, 'abort');
      stopped = true;
      throw told.reason;
    };
    for (const ask of [stubborn, stopping]) {
      assert.deepEqual(await askWithin(ask, { signal, log, timeoutMs: 20 }), {
        error: 'It did not answer within 0.02 s.',
      });
    }
    assert.ok(stopped);
  });

  it('stops once nobody is waiting', async () => {
    const gone = new AbortController();
    const asked = askWithin(() => new Promise<never>(() => undefined), { signal: gone.signal, log });
    gone.abort(new Error('gone'));
    await assert.rejects(asked, /gone/);
  });
});
