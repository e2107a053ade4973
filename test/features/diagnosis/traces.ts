import type { Span } from '../../../src/features/diagnosis/index.ts';

/** A call tree: own time in ms, then calls to other services with the time in between. */
export interface Work {
  service: string;
  operation?: string;
  ownMs: number;
  calls?: Array<Work & { wireMs: number }>;
  status?: Span['status'];
}

let next = 0;

/** The spans of one request: a client span in the caller and a server span in the callee for every call. */
export function trace(root: Work, start: number): Span[] {
  const traceId = `trace-${next++}`;
  const spans: Span[] = [];
  const serve = (work: Work, at: number, parentId?: string): number => {
    const spanId = `span-${next++}`;
    let durationMs = work.ownMs;
    for (const call of work.calls ?? []) {
      const client = `span-${next++}`;
      const callAt = at + durationMs / 1000;
      const served = serve(call, callAt + call.wireMs / 2000, client);
      spans.push({
        traceId,
        spanId: client,
        parentId: spanId,
        service: work.service,
        operation: `call ${call.service}`,
        start: callAt,
        durationMs: served + call.wireMs,
      });
      durationMs += served + call.wireMs;
    }
    const { service, operation = 'handle', status } = work;
    spans.push({
      traceId,
      spanId,
      service,
      operation,
      start: at,
      durationMs,
      ...(parentId && { parentId }),
      ...(status && { status }),
    });
    return durationMs;
  };
  serve(root, start);
  return spans;
}

/** One request every `every` seconds from `from` to `to`; `work` gets the number of the request, for noise. */
export function requests(from: number, to: number, every: number, work: (index: number) => Work): Span[] {
  const spans: Span[] = [];
  for (let at = from, index = 0; at < to; at += every, index++) spans.push(...trace(work(index), at));
  return spans;
}
