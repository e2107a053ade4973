/** Graphs for tests: random ones, messages that carry them, satellites that send them. */
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import type { Orm } from '../../../../src/db/orm.ts';
import { callGraph, type CallGraph } from '../../../../src/features/satellites/graph/query/call-graph.ts';
import {
  applyChanges,
  emptyTable,
  type EdgeChange,
  type EdgeTable,
} from '../../../../src/features/satellites/graph/query/table.ts';
import type { GraphMessage, WireEdge } from '@casebook/wire';

/** `a>b@2.5` with a rate, `a>b` without, `a>b~` stale. */
export function change(text: string, gone = false): EdgeChange {
  const [, caller = '', callee = '', rate, tilde] = /^(.*?)>(.*?)(?:@([\d.]+))?(~)?$/u.exec(text) ?? [];
  return {
    caller,
    callee,
    callsPerSecond: rate === undefined ? Number.NaN : Number(rate),
    errorRatio: Number.NaN,
    p50Seconds: Number.NaN,
    p95Seconds: Number.NaN,
    sources: 1,
    stale: tilde !== undefined,
    seenAt: 1_000,
    gone,
  };
}

export const tableOf = (...edges: string[]): EdgeTable =>
  applyChanges(
    emptyTable(),
    edges.map((text) => change(text)),
  );
export const graphOf = (...edges: string[]): CallGraph => callGraph([tableOf(...edges)]);

/** Few services, so that there are circles; names that are properties of every object among them. */
const NAMES = ['web', 'cart', 'pay', '__proto__', 'constructor', 'toString', 'db', 'a', 'Ünïcode', 'x'.repeat(200)];
const amount = fc.oneof(fc.constant(undefined), fc.constant(0), fc.double({ min: 0.001, max: 1_000, noNaN: true }));

export const wireEdge: fc.Arbitrary<WireEdge> = fc
  .record({
    caller: fc.constantFrom(...NAMES),
    callee: fc.constantFrom(...NAMES),
    callsPerSecond: amount,
    errorRatio: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    p50Seconds: amount,
    p95Seconds: amount,
    sources: fc.uniqueArray(fc.constantFrom('service-graph', 'istio', 'linkerd', 'spans', 'recorded'), {
      minLength: 1,
    }),
    seenAgoMs: fc.nat(100_000),
    stale: fc.boolean(),
  })
  .map((edge) => edge as WireEdge);

export const pairOf = ({ caller, callee }: { caller: string; callee: string }): string =>
  JSON.stringify([caller, callee]);
/** One edge for each pair. */
export const wireEdges = (maxLength: number): fc.Arbitrary<WireEdge[]> =>
  fc.uniqueArray(wireEdge, { maxLength, selector: pairOf });

export const aTable: fc.Arbitrary<EdgeChange[]> = wireEdges(30).map((edges) =>
  edges.map((edge) => ({
    ...change(`${edge.caller}>${edge.callee}`),
    callsPerSecond: edge.callsPerSecond ?? Number.NaN,
    stale: edge.stale,
  })),
);

export function edge(caller: string, callee: string, rest: Partial<WireEdge> = {}): WireEdge {
  return { caller, callee, callsPerSecond: 1, sources: ['spans'], seenAgoMs: 0, stale: false, ...rest };
}

export function message(rest: Partial<GraphMessage> & Pick<GraphMessage, 'epoch' | 'seq'>): GraphMessage {
  const kind = rest.seq === 0 ? 'snapshot' : 'delta';
  return { type: 'graph', kind, last: true, edges: [], gone: [], ...rest };
}

export interface TestSatellite {
  id: string;
  teamId: string;
  name: string;
  connectionId: string;
}

/** A satellite that is connected. */
export async function addSatellite(orm: Orm, of: Partial<TestSatellite> = {}): Promise<TestSatellite> {
  const satellite = { id: randomUUID(), teamId: randomUUID(), name: 'north', connectionId: randomUUID(), ...of };
  const { id, teamId, name, connectionId } = satellite;
  await orm.em.fork().execute(
    `insert into satellites (id, created_at, updated_at, team_id, name, version, labels, instance, token_id, inbox,
       connection_id, connected_at, last_heartbeat_at, clock_offset_ms, health, summary, inventory,
       inventory_bytes, inventory_digest, clusters)
     values (?, now(), now(), ?, ?, '1', '{}', gen_random_uuid(), gen_random_uuid(), 'inbox', ?, now(), now(), 0, '[]',
       '{}', '{}', 2, '', '[]')`,
    [id, teamId, name, connectionId],
  );
  return satellite;
}

/** Another connection takes over. */
export async function reconnect(orm: Orm, satellite: TestSatellite): Promise<TestSatellite> {
  const connectionId = randomUUID();
  await orm.em.fork().execute('update satellites set connection_id = ? where id = ?', [connectionId, satellite.id]);
  return { ...satellite, connectionId };
}
