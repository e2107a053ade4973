/** Answers a question from the graphs of a team's satellites. Pure. */
import type {
  DependencyAnswer,
  DependencyQuery,
  FoundDependencies,
  GraphSatellite,
  ReachedService,
  Unknown,
} from './answer.ts';
import { isInCalls, serviceIn, type CallGraph } from './call-graph.ts';
import { cycleGroups, cycleIn, type CycleGroup } from './cycles.ts';
import { edgesAmong } from './edges.ts';
import { impactOf, type Impact, type Load } from './impact.ts';
import { nearNames } from './near-names.ts';
import type { EdgeTable } from './table.ts';
import { estimateIsLow, unknownOfEdges, unknownOfSatellites } from './unknown.ts';
import { pathTo, walk, type Reached } from './walk.ts';

const MAX_CYCLES = 20;
const MAX_CYCLE_LENGTH = 50;

export interface Graphs {
  graph: CallGraph;
  load: Load;
  /** The cycles of the whole graph. */
  groups: readonly CycleGroup[];
  /** The satellites in question; `tables` belong to those that sent a graph, and so do these. */
  satellites: readonly GraphSatellite[];
  tables: readonly { name: string; asOf: Date; table: EdgeTable }[];
}

/** Depth, path and (for `get_impact`) estimate of every reached service; see `DependencyAnswer`. */
export function ask(graphs: Graphs, query: DependencyQuery, now: Date): DependencyAnswer {
  const { graph, load, satellites, tables } = graphs;
  const { type, service } = query;
  const times = tables.map(({ asOf }) => asOf.getTime());
  const asked = {
    service,
    type,
    satellites: [...satellites],
    ...(times.length > 0 && { asOf: { oldest: new Date(Math.min(...times)), newest: new Date(Math.max(...times)) } }),
  };
  const unknown = unknownOfSatellites(satellites, now);
  const start = serviceIn(graph, service);
  if (start === undefined) return { ...asked, found: false, near: nearNames(service, namesIn(graph)), unknown };

  const reached = walk(graph, start, type === 'get_downstream' ? 'callees' : 'callers', query.depth);
  const impact = type === 'get_impact' ? impactOf(graph, load, start) : undefined;
  const shown = nearest(graph, load, reached, impact, query.limit);
  const isReached = membersOf(graph, start, reached.order);
  const edges = edgesAmong(graph, tables, membersOf(graph, start, shown), 2 * query.limit);
  // All services in a cycle with a reached service are reached as well, unless the walk ended early.
  const groups =
    query.depth === undefined
      ? graphs.groups.filter(({ first }) => isReached[first] === 1)
      : cycleGroups(graph, isReached);
  const cycles = someCycles(graph, groups);
  const totals = totalsOf(graph, load, reached, impact, isReached);
  return {
    ...asked,
    found: true,
    ...(query.depth !== undefined && { depth: query.depth }),
    services: shown.map((id) => present(graphs, reached, impact, id)),
    edges: edges.edges,
    cycles,
    totals: { ...totals, cycles: groups.length },
    truncated: shown.length < reached.order.length || edges.truncated || cycles.length < groups.length,
    unknown: [...unknown, ...unknownOfEdges(graph, isReached, now), ...lowEstimate(impact)],
  };
}

function someCycles(graph: CallGraph, groups: readonly CycleGroup[]): string[][] {
  const cycles: string[][] = [];
  for (const group of groups.slice(0, MAX_CYCLES)) {
    const cycle = cycleIn(graph, group);
    if (cycle.length <= MAX_CYCLE_LENGTH) cycles.push([...cycle]);
  }
  return cycles;
}

const lowEstimate = (impact: Impact | undefined): Unknown[] => (impact && !impact.settled ? [estimateIsLow] : []);

function* namesIn(graph: CallGraph): Generator<string> {
  for (let id = 0; id < graph.services; id++) if (isInCalls(graph, id)) yield graph.names[id]!;
}

function membersOf({ services }: CallGraph, start: number, others: Iterable<number>): Uint8Array {
  const isMember = new Uint8Array(services);
  isMember[start] = 1;
  for (const id of others) isMember[id] = 1;
  return isMember;
}

/** The first services of the answer. They arrive by depth: only the depth that crosses the limit is sorted in vain. */
function nearest(
  { names }: CallGraph,
  { throughput }: Load,
  { order, depth }: Reached,
  impact: Impact | undefined,
  limit: number,
): number[] {
  const affected = (id: number): number => (impact ? callsOf(impact, throughput, id) || 0 : 0);
  const shown: number[] = [];
  for (let from = 0; from < order.length && shown.length < limit;) {
    let to = from;
    while (to < order.length && depth[order[to]!] === depth[order[from]!]) to++;
    const layer = Array.from(order.subarray(from, to), (id) => ({ id, calls: affected(id) }));
    layer.sort((a, b) => b.calls - a.calls || (names[a.id]! < names[b.id]! ? -1 : 1));
    for (const { id } of layer.slice(0, limit - shown.length)) shown.push(id);
    from = to;
  }
  return shown;
}

/** Affected calls per second; NaN without a known rate. */
const callsOf = ({ share }: Impact, throughput: Float64Array, id: number): number => share[id]! * throughput[id]!;

function present(
  { graph, load, tables }: Graphs,
  reached: Reached,
  impact: Impact | undefined,
  id: number,
): ReachedService {
  const name = graph.names[id]!;
  const calls = impact ? callsOf(impact, load.throughput, id) : Number.NaN;
  return {
    name,
    depth: reached.depth[id]!,
    path: pathTo(graph, reached, id),
    viaStale: reached.staleEdges[id]! > 0,
    satellites: tables.filter(({ table }) => sees(table, name)).map((each) => each.name),
    ...(impact && {
      impact: {
        affectedShare: impact.share[id]!,
        ...(!Number.isNaN(calls) && { affectedCallsPerSecond: calls }),
      },
    }),
  };
}

function sees({ names, isNamed }: EdgeTable, name: string): boolean {
  const id = names.ids.get(name);
  return id !== undefined && isNamed[id] === 1;
}

function totalsOf(
  { services, offsets, callees, callerOffsets }: CallGraph,
  { throughput }: Load,
  { order }: Reached,
  impact: Impact | undefined,
  isReached: Uint8Array,
): Omit<FoundDependencies['totals'], 'cycles'> {
  let edges = 0;
  for (let caller = 0; caller < services; caller++) {
    if (isReached[caller] === 0) continue;
    for (let edge = offsets[caller]!; edge < offsets[caller + 1]!; edge++) edges += isReached[callees[edge]!]!;
  }
  if (!impact) return { services: order.length, edges };
  const isEntry = (id: number): boolean => callerOffsets[id] === callerOffsets[id + 1];
  const rates = Array.from(order.filter(isEntry), (id) => callsOf(impact, throughput, id));
  const known = rates.filter((rate) => !Number.isNaN(rate));
  const affectedEntryCallsPerSecond = known.reduce((sum, rate) => sum + rate, 0);
  return { services: order.length, edges, ...(known.length > 0 && { affectedEntryCallsPerSecond }) };
}
