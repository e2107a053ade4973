/** The trace in a stored result of `get_trace`. Whoever stored it may have written anything. */
import { shownName } from '../graph/words.ts';

export interface TraceRow {
  depth: number;
  service: string;
  operation: string;
  failed: boolean;
  /** In ms, from the start of the trace. */
  offset: number;
  duration: number;
  /** Without the spans below; undefined for a span that only carries a call. */
  own?: number;
  /** Between caller and callee. */
  network?: number;
  /** Number of spans below that are not in the result. */
  hidden: number;
}

export interface Trace {
  id: string;
  /** In ms. */
  duration: number;
  spanCount: number;
  rows: TraceRow[];
}

/** More rows than the tool returns are not drawn. */
const MAX_ROWS = 200;

type Members = Readonly<Record<string, unknown>>;

/** @returns undefined for anything but a trace with spans */
export function traceIn(text: string): Trace | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !Array.isArray(value['spans'])) return undefined;
  const rows = value['spans'].filter(isObject).slice(0, MAX_ROWS).map(rowOf);
  if (rows.length === 0) return undefined;
  return {
    id: shownName(textOf(value['trace_id'])),
    duration: Math.max(size(value['duration_ms']), ...rows.map(({ offset, duration }) => offset + duration)),
    spanCount: Math.max(rows.length, size(value['span_count'])),
    rows,
  };
}

function rowOf(span: Members): TraceRow {
  const { self_ms: own, network_ms: network } = span;
  return {
    depth: Math.floor(size(span['depth'])),
    service: shownName(textOf(span['service'])),
    operation: shownName(textOf(span['operation'])),
    failed: span['status'] === 'error',
    offset: size(span['offset_ms']),
    duration: size(span['duration_ms']),
    ...(own !== undefined && { own: size(own) }),
    ...(network !== undefined && { network: size(network) }),
    hidden: Math.floor(size(span['hidden'])),
  };
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A number that is not negative; zero for anything else. */
const size = (value: unknown): number => (typeof value === 'number' && value > 0 && value < 1e12 ? value : 0);

/** Where a span's bar is, in percent of the trace; never so narrow that it cannot be seen. */
export function barOf({ offset, duration }: TraceRow, total: number): { left: number; width: number } {
  if (total === 0) return { left: 0, width: 100 };
  const width = Math.min(100, Math.max(0.6, (duration / total) * 100));
  return { left: Math.max(0, Math.min((offset / total) * 100, 100 - width)), width };
}
