/** One trace as a tree of spans in words, bounded. Pure. */
import { quantity } from '@casebook/wording';
import type { MeasuredSpan } from '../../diagnosis/index.ts';
import type { GetTraceResult } from '../results.ts';
import { count, oneLine } from '../text.ts';

type Row = GetTraceResult['spans'][number];

const NAME_CHARACTERS = 120;
const MAX_SERVICES = 10;

interface Node {
  measured: MeasuredSpan;
  depth: number;
  parent?: Node;
  children: Node[];
}

/**
 * The spans of a trace that took most time themselves or failed, with everything that led to them, in the order of a
 * waterfall.
 * @param trace at least one span
 * @param limit maximum number of rows
 */
export function waterfall(trace: readonly MeasuredSpan[], limit: number): Row[] {
  const nodes = treeOf(trace);
  const start = Math.min(...nodes.map(({ measured: { span } }) => span.start));
  const shown = new Set<Node>();
  for (const node of nodes.toSorted((a, b) => weight(b) - weight(a))) {
    const path: Node[] = [];
    for (let at: Node | undefined = node; at && !shown.has(at); at = at.parent) path.push(at);
    if (shown.size + path.length <= limit) for (const one of path) shown.add(one);
  }
  return nodes.filter((node) => shown.has(node)).map((node) => rowOf(node, start, shown));
}

/** Time of a span that no other span explains, in ms; failures come first. */
function weight({ measured: { span, selfMs, edge } }: Node): number {
  return (edge?.ms ?? selfMs ?? 0) + (span.status === 'error' ? 1e9 : 0);
}

/** The spans in depth-first order. A span whose parent is missing, or that is its own ancestor, is a root. */
function treeOf(trace: readonly MeasuredSpan[]): Node[] {
  const ordered = trace.toSorted((a, b) => a.span.start - b.span.start);
  const children = Map.groupBy(ordered, ({ parent }) => parent?.spanId);
  const nodes: Node[] = [];
  const seen = new Set<string>();
  const add = (first: MeasuredSpan): void => {
    const waiting: { measured: MeasuredSpan; parent?: Node }[] = [{ measured: first }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { measured, parent } = next;
      if (seen.has(measured.span.spanId)) continue;
      seen.add(measured.span.spanId);
      const node: Node = { measured, depth: parent ? parent.depth + 1 : 0, ...(parent && { parent }), children: [] };
      parent?.children.push(node);
      nodes.push(node);
      const below = children.get(measured.span.spanId) ?? [];
      for (const child of below.toReversed()) waiting.push({ measured: child, parent: node });
    }
  };
  for (const root of children.get(undefined) ?? []) add(root);
  // What is left are circles.
  for (const one of ordered) add(one);
  return nodes;
}

function rowOf(node: Node, start: number, shown: ReadonlySet<Node>): Row {
  const { span, selfMs, edge } = node.measured;
  const { service, operation, kind, status, durationMs } = span;
  const offsetMs = Math.max(0, toMicrosecond((span.start - start) * 1e3));
  const hidden = node.children.filter((child) => !shown.has(child)).reduce((sum, child) => sum + sizeOf(child), 0);
  return {
    depth: node.depth,
    service: oneLine(service, NAME_CHARACTERS),
    operation: oneLine(operation, NAME_CHARACTERS),
    ...(kind && { kind }),
    ...(status && { status }),
    offset_ms: offsetMs,
    duration_ms: toMicrosecond(durationMs),
    ...(selfMs !== undefined && { self_ms: toMicrosecond(selfMs) }),
    ...(edge && { network_ms: toMicrosecond(edge.ms) }),
    ...(hidden > 0 && { hidden }),
    words: inWords(node.measured, offsetMs, hidden),
  };
}

const sizeOf = ({ children }: Node): number => children.reduce((sum, child) => sum + sizeOf(child), 1);

function inWords({ span, selfMs, edge }: MeasuredSpan, offsetMs: number, hidden: number): string {
  const { service, operation, durationMs, status } = span;
  const name = `${oneLine(service, NAME_CHARACTERS)} ${oneLine(operation, NAME_CHARACTERS)}`;
  const own = selfMs !== undefined && selfMs < durationMs ? `, self time ${ms(selfMs)}` : '';
  const network = edge ? `, network time ${ms(edge.ms)} to ${oneLine(edge.callee, NAME_CHARACTERS)}` : '';
  const failed = status === 'error' ? ', failed' : '';
  const below = hidden > 0 ? ` (${count(hidden, 'span')} below not shown)` : '';
  return `${name} starts at ${ms(offsetMs)}, takes ${ms(durationMs)}${own}${network}${failed}${below}`;
}

/** Times are not recorded more exactly; the rest is rounding of floating-point numbers. */
export const toMicrosecond = (value: number): number => Math.round(value * 1e3) / 1e3;

const ms = (value: number): string => quantity(value, 'ms');

/** Where the time of a trace went, by service, most first. */
export function timeByService(trace: readonly MeasuredSpan[]): GetTraceResult['services'] {
  const totals = new Map<string, GetTraceResult['services'][number]>();
  for (const { span, selfMs = 0, edge } of trace) {
    const total = totals.get(span.service) ?? { service: span.service, spans: 0, errors: 0, self_ms: 0, network_ms: 0 };
    totals.set(span.service, total);
    total.spans++;
    if (span.status === 'error') total.errors++;
    total.self_ms += selfMs;
    total.network_ms += edge?.ms ?? 0;
  }
  return [...totals.values()]
    .sort((a, b) => b.self_ms + b.network_ms - a.self_ms - a.network_ms)
    .slice(0, MAX_SERVICES)
    .map((total) => ({
      ...total,
      service: oneLine(total.service, NAME_CHARACTERS),
      self_ms: toMicrosecond(total.self_ms),
      network_ms: toMicrosecond(total.network_ms),
    }));
}
