import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createGraphStore, type DependencyGraphs } from '../../../../src/features/satellites/graph/index.ts';
import type { WireEdge } from '@casebook/wire';
import { createLogger } from '../../../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { addSatellite, edge, message, type TestSatellite } from './support.ts';

const log = createLogger({ name: 'test', level: 'silent' });

describe('answers of the dependency graph', () => {
  let database: TestDatabase;
  let graphs: DependencyGraphs;
  let teamId: string;
  let late = 0;

  before(async () => {
    database = await createTestDatabase();
    const clock = { now: () => new Date(Date.now() + late) };
    graphs = createGraphStore({ orm: database.orm, clock, log, freshMs: 0 });
  });
  after(() => database?.drop());
  beforeEach(() => {
    late = 0;
    teamId = randomUUID();
  });

  async function satellite(name: string, edges?: WireEdge[]): Promise<TestSatellite> {
    const added = await addSatellite(database.orm, { teamId, name });
    const snapshot = message({ epoch: randomUUID(), seq: 0, edges: edges ?? [] });
    if (edges) assert.equal(await graphs.ingest(added, snapshot, added.connectionId), 'ok');
    return added;
  }
  const rate = (
    caller: string,
    callee: string,
    callsPerSecond: number | undefined,
    rest: Partial<WireEdge> = {},
  ): WireEdge => edge(caller, callee, { callsPerSecond, ...rest });

  it('are over the union of the team’s satellites, or of one', async () => {
    const north = await satellite('north', [rate('web', 'shop', 8), rate('shop', 'pay', 2), rate('shop', 'cart', 4)]);
    await satellite('south', [
      rate('web', 'shop', 10),
      rate('pay', 'bank', 1),
      rate('bank', 'pay', 1, { stale: true, seenAgoMs: 600_000 }),
    ]);

    const all = await graphs.query(teamId, { type: 'get_impact', service: 'bank', limit: 10 });
    assert.ok(all.found);
    // 1 of 3 calls to pay goes on to the bank; 2 of the shop's 10 need pay.
    const plain = all.services.map(({ name, depth, path, satellites, viaStale, impact }) => [
      name,
      depth,
      path.join('>'),
      satellites.join(),
      viaStale,
      impact?.affectedShare.toFixed(4),
      impact?.affectedCallsPerSecond?.toFixed(4),
    ]);
    assert.deepEqual(plain, [
      ['pay', 1, 'bank>pay', 'north,south', false, '0.3333', '1.0000'],
      ['shop', 2, 'bank>pay>shop', 'north,south', false, '0.0667', '0.6667'],
      ['web', 3, 'bank>pay>shop>web', 'north,south', false, '0.0667', '0.6667'],
    ]);
    assert.deepEqual(all.cycles, [['bank', 'pay']]);
    assert.equal(all.totals.affectedEntryCallsPerSecond?.toFixed(4), '0.6667');
    assert.deepEqual(
      { ...all.totals, affectedEntryCallsPerSecond: 0 },
      { services: 3, edges: 4, cycles: 1, affectedEntryCallsPerSecond: 0 },
    );
    assert.deepEqual(
      all.edges.map(({ caller, callee, callsPerSecond }) => [caller, callee, callsPerSecond]),
      [
        ['web', 'shop', 10],
        ['shop', 'pay', 2],
        ['bank', 'pay', 1],
        ['pay', 'bank', 1],
      ],
    );
    assert.deepEqual(
      [all.truncated, all.unknown.map(({ kind, edges }) => [kind, edges])],
      [false, [['stale_edges', 1]]],
    );
    assert.match(all.unknown[0]!.message, /10 minutes/u);
    assert.deepEqual(all.unknown[0]!.examples, [{ caller: 'bank', callee: 'pay' }]);

    const one = await graphs.query(teamId, {
      type: 'get_downstream',
      service: 'web',
      satelliteId: north.id,
      limit: 10,
    });
    assert.ok(one.found);
    assert.deepEqual(
      one.services.map(({ name, depth, impact }) => [name, depth, impact]),
      [
        ['shop', 1, undefined],
        ['cart', 2, undefined],
        ['pay', 2, undefined],
      ],
    );
    assert.deepEqual(
      one.satellites.map(({ name }) => name),
      ['north'],
    );
    const none = await graphs.query(randomUUID(), {
      type: 'get_downstream',
      service: 'web',
      satelliteId: north.id,
      limit: 10,
    });
    assert.deepEqual([none.found, none.unknown.map(({ kind }) => kind)], [false, ['no_graph']]);
  });

  it('are bounded by depth and limit, and count what they leave out', async () => {
    const pages = Array.from({ length: 5 }, (_, index) => rate(`page${index}`, 'api', index));
    await satellite('north', [...pages, rate('api', 'db', 20), rate('site', 'page0', 1), rate('page0', 'site', 1)]);
    const near = await graphs.query(teamId, { type: 'get_impact', service: 'db', depth: 2, limit: 3 });
    assert.ok(near.found);
    // Those with most affected calls first.
    assert.deepEqual(
      near.services.map(({ name }) => name),
      ['api', 'page4', 'page3'],
    );
    assert.deepEqual([near.depth, near.truncated, near.totals.services, near.cycles], [2, true, 6, []]);
    assert.deepEqual(
      near.edges.map(({ caller }) => caller),
      ['api', 'page4', 'page3'],
    );
    const far = await graphs.query(teamId, { type: 'get_upstream', service: 'db', limit: 100 });
    assert.ok(far.found);
    assert.deepEqual([far.truncated, far.totals.services, far.cycles], [false, 7, [['page0', 'site']]]);
    assert.deepEqual(
      far.services.map(({ name }) => name),
      ['api', 'page0', 'page1', 'page2', 'page3', 'page4', 'site'],
    );
  });

  it('say what is not known', async () => {
    await satellite('east');
    await satellite('north', [
      rate('web', 'api', undefined),
      rate('api', 'db', 1, { stale: true, seenAgoMs: 300_000 }),
    ]);
    const query = { type: 'get_impact' as const, service: 'db', limit: 10 };
    const kinds = async (): Promise<string[]> => {
      const { unknown } = await graphs.query(teamId, query);
      return unknown.map(({ kind, satellite }) => (satellite === undefined ? kind : `${kind} ${satellite}`));
    };
    assert.deepEqual(await kinds(), ['no_graph east', 'stale_edges', 'no_call_rates']);
    const answer = await graphs.query(teamId, query);
    assert.ok(answer.found);
    assert.deepEqual(
      answer.services.map(({ name, viaStale, impact }) => [name, viaStale, impact]),
      [
        ['api', true, { affectedShare: 1, affectedCallsPerSecond: 1 }],
        // Nobody has counted its calls: all of it may be affected, and how many calls that is nobody knows.
        ['web', true, { affectedShare: 1 }],
      ],
    );
    assert.equal(answer.totals.affectedEntryCallsPerSecond, undefined);
    const asOf = answer.asOf!;
    assert.deepEqual(asOf.oldest, asOf.newest);

    late = 20_000;
    assert.deepEqual(await kinds(), ['no_graph east', 'stale_edges', 'no_call_rates']);
    late = 3 * 60_000;
    await database.orm.em
      .fork()
      .execute(`update satellites set last_heartbeat_at = now() + interval '3 minutes' where team_id = ?`, [teamId]);
    assert.deepEqual(await kinds(), ['no_graph east', 'graph_old north', 'stale_edges', 'no_call_rates']);
    // The node that held the connection was killed: the row still names it.
    late = 3 * 3_600_000;
    assert.deepEqual(await kinds(), ['no_graph east', 'satellite_offline north', 'stale_edges', 'no_call_rates']);
    const offline = await graphs.query(teamId, query);
    assert.match(offline.unknown[1]!.message, /3 hours old/u);
    assert.deepEqual([offline.found, offline.asOf], [true, asOf]);
  });

  it('offer names like one that is not there', async () => {
    await satellite('north', [edge('checkout', 'payments'), edge('web', 'checkout')]);
    const answer = await graphs.query(teamId, { type: 'get_upstream', service: 'chekout', limit: 10 });
    assert.deepEqual([answer.found, 'near' in answer && answer.near], [false, ['checkout']]);
    for (const service of ['__proto__', 'constructor', '']) {
      assert.equal((await graphs.query(teamId, { type: 'get_upstream', service, limit: 10 })).found, false);
    }
  });

  it('do not know a service whose last call is gone', async () => {
    const north = await addSatellite(database.orm, { teamId, name: 'north' });
    const epoch = randomUUID();
    await graphs.ingest(north, message({ epoch, seq: 0, edges: [edge('a', 'b'), edge('b', 'c')] }), north.connectionId);
    const found = async (): Promise<boolean> =>
      (await graphs.query(teamId, { type: 'get_upstream', service: 'c', limit: 1 })).found;
    assert.equal(await found(), true);
    await graphs.ingest(north, message({ epoch, seq: 1, gone: [['b', 'c']] }), north.connectionId);
    assert.equal(await found(), false);
  });

  it('come from one query of the heads, however many ask at once', async () => {
    await satellite('north', [edge('a', 'b')]);
    let queries = 0;
    const pool = await database.orm.em.getConnection().getNativeClient();
    const count = (): void => void queries++;
    pool.on('acquire', count);
    try {
      const shared = createGraphStore({ orm: database.orm, clock: { now: () => new Date() }, log });
      const ask = () => shared.query(teamId, { type: 'get_downstream', service: 'a', limit: 1 });
      await Promise.all(Array.from({ length: 50 }, ask));
      await ask();
      // The heads, and the edges.
      assert.equal(queries, 2);
    } finally {
      pool.off('acquire', count);
    }
  });
});
