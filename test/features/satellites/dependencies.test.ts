/** The live dependency graph over HTTP: as satellites send it to one node, asked on another. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { waitUntil } from '../../support/wait-until.ts';
import type { GraphMessage, WireEdge } from '@casebook/wire';
import { connectWireSatellite, type WireSatellite } from '../../support/wire-satellite.ts';
import { startSatelliteApi, type SatelliteApi } from './support.ts';

const edge = (caller: string, callee: string, more: Partial<WireEdge> = {}): WireEdge => ({
  caller,
  callee,
  callsPerSecond: 10,
  errorRatio: 0,
  sources: ['service-graph'],
  seenAgoMs: 1_000,
  stale: false,
  ...more,
});

describe('the dependency graph over HTTP', () => {
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

  const connect = async (name: string, edges: WireEdge[]) => {
    const satellite = await connectWireSatellite({ url: api.url, token, name });
    open.push(satellite);
    await api.untilStatus(satellite.id, 'online');
    const epoch = randomUUID();
    let seq = 0;
    const send = (part: Partial<GraphMessage>) =>
      satellite.send({ type: 'graph', epoch, seq: seq++, kind: 'delta', last: true, edges: [], gone: [], ...part });
    send({ kind: 'snapshot', edges });
    return { satellite, send, skip: () => seq++ };
  };
  const graphOf = async (id: string, more = '', node = 1) => {
    const path = `/satellite/${id}/dependencies?team_id=${api.team.id}${more}`;
    return (await api.call('GET', path, undefined, { node })).json;
  };
  const untilGraph = (id: string, is: (graph: { total_edges: number; edges: never[] }) => boolean) =>
    waitUntil(
      async () => {
        const graph = await graphOf(id);
        return is(graph) ? graph : undefined;
      },
      { what: 'the graph' },
    );
  const query = (service: string, query_type: string, more: object = {}) =>
    api.call(
      'POST',
      '/satellite/query/dependencies',
      { team_id: api.team.id, service, query_type, ...more },
      { node: 1 },
    );

  it('is a satellite’s snapshot and deltas, bounded and with the time it was confirmed', async () => {
    const { satellite, send } = await connect('eu', [
      edge('storefront', 'checkout', { callsPerSecond: 20, p95Seconds: 0.2 }),
      edge('checkout', 'payments', { callsPerSecond: 15, errorRatio: 0.5 }),
      edge('checkout', 'catalog', { callsPerSecond: 5 }),
    ]);
    const graph = await untilGraph(satellite.id, ({ total_edges }) => total_edges === 3);
    assert.equal(graph.satellite, 'eu');
    assert.equal(graph.truncated, false);
    assert.ok(Math.abs(Date.parse(graph.as_of) - Date.now()) < 60_000);
    assert.deepEqual(
      graph.nodes.find(({ name }: { name: string }) => name === 'checkout'),
      { name: 'checkout', callers: 1, callees: 2 },
    );
    assert.equal(graph.edges[0].callee, 'checkout');
    assert.equal(graph.edges[0].p95_seconds, 0.2);
    const one = await graphOf(satellite.id, '&limit=1');
    assert.equal(one.edges.length, 1);
    assert.equal(one.truncated, true);
    assert.equal(one.total_edges, 3);

    send({ edges: [edge('payments', 'bank', { stale: true, seenAgoMs: 600_000 })], gone: [['checkout', 'catalog']] });
    const changed = await untilGraph(satellite.id, ({ edges }) =>
      edges.some(({ callee }: { callee: string }) => callee === 'bank'),
    );
    assert.equal(changed.total_edges, 3);
    const bank = changed.edges.find(({ callee }: { callee: string }) => callee === 'bank');
    assert.equal(bank.stale, true);
    assert.ok(Date.now() - Date.parse(bank.last_seen) > 500_000);
  });

  it('answers over all satellites of the team, or one', async () => {
    const us = await connect('us', [edge('batch', 'checkout', { callsPerSecond: 1 }), edge('batch', 'batch')]);
    await untilGraph(us.satellite.id, ({ total_edges }) => total_edges === 2);
    const impact = await query('payments', 'get_impact');
    assert.equal(impact.status, 200, impact.text);
    const byName = new Map<string, { depth: number; path: string[]; impact: { affected_share: number } }>(
      impact.json.services.map((service: { name: string }) => [service.name, service]),
    );
    assert.deepEqual([...byName.keys()].sort(), ['batch', 'checkout', 'storefront']);
    assert.deepEqual(byName.get('storefront')!.path, ['payments', 'checkout', 'storefront']);
    assert.equal(byName.get('checkout')!.depth, 1);
    assert.ok(byName.get('checkout')!.impact.affected_share > 0.5);
    assert.deepEqual(impact.json.cycles, [['batch']]);
    assert.deepEqual(
      impact.json.satellites.map(({ name }: { name: string }) => name),
      ['eu', 'us'],
    );
    const downstream = await query('batch', 'get_downstream');
    assert.deepEqual(
      downstream.json.services.map(({ name, via_stale }: { name: string; via_stale: boolean }) => [name, via_stale]),
      [
        ['checkout', false],
        ['payments', false],
        ['bank', true],
      ],
    );
    assert.ok(downstream.json.unknown.some(({ kind }: { kind: string }) => kind === 'stale_edges'));
    const near = await query('batch', 'get_downstream', { depth: 1 });
    assert.equal(near.json.services.length, 1);
    const ofOne = await query('payments', 'get_upstream', { satellite_id: us.satellite.id });
    assert.equal(ofOne.status, 404);
    const unknown = await query('paymants', 'get_impact');
    assert.equal(unknown.status, 404);
    assert.equal(unknown.json.code, 'unknown_service');
    assert.deepEqual(unknown.json.near.slice(0, 1), ['payments']);
  });

  it('is asked for anew when a message was lost', async () => {
    const { satellite, send, skip } = await connect('gap', [edge('a', 'b')]);
    await untilGraph(satellite.id, ({ total_edges }) => total_edges === 1);
    skip();
    send({ edges: [edge('b', 'c')] });
    await waitUntil(() => satellite.received.some(({ type }) => type === 'graph.wanted') || undefined, {
      what: 'graph.wanted',
    });
    assert.equal((await graphOf(satellite.id)).total_edges, 1);
    const epoch = randomUUID();
    const edges = [edge('a', 'b'), edge('b', 'c')];
    satellite.send({ type: 'graph', epoch, seq: 0, kind: 'snapshot', last: true, edges, gone: [] });
    await untilGraph(satellite.id, ({ total_edges }) => total_edges === 2);
  });

  it('goes with the registration, and comes back with it', async () => {
    const { satellite, send } = await connect('removed', [edge('x', 'y')]);
    await untilGraph(satellite.id, ({ total_edges }) => total_edges === 1);
    await api.call('DELETE', `/satellite/${satellite.id}?team_id=${api.team.id}`);
    const untilGone = async () => ((await query('x', 'get_downstream')).status === 404 ? true : undefined);
    await waitUntil(untilGone, { what: 'the graph to be gone' });
    await api.untilStatus(satellite.id, 'online');
    send({});
    await waitUntil(() => satellite.received.some(({ type }) => type === 'graph.wanted') || undefined, {
      what: 'graph.wanted',
    });
  });

  it('stays when the satellite goes, and says so', async () => {
    const { satellite } = await connect('leaves', [edge('left', 'behind')]);
    await untilGraph(satellite.id, ({ total_edges }) => total_edges === 1);
    satellite.cut();
    await api.untilStatus(satellite.id, 'offline');
    const { json } = await waitUntil(
      async () => {
        const reply = await query('left', 'get_downstream');
        const said = reply.json.unknown?.some(({ kind, satellite: name }: { kind: string; satellite: string }) => {
          return kind === 'satellite_offline' && name === 'leaves';
        });
        return said ? reply : undefined;
      },
      { what: 'the answer to say that the satellite is offline' },
    );
    assert.equal(json.services[0].name, 'behind');
  });

  it('is that of one team', async () => {
    const other = await api.newTeam('neighbour');
    const body = { team_id: other.id, service: 'storefront', query_type: 'get_downstream' };
    const foreign = await api.call('POST', '/satellite/query/dependencies', body, { key: other.key });
    assert.equal(foreign.status, 404);
    assert.deepEqual(foreign.json.near, []);
    assert.deepEqual(
      foreign.json.unknown.filter(({ satellite }: { satellite: string | null }) => satellite),
      [],
    );
  });

  for (const [what, more] of Object.entries({
    'an unknown type': { query_type: 'get_everything' },
    'a depth of 0': { depth: 0 },
    'a limit of 0': { limit: 0 },
    'no service': { service: '' },
    'a satellite that is no id': { satellite_id: 'eu' },
  })) {
    it(`refuses ${what}`, async () => {
      const reply = await query('x', 'get_impact', more);
      assert.equal(reply.status, 422, reply.text);
      assert.equal(reply.json.detail[0].loc[0], 'body');
    });
  }
});
