/** The edges that one satellite sees, in columns. Immutable: changes create a new table. Pure. */

/** An edge as a row; NaN for unknown figures. */
export interface EdgeRow {
  caller: string;
  callee: string;
  callsPerSecond: number;
  errorRatio: number;
  p50Seconds: number;
  p95Seconds: number;
  /** Bits, see `sourceBits`. */
  sources: number;
  stale: boolean;
  /** Unix ms. */
  seenAt: number;
}

export type EdgeChange = EdgeRow & { gone: boolean };

/** Names by number and the reverse. Append-only; tables derived from each other share it. */
export interface Names {
  list: string[];
  ids: Map<string, number>;
}

export interface Columns {
  callees: Uint32Array;
  callsPerSecond: Float64Array;
  errorRatio: Float64Array;
  p50Seconds: Float64Array;
  p95Seconds: Float64Array;
  sources: Uint8Array;
  stale: Uint8Array;
  seenAt: Float64Array;
}

export interface EdgeTable extends Columns {
  names: Names;
  /** The edges of caller c are at offsets[c] to offsets[c + 1], unordered. Later names have no edges. */
  offsets: Uint32Array;
  size: number;
  /** 1 for names that occur in an edge. */
  isNamed: Uint8Array;
}

export function emptyTable(): EdgeTable {
  return {
    names: { list: [], ids: new Map() },
    offsets: new Uint32Array(1),
    size: 0,
    isNamed: new Uint8Array(0),
    ...columns(0),
  };
}

/**
 * The table with the changes applied: linear in its size, mostly block copies.
 * @param changes at most one for each pair of caller and callee
 */
export function applyChanges(table: EdgeTable, changes: readonly EdgeChange[]): EdgeTable {
  // Names of removed services are kept until they outnumber the rest.
  const crowded = table.names.list.length > 4 * table.size + 1_000;
  const base = crowded ? applyChanges(emptyTable(), [...rows(table)]) : table;
  const byCaller = new Map<number, Map<number, EdgeChange>>();
  for (const change of changes) {
    const caller = idOf(base.names, change.caller);
    const callee = idOf(base.names, change.callee);
    const known = byCaller.get(caller);
    if (known) known.set(callee, change);
    else byCaller.set(caller, new Map([[callee, change]]));
  }
  const services = base.names.list.length;
  const next = columns(base.size + changes.length);
  const offsets = new Uint32Array(services + 1);
  const before = base.offsets.length - 1;
  let size = 0;
  let copied = 0;
  const copyTo = (end: number): void => {
    copyColumns(base, next, copied, end, size);
    size += end - copied;
    copied = end;
  };
  for (let caller = 0; caller < services; caller++) {
    // Edges before the caller's are copied later in one block; the caller's own will begin here.
    const begin = caller < before ? base.offsets[caller]! : base.size;
    const end = caller < before ? base.offsets[caller + 1]! : base.size;
    offsets[caller] = size + (begin - copied);
    const changed = byCaller.get(caller);
    if (!changed) continue;
    copyTo(begin);
    for (let edge = begin; edge < end; edge++) {
      const change = changed.get(base.callees[edge]!);
      if (!change) continue;
      copyTo(edge);
      copied = edge + 1;
      changed.delete(base.callees[edge]!);
      if (!change.gone) write(next, size++, base.callees[edge]!, change);
    }
    copyTo(end);
    for (const [callee, change] of changed) if (!change.gone) write(next, size++, callee, change);
  }
  copyTo(base.size);
  offsets[services] = size;
  return { names: base.names, offsets, size, isNamed: namedIn(offsets, next.callees, size), ...trimmed(next, size) };
}

/** The edge's index, or -1. */
export function findEdge(table: EdgeTable, caller: string, callee: string): number {
  const from = table.names.ids.get(caller);
  const to = table.names.ids.get(callee);
  if (from === undefined || to === undefined || from >= table.offsets.length - 1) return -1;
  const end = table.offsets[from + 1]!;
  for (let edge = table.offsets[from]!; edge < end; edge++) if (table.callees[edge] === to) return edge;
  return -1;
}

export function rowAt(table: EdgeTable, caller: number, edge: number): EdgeRow {
  return {
    caller: table.names.list[caller]!,
    callee: table.names.list[table.callees[edge]!]!,
    callsPerSecond: table.callsPerSecond[edge]!,
    errorRatio: table.errorRatio[edge]!,
    p50Seconds: table.p50Seconds[edge]!,
    p95Seconds: table.p95Seconds[edge]!,
    sources: table.sources[edge]!,
    stale: table.stale[edge] === 1,
    seenAt: table.seenAt[edge]!,
  };
}

function namedIn(offsets: Uint32Array, callees: Uint32Array, size: number): Uint8Array {
  const isNamed = new Uint8Array(offsets.length - 1);
  for (let caller = 0; caller < isNamed.length; caller++)
    if (offsets[caller + 1]! > offsets[caller]!) isNamed[caller] = 1;
  for (let edge = 0; edge < size; edge++) isNamed[callees[edge]!] = 1;
  return isNamed;
}

function* rows(table: EdgeTable): Generator<EdgeChange> {
  for (let caller = 0; caller < table.offsets.length - 1; caller++)
    for (let edge = table.offsets[caller]!; edge < table.offsets[caller + 1]!; edge++)
      yield { ...rowAt(table, caller, edge), gone: false };
}

function idOf(names: Names, name: string): number {
  const known = names.ids.get(name);
  if (known !== undefined) return known;
  names.ids.set(name, names.list.length);
  return names.list.push(name) - 1;
}

function columns(size: number): Columns {
  return {
    callees: new Uint32Array(size),
    callsPerSecond: new Float64Array(size),
    errorRatio: new Float64Array(size),
    p50Seconds: new Float64Array(size),
    p95Seconds: new Float64Array(size),
    sources: new Uint8Array(size),
    stale: new Uint8Array(size),
    seenAt: new Float64Array(size),
  };
}

function copyColumns(from: Columns, to: Columns, begin: number, end: number, at: number): void {
  if (begin === end) return;
  to.callees.set(from.callees.subarray(begin, end), at);
  to.callsPerSecond.set(from.callsPerSecond.subarray(begin, end), at);
  to.errorRatio.set(from.errorRatio.subarray(begin, end), at);
  to.p50Seconds.set(from.p50Seconds.subarray(begin, end), at);
  to.p95Seconds.set(from.p95Seconds.subarray(begin, end), at);
  to.sources.set(from.sources.subarray(begin, end), at);
  to.stale.set(from.stale.subarray(begin, end), at);
  to.seenAt.set(from.seenAt.subarray(begin, end), at);
}

function trimmed(from: Columns, size: number): Columns {
  if (from.callees.length === size) return from;
  const to = columns(size);
  copyColumns(from, to, 0, size, 0);
  return to;
}

function write(to: Columns, at: number, callee: number, row: EdgeRow): void {
  to.callees[at] = callee;
  to.callsPerSecond[at] = row.callsPerSecond;
  to.errorRatio[at] = row.errorRatio;
  to.p50Seconds[at] = row.p50Seconds;
  to.p95Seconds[at] = row.p95Seconds;
  to.sources[at] = row.sources;
  to.stale[at] = row.stale ? 1 : 0;
  to.seenAt[at] = row.seenAt;
}
