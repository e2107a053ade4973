import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { openOrm, type Orm } from '../../../../src/db/orm.ts';
import { entities } from '../../../../src/rooms.ts';
import {
  createGraphStore,
  removeGraph,
  type DependencyGraphs,
} from '../../../../src/features/satellites/graph/index.ts';
import { MAX_EDGES, type GraphMessage, type WireEdge } from '@casebook/wire';
import { createLogger } from '../../../../src/platform/logger.ts';
import { cutShort } from '../../../support/cut-short.ts';
import { createTestDatabase, untilWaiting, type TestDatabase } from '../../../support/database.ts';
import { addSatellite, edge, message, pairOf, reconnect, wireEdges, type TestSatellite } from './support.ts';
import { fewRuns } from '../../../support/few-runs.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const START = Date.parse('2026-11-21T12:00:00Z');

describe('the dependency graph in PostgreSQL', () => {
  let database: TestDatabase;
  let now = START;
  const clock = { now: () => new Date(now) };
  const open = (orm: Orm = database.orm, maxEdges?: number): DependencyGraphs =>
    createGraphStore({ orm, clock, log, freshMs: 0, ...(maxEdges !== undefined && { maxEdges }) });

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());
  beforeEach(() => (now = START));

  const send = (graphs: DependencyGraphs, satellite: TestSatellite, each: GraphMessage): Promise<'ok' | 'resync'> =>
    graphs.ingest(satellite, each, satellite.connectionId);
  const pairs = async (graphs: DependencyGraphs, { teamId, id }: TestSatellite): Promise<string[]> =>
    (await graphs.edges(teamId, id, 10_000)).edges.map(({ caller, callee }) => `${caller}>${callee}`).sort();
  const stored = async (): Promise<number> =>
    (await database.orm.em.fork().execute<{ n: number }[]>('select count(*)::int as n from satellite_graph_edges'))[0]!
      .n;

  it('is taken whole, in parts, then by what changed', async () => {
    const [graphs, satellite, epoch] = [open(), await addSatellite(database.orm), randomUUID()];
    const first = message({
      epoch,
      seq: 0,
      last: false,
      edges: [edge('web', 'cart', { callsPerSecond: 7.1, errorRatio: 0.1 })],
    });
    assert.equal(await send(graphs, satellite, first), 'ok');
    assert.deepEqual(await pairs(graphs, satellite), []);
    const second = message({
      epoch,
      seq: 1,
      kind: 'snapshot',
      edges: [edge('cart', 'db', { stale: true, seenAgoMs: 60_000 })],
    });
    assert.equal(await send(graphs, satellite, second), 'ok');
    const { edges, ...rest } = await graphs.edges(satellite.teamId, satellite.id, 10);
    assert.deepEqual(rest, {
      totals: { services: 3, edges: 2 },
      asOf: new Date(START),
      truncated: false,
      truncatedAtSource: false,
    });
    assert.deepEqual(edges, [
      {
        caller: 'web',
        callee: 'cart',
        callsPerSecond: 7.1,
        errorRatio: 0.1,
        sources: ['spans'],
        stale: false,
        seenAt: new Date(START),
      },
      {
        caller: 'cart',
        callee: 'db',
        callsPerSecond: 1,
        sources: ['spans'],
        stale: true,
        seenAt: new Date(START - 60_000),
      },
    ]);

    now += 30_000;
    const delta = message({
      epoch,
      seq: 2,
      edges: [edge('cart', 'pay', { sources: ['istio', 'spans'] })],
      gone: [['cart', 'db']],
    });
    assert.equal(await send(graphs, satellite, delta), 'ok');
    const changed = await graphs.edges(satellite.teamId, satellite.id, 1);
    assert.deepEqual(await pairs(graphs, satellite), ['cart>pay', 'web>cart']);
    assert.deepEqual([changed.truncated, changed.totals.edges, changed.asOf], [true, 2, new Date(now)]);
    // What a delta does not mention was seen again.
    assert.deepEqual(changed.edges[0]?.seenAt, new Date(now));
    now += 30_000;
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 3 })), 'ok');
    assert.deepEqual((await graphs.edges(satellite.teamId, satellite.id, 1)).asOf, new Date(now));
  });

  it('asks for a snapshot when something was lost, and stays as it was', async () => {
    const [graphs, satellite, epoch] = [open(), await addSatellite(database.orm), randomUUID()];
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 0, edges: [edge('a', 'b')] })), 'ok');
    const lost = { edges: [edge('a', 'c')], gone: [['a', 'b']] as [string, string][] };
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 2, ...lost })), 'resync');
    assert.equal(await send(graphs, satellite, message({ epoch: randomUUID(), seq: 1, ...lost })), 'resync');
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 0, kind: 'delta', ...lost })), 'resync');
    // Parts with a gap, parts without their first one, parts of two epochs.
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 1, last: false, ...lost })), 'ok');
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 3, ...lost })), 'resync');
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 3, kind: 'snapshot', ...lost })), 'resync');
    assert.equal(await send(graphs, satellite, message({ epoch: randomUUID(), seq: 0, last: false, ...lost })), 'ok');
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 1, kind: 'snapshot', ...lost })), 'resync');
    assert.deepEqual(await pairs(graphs, satellite), ['a>b']);
    // The delta that continues the graph is still welcome.
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 1, ...lost })), 'ok');
    assert.deepEqual(await pairs(graphs, satellite), ['a>c']);
    const unknown = await addSatellite(database.orm);
    assert.equal(await send(graphs, unknown, message({ epoch, seq: 2, ...lost })), 'resync');
  });

  it('forgets the parts of a connection that is closed', async () => {
    const [graphs, satellite, epoch] = [open(), await addSatellite(database.orm), randomUUID()];
    await send(graphs, satellite, message({ epoch, seq: 0, last: false, edges: [edge('a', 'b')] }));
    graphs.forget(satellite.connectionId);
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 1, kind: 'snapshot' })), 'resync');
  });

  it('is on every node what was sent, through random snapshots, deltas and reconnects', async () => {
    const other = await openOrm({ entities, databaseUrl: database.url, poolSize: 2 });
    try {
      const step = fc.record({
        kind: fc.constantFrom('snapshot', 'delta', 'delta', 'reconnect'),
        edges: wireEdges(12),
        gone: wireEdges(8),
        parts: fc.integer({ min: 1, max: 3 }),
        onOther: fc.boolean(),
        ask: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
          // One node keeps next to nothing in memory.
          const nodes = [open(), open(other), open(other, 3)];
          let satellite = await addSatellite(database.orm);
          let [epoch, seq] = [randomUUID(), 0];
          let expected = new Map<string, WireEdge>();
          for (const { kind, edges, gone, parts, onOther, ask } of steps) {
            if (kind === 'reconnect') {
              satellite = await reconnect(database.orm, satellite);
              continue;
            }
            const isSnapshot = kind === 'snapshot' || seq === 0;
            if (isSnapshot) [epoch, seq, expected] = [randomUUID(), 0, new Map()];
            // A connection, and so a graph's parts, stay on one node.
            const node = nodes[onOther ? 1 : 0]!;
            for (let part = 0; part < parts; part++) {
              const isMine = (_: unknown, index: number): boolean => index % parts === part;
              const [some, without] = [edges.filter(isMine), isSnapshot ? [] : gone.filter(isMine)];
              const each = message({
                epoch,
                seq: seq++,
                kind: isSnapshot ? 'snapshot' : 'delta',
                last: part === parts - 1,
                edges: some,
                gone: without.map(({ caller, callee }) => [caller, callee]),
              });
              assert.equal(await send(node, satellite, each), 'ok');
              for (const each of without) expected.delete(pairOf(each));
              for (const each of some) expected.set(pairOf(each), each);
            }
            now += 1_000;
            if (!ask) continue;
            for (const node of nodes) await checkEdges(node, satellite, expected);
          }
          for (const node of nodes) await checkEdges(node, satellite, expected);
        }),
        fewRuns(40),
      );
    } finally {
      await other.close(true);
    }
  });

  async function checkEdges(
    node: DependencyGraphs,
    { teamId, id }: TestSatellite,
    expected: Map<string, WireEdge>,
  ): Promise<void> {
    const { edges, totals } = await node.edges(teamId, id, 1_000);
    const plain = ({
      caller,
      callee,
      callsPerSecond,
      errorRatio,
      p50Seconds,
      p95Seconds,
      sources,
      stale,
    }: Omit<WireEdge, 'seenAgoMs'>): unknown => [
      caller,
      callee,
      callsPerSecond,
      errorRatio,
      p50Seconds,
      p95Seconds,
      sources.toSorted().join(),
      stale,
    ];
    const sorted = (of: Iterable<Omit<WireEdge, 'seenAgoMs'>>): unknown[] =>
      [...of].map((each) => JSON.stringify(plain(each))).sort();
    assert.deepEqual(sorted(edges), sorted(expected.values()));
    assert.equal(totals.edges, expected.size);
    const order = edges.map(({ callsPerSecond }) => callsPerSecond ?? -1);
    assert.deepEqual(
      order,
      order.toSorted((a, b) => b - a),
    );
    const [head] = await database.orm.em
      .fork()
      .execute<{ edges: number; tombstones: number; live: number; dead: number }[]>(
        `select edges, tombstones, (select count(*) from satellite_graph_edges e where e.satellite_id = g.satellite_id and not gone)::int as live,
         (select count(*) from satellite_graph_edges e where e.satellite_id = g.satellite_id and gone)::int as dead
       from satellite_graphs g where satellite_id = ?`,
        [id],
      );
    if (head) assert.deepEqual([head.edges, head.tombstones], [head.live, head.dead]);
  }

  it('stays whole when storing is cut off in the middle', async () => {
    const small = await openOrm({ entities, databaseUrl: database.url, poolSize: 1 });
    try {
      const [graphs, satellite, epoch] = [open(small), await addSatellite(database.orm), randomUUID()];
      await send(graphs, satellite, message({ epoch, seq: 0, edges: [edge('a', 'b'), edge('b', 'c')] }));
      // Somebody holds an edge, so that the removal of the one before is done and the rest waits.
      const held = `select 1 from satellite_graph_edges where satellite_id = '${satellite.id}' and caller = 'b'`;
      const edges = [edge('b', 'c', { callsPerSecond: 9 }), edge('x', 'y')];
      await cutShort(database, held, () =>
        send(graphs, satellite, message({ epoch, seq: 1, edges, gone: [['a', 'b']] })),
      );
      assert.deepEqual(await pairs(graphs, satellite), ['a>b', 'b>c']);
      assert.deepEqual(await pairs(open(), satellite), ['a>b', 'b>c']);
      // Nothing of it counts: the same delta, sent again, is taken.
      assert.equal(await send(graphs, satellite, message({ epoch, seq: 1, edges: [edge('x', 'y')] })), 'ok');
      assert.deepEqual(await pairs(open(), satellite), ['a>b', 'b>c', 'x>y']);
    } finally {
      await small.close(true);
    }
  });

  it('takes two snapshots at once one after the other, and nothing of a connection that was replaced', async () => {
    const [one, two] = [open(), open()];
    const old = await addSatellite(database.orm);
    const [oldEpoch, newEpoch] = [randomUUID(), randomUUID()];
    await send(one, old, message({ epoch: oldEpoch, seq: 0, edges: [edge('old', 'a')] }));
    // The old connection's delta has begun when the new one takes over, and waits for the graph's lock.
    const holder = database.orm.em.fork();
    await holder.begin();
    await holder.execute('select 1 from satellite_graphs where satellite_id = ? for update', [old.id]);
    const late = send(one, old, message({ epoch: oldEpoch, seq: 1, edges: [edge('old', 'b')] }));
    await untilWaiting(database, 1);
    const current = await reconnect(database.orm, old);
    const fresh = send(two, current, message({ epoch: newEpoch, seq: 0, edges: [edge('new', 'a')] }));
    await untilWaiting(database, 2);
    await holder.rollback();
    assert.deepEqual(await Promise.all([late, fresh]), ['ok', 'ok']);
    assert.deepEqual(await pairs(one, current), ['new>a']);
    assert.equal(await send(one, old, message({ epoch: randomUUID(), seq: 0, edges: [edge('old', 'c')] })), 'ok');
    assert.deepEqual(await pairs(one, current), ['new>a']);
    assert.equal(await send(two, current, message({ epoch: newEpoch, seq: 1, edges: [edge('new', 'b')] })), 'ok');
    assert.deepEqual(await pairs(one, current), ['new>a', 'new>b']);
  });

  it('stores few snapshots at one time, and does not let a small delta wait for them', async () => {
    const [graphs, quick, epoch] = [open(), await addSatellite(database.orm), randomUUID()];
    await send(graphs, quick, message({ epoch, seq: 0, edges: [edge('a', 'b')] }));
    const others = await Promise.all(Array.from({ length: 7 }, () => addSatellite(database.orm)));
    const snapshot = (satellite: TestSatellite): Promise<'ok' | 'resync'> =>
      send(graphs, satellite, message({ epoch: randomUUID(), seq: 0, edges: [edge('a', 'b')] }));
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const holder = database.orm.em.fork();
    await holder.begin();
    let sent: Promise<('ok' | 'resync')[]>;
    try {
      const ids = others.map(({ id }) => id);
      await holder.execute('select 1 from satellites where id = any(?) for update', [`{${ids.join()}}`]);
      sent = Promise.all(others.map(snapshot));
      await untilWaiting(database, 4);
      assert.equal(await send(graphs, quick, message({ epoch, seq: 1, edges: [edge('b', 'c')] })), 'ok');
      assert.deepEqual(await pairs(graphs, quick), ['a>b', 'b>c']);
      assert.equal((await database.orm.em.fork().execute<unknown[]>(waiting)).length, 4);
    } finally {
      await holder.rollback();
    }
    assert.deepEqual(
      await sent,
      others.map(() => 'ok'),
    );
    for (const satellite of others) assert.deepEqual(await pairs(graphs, satellite), ['a>b']);
  });

  it('goes with its satellite, and comes back with it on every node', async () => {
    const [one, two] = [open(), open()];
    const satellite = await addSatellite(database.orm);
    await send(one, satellite, message({ epoch: randomUUID(), seq: 0, edges: [edge('a', 'b')] }));
    assert.deepEqual(await pairs(two, satellite), ['a>b']);
    const before = await stored();
    const deleted = database.orm.em.fork().transactional(async (em) => {
      await em.execute('delete from satellites where id = ?', [satellite.id]);
      await removeGraph(em, satellite.id);
    });
    await deleted;
    assert.equal(await stored(), before - 1);
    assert.deepEqual(await pairs(two, satellite), []);
    const epoch = randomUUID();
    assert.equal(await send(one, satellite, message({ epoch, seq: 0, edges: [edge('a', 'b')] })), 'ok');
    assert.equal(await stored(), before - 1);
    // It registers again under the same id.
    await addSatellite(database.orm, satellite);
    assert.equal(await send(one, satellite, message({ epoch, seq: 1, edges: [edge('a', 'b')] })), 'resync');
    assert.equal(await send(one, satellite, message({ epoch, seq: 0, edges: [edge('c', 'd')] })), 'ok');
    assert.deepEqual(await pairs(two, satellite), ['c>d']);
    assert.deepEqual(await pairs(one, satellite), ['c>d']);
  });

  it('is not left behind by a message that comes while its satellite is deleted', async () => {
    const [graphs, satellite, before] = [open(), await addSatellite(database.orm), await stored()];
    const deleter = database.orm.em.fork();
    await deleter.begin();
    await deleter.execute('delete from satellites where id = ?', [satellite.id]);
    await removeGraph(deleter, satellite.id);
    const sent = send(graphs, satellite, message({ epoch: randomUUID(), seq: 0, edges: [edge('a', 'b')] }));
    await untilWaiting(database, 1);
    await deleter.commit();
    assert.equal(await sent, 'ok');
    assert.equal(await stored(), before);
  });

  it('keeps teams apart, whatever a satellite says', async () => {
    const graphs = open();
    const mine = await addSatellite(database.orm);
    const theirs = await addSatellite(database.orm);
    await send(graphs, mine, message({ epoch: randomUUID(), seq: 0, edges: [edge('mine', 'a')] }));
    const forged = { ...theirs, id: mine.id };
    assert.equal(
      await send(graphs, forged, message({ epoch: randomUUID(), seq: 0, edges: [edge('theirs', 'b')] })),
      'ok',
    );
    assert.deepEqual(await pairs(graphs, mine), ['mine>a']);
    assert.deepEqual(await pairs(graphs, forged), []);
    const answer = await graphs.query(theirs.teamId, { type: 'get_downstream', service: 'mine', limit: 10 });
    assert.deepEqual(
      [answer.found, answer.satellites.map(({ id }) => id), 'near' in answer && answer.near],
      [false, [theirs.id], []],
    );
  });

  it('takes hostile names for names', async () => {
    const [graphs, satellite, epoch] = [open(), await addSatellite(database.orm), randomUUID()];
    const names = [
      '__proto__',
      'constructor',
      `'; drop table satellites; --`,
      '{"a",NULL}',
      '\\',
      '"',
      '💥'.repeat(100),
      '名'.repeat(200),
    ];
    const edges = names.map((name) => edge(name, 'hasOwnProperty'));
    // One name to PostgreSQL, which has neither NUL nor halves of surrogate pairs.
    const same = [edge('nul\0', 'x'), edge('nul\uFFFD', 'x'), edge('nul\uD800', 'x')];
    assert.equal(await send(graphs, satellite, message({ epoch, seq: 0, edges: [...edges, ...same] })), 'ok');
    assert.deepEqual(
      await pairs(graphs, satellite),
      [...names.map((name) => `${name}>hasOwnProperty`), 'nul\uFFFD>x'].sort(),
    );
    const answer = await graphs.query(satellite.teamId, {
      type: 'get_upstream',
      service: 'hasOwnProperty',
      limit: 100,
    });
    assert.ok(answer.found);
    assert.deepEqual(
      answer.services.map(({ name }) => name),
      names.toSorted(),
    );
    assert.equal(
      await send(
        graphs,
        satellite,
        message({
          epoch,
          seq: 1,
          gone: [
            ['nul\0', 'x'],
            ['__proto__', 'hasOwnProperty'],
          ],
        }),
      ),
      'ok',
    );
    assert.equal((await pairs(graphs, satellite)).length, names.length - 1);
  });

  it('has a bound: the calls that are made least are left out, and it is said', async () => {
    const [graphs, satellite, epoch] = [open(), await addSatellite(database.orm), randomUUID()];
    const size = 2_000;
    for (let seq = 0; seq < MAX_EDGES / size; seq++) {
      const edges = Array.from({ length: size }, (_, index) =>
        edge(`s${seq}`, `t${index}`, { callsPerSecond: 1 + seq }),
      );
      await send(
        graphs,
        satellite,
        message({ epoch, seq, kind: 'snapshot', last: (seq + 1) * size === MAX_EDGES, edges }),
      );
    }
    const seq = MAX_EDGES / size;
    assert.equal(
      await send(
        graphs,
        satellite,
        message({
          epoch,
          seq,
          edges: [edge('a', 'busy', { callsPerSecond: 1e6 }), edge('a', 'idle', { callsPerSecond: 0 })],
        }),
      ),
      'ok',
    );
    const { edges, totals, truncatedAtSource } = await graphs.edges(satellite.teamId, satellite.id, 1);
    assert.deepEqual([edges[0]?.callee, totals.edges, truncatedAtSource], ['busy', MAX_EDGES, true]);
    const answer = await graphs.query(satellite.teamId, { type: 'get_downstream', service: 'a', limit: 10 });
    assert.ok(answer.found);
    assert.deepEqual(
      answer.services.map(({ name }) => name),
      ['busy'],
    );
    assert.deepEqual(
      answer.unknown.map(({ kind }) => kind),
      ['graph_truncated'],
    );
  });
});
