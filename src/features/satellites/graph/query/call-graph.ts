/**
 * Combines what several satellites see into one graph, with everything a walk needs in typed arrays. Pure; immutable.
 */
import type { EdgeTable } from './table.ts';

export interface CallGraph {
  /** Number of services; those without calls have no edges. */
  names: readonly string[];
  ids: ReadonlyMap<string, number>;
  services: number;
  edges: number;
  /** The calls of service s are at offsets[s] to offsets[s + 1]. */
  offsets: Uint32Array;
  callees: Uint32Array;
  /** Calls per second; NaN if unknown. */
  rates: Float64Array;
  /** 1 for edges on which no satellite has seen a call for a while. */
  stale: Uint8Array;
  /** When an edge was last seen, unix ms. */
  seenAt: Float64Array;
  /** The calls to service s are at callerOffsets[s] to callerOffsets[s + 1]. */
  callerOffsets: Uint32Array;
  callers: Uint32Array;
  /** The edge that each entry of `callers` stands for. */
  callerEdges: Uint32Array;
}

type Calls = Pick<CallGraph, 'names' | 'ids' | 'services' | 'offsets' | 'callees' | 'rates' | 'stale' | 'seenAt'>;

/**
 * Satellites observe the same calls: an edge that several of them see counts once, with the highest rate; it is stale
 * when all of them say so. Linear in the number of edges; the arrays of a single table are used unchanged.
 */
export function callGraph(tables: readonly EdgeTable[]): CallGraph {
  const [only] = tables;
  const calls = only && tables.length === 1 ? callsOf(only) : union(tables);
  return { ...calls, edges: calls.offsets[calls.services]!, ...callersOf(calls) };
}

/** @returns the service's number; undefined when it has no calls in either direction */
export function serviceIn(graph: CallGraph, name: string): number | undefined {
  const id = graph.ids.get(name);
  return id !== undefined && isInCalls(graph, id) ? id : undefined;
}

/** Whether the service calls or is called. */
export function isInCalls({ services, offsets, callerOffsets }: CallGraph, id: number): boolean {
  if (id >= services) return false;
  return offsets[id + 1]! > offsets[id]! || callerOffsets[id + 1]! > callerOffsets[id]!;
}

function callsOf(table: EdgeTable): Calls {
  const { names, offsets, callees, callsPerSecond, stale, seenAt } = table;
  const services = offsets.length - 1;
  return { names: names.list, ids: names.ids, services, offsets, callees, rates: callsPerSecond, stale, seenAt };
}

function union(tables: readonly EdgeTable[]): Calls {
  const { names, ids, own, theirs } = commonNames(tables);
  const services = names.length;
  const capacity = tables.reduce((sum, { size }) => sum + size, 0);
  const offsets = new Uint32Array(services + 1);
  const callees = new Uint32Array(capacity);
  const rates = new Float64Array(capacity);
  const stale = new Uint8Array(capacity);
  const seenAt = new Float64Array(capacity);
  // The edge to each callee, valid when it is at or after the caller's first.
  const place = new Int32Array(services).fill(-1);
  let size = 0;
  for (let caller = 0; caller < services; caller++) {
    const first = size;
    offsets[caller] = first;
    for (const [index, table] of tables.entries()) {
      const local = theirs[index]![caller]!;
      if (local < 0) continue;
      const end = table.offsets[local + 1]!;
      for (let edge = table.offsets[local]!; edge < end; edge++) {
        const callee = own[index]![table.callees[edge]!]!;
        let at = place[callee]!;
        if (at < first) {
          at = size++;
          place[callee] = at;
          callees[at] = callee;
          rates[at] = Number.NaN;
          stale[at] = 1;
        }
        const rate = table.callsPerSecond[edge]!;
        // A comparison with NaN is false, so a known rate replaces it.
        if (!(rates[at]! >= rate) && !Number.isNaN(rate)) rates[at] = rate;
        stale[at] = stale[at]! & table.stale[edge]!;
        seenAt[at] = Math.max(seenAt[at]!, table.seenAt[edge]!);
      }
    }
  }
  offsets[services] = size;
  return {
    names,
    ids,
    services,
    offsets,
    callees: callees.slice(0, size),
    rates: rates.slice(0, size),
    stale: stale.slice(0, size),
    seenAt: seenAt.slice(0, size),
  };
}

/** Numbers of the union's services: `own` maps each table's numbers to the union's, `theirs` back, with -1 for none. */
function commonNames(tables: readonly EdgeTable[]): {
  names: string[];
  ids: Map<string, number>;
  own: Uint32Array[];
  theirs: Int32Array[];
} {
  const names: string[] = [];
  const ids = new Map<string, number>();
  const own = tables.map((table) => {
    const services = table.offsets.length - 1;
    return Uint32Array.from({ length: services }, (_, local) => {
      const name = table.names.list[local]!;
      const known = ids.get(name);
      if (known !== undefined) return known;
      ids.set(name, names.length);
      return names.push(name) - 1;
    });
  });
  const theirs = own.map((numbers) => {
    const back = new Int32Array(names.length).fill(-1);
    for (let local = 0; local < numbers.length; local++) back[numbers[local]!] = local;
    return back;
  });
  return { names, ids, own, theirs };
}

/** The edges by callee: a counting sort. */
function callersOf({
  services,
  offsets,
  callees,
}: Calls): Pick<CallGraph, 'callerOffsets' | 'callers' | 'callerEdges'> {
  const size = offsets[services]!;
  const callerOffsets = new Uint32Array(services + 1);
  for (let edge = 0; edge < size; edge++) callerOffsets[callees[edge]! + 1]!++;
  for (let service = 0; service < services; service++) callerOffsets[service + 1]! += callerOffsets[service]!;
  const callers = new Uint32Array(size);
  const callerEdges = new Uint32Array(size);
  const next = callerOffsets.slice();
  for (let caller = 0; caller < services; caller++) {
    for (let edge = offsets[caller]!; edge < offsets[caller + 1]!; edge++) {
      const at = next[callees[edge]!]!++;
      callers[at] = caller;
      callerEdges[at] = edge;
    }
  }
  return { callerOffsets, callers, callerEdges };
}
