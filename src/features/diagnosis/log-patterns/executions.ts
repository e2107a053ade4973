import type { LogLine, Span } from '../types.ts';

/** One run of an operation, and what it logged. */
export interface Execution {
  span: Span;
  /** Of its code path: the operation, and the one within the service that led to it. */
  kind: string;
  /** In order of time; may be none. */
  lines: LogLine[];
}

/** Ids as they are written in W3C trace context and B3. */
const ID = /\b[0-9a-f]{16,32}\b/giu;

/**
 * Gives log lines to the spans of their services whose ids they contain. Operations that log are also there with
 * executions that did not, but in no trace without a line: its lines may just not have been kept.
 * @param lines in order of time
 * @returns the lines without a span as `others`
 */
export function executionsOf(
  lines: readonly LogLine[],
  spans: readonly Span[],
): { executions: Execution[]; others: LogLine[] } {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const linesOf = new Map<Span, LogLine[]>();
  const others: LogLine[] = [];
  for (const line of lines) {
    const span = spanOf(line, byId);
    const own = span && linesOf.get(span);
    if (span === undefined) others.push(line);
    else if (own === undefined) linesOf.set(span, [line]);
    else own.push(line);
  }
  const kindOf = ({ service, operation, parentId }: Span): string => {
    const parent = parentId === undefined ? undefined : byId.get(parentId);
    return [service, operation, parent?.service === service ? parent.operation : ''].join('\u0000');
  };
  const logged = [...linesOf.keys()];
  const traces = new Set(logged.map(({ traceId }) => traceId));
  const kinds = new Set(logged.map(kindOf));
  const executions = spans.flatMap((span) => {
    const kind = traces.has(span.traceId) ? kindOf(span) : '';
    return kinds.has(kind) ? [{ span, kind, lines: linesOf.get(span) ?? [] }] : [];
  });
  return { executions, others };
}

function spanOf({ message, service }: LogLine, byId: ReadonlyMap<string, Span>): Span | undefined {
  for (const [id] of message.matchAll(ID)) {
    const span = byId.get(id);
    if (span?.service === service) return span;
  }
  return undefined;
}
