/** The spans of recorded incidents: a file with one JSON object per span, always read as a stream. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { QueryError } from '../connector.ts';
import {
  isAboutSpan,
  spanMatches,
  summarizeTrace,
  traceMatches,
  type TraceQuery,
  type TraceSpan,
  type TraceSummary,
} from '../shared/traces/index.ts';
import { openIncidentFile, readChunks } from './files.ts';
import { readLines } from './lines.ts';
import { spanRecord } from './schema.ts';

export const SPANS_FILE = 'spans.jsonl';

/** What is remembered of each trace takes some 300 bytes. */
const MAX_TRACES = 200_000;
const MAX_CACHED_TRACES = 2 * MAX_TRACES;
/** More spans would not fit into an answer. */
const MAX_SPANS_OF_TRACE = 20_000;

export interface SpanReader {
  /** The newest matching traces, oldest first. */
  search(folder: string, query: TraceQuery, signal: AbortSignal): Promise<object>;
  /** The spans of a trace, in order of time; null if the recording does not have it. */
  trace(folder: string, traceId: string, signal: AbortSignal): Promise<TraceSpan[] | null>;
  /** Whole traces that start in a window, chosen by a hash of their ids: a uniform sample, the same every time. */
  sample(
    folder: string,
    query: { from: number; to: number; max_spans: number },
    signal: AbortSignal,
  ): Promise<{ spans: TraceSpan[]; sampled: boolean }>;
}

/** Reads spans.jsonl in bounded memory: an index of its traces stays cached until the file changes, spans do not. */
export function createSpanReader(): SpanReader {
  const cache = new LRUCache<string, Map<string, TraceSummary>>({
    maxSize: MAX_CACHED_TRACES,
    sizeCalculation: (traces) => 1 + traces.size,
  });

  const indexOf = async (folder: string, signal: AbortSignal): Promise<Map<string, TraceSummary>> => {
    const file = await openIncidentFile(folder, SPANS_FILE);
    if (!file) return new Map();
    const { mtimeMs, size } = await file.stat();
    await file.close();
    const key = `${join(folder, SPANS_FILE)}\0${mtimeMs}\0${size}`;
    const index = cache.get(key) ?? (await readIndex(folder, signal));
    cache.set(key, index);
    return index;
  };

  return {
    async search(folder, query, signal) {
      const inWindow = [...(await indexOf(folder, signal)).values()].filter((trace) => startsIn(trace, query));
      const found = await matching(folder, inWindow, query, signal);
      found.sort((a, b) => a.start - b.start);
      return { traces: found.slice(-query.limit), truncated: found.length > query.limit };
    },

    async trace(folder, traceId, signal) {
      const known = (await indexOf(folder, signal)).get(traceId);
      if (!known) return null;
      if (known.spans > MAX_SPANS_OF_TRACE) {
        const size = `${known.spans} spans, at most ${MAX_SPANS_OF_TRACE} are returned`;
        throw new QueryError('too_large', `trace ${traceId} has ${size}`);
      }
      return await spansOf(folder, new Set([traceId]), signal);
    },

    async sample(folder, { from, to, max_spans: maxSpans }, signal) {
      const inWindow = [...(await indexOf(folder, signal)).values()].filter((trace) => startsIn(trace, { from, to }));
      const chosen = chooseTraces(inWindow, maxSpans);
      const spans = chosen.size > 0 ? await spansOf(folder, chosen, signal) : [];
      return { spans, sampled: chosen.size < inWindow.length };
    },
  };
}

const startsIn = ({ start }: TraceSummary, { from, to }: { from: number; to: number }): boolean =>
  start >= from && start < to;

async function matching(
  folder: string,
  traces: TraceSummary[],
  query: TraceQuery,
  signal: AbortSignal,
): Promise<TraceSummary[]> {
  if (!isAboutSpan(query)) return traces.filter((trace) => traceMatches(trace, query));
  const candidates = new Set(traces.map(({ trace_id: id }) => id));
  const found = new Set<string>();
  for await (const span of readSpans(folder, signal))
    if (candidates.has(span.trace_id) && spanMatches(span, query)) found.add(span.trace_id);
  return traces.filter(({ trace_id: id }) => found.has(id));
}

/** Traces in the order of their hashes, until they hold `maxSpans` spans; at least one. */
function chooseTraces(traces: TraceSummary[], maxSpans: number): Set<string> {
  const total = traces.reduce((sum, { spans }) => sum + spans, 0);
  if (total <= maxSpans) return new Set(traces.map(({ trace_id: id }) => id));
  const byHash = traces
    .map(({ trace_id: id, spans }) => ({ id, spans, hash: createHash('sha1').update(id).digest('hex') }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const chosen = new Set<string>();
  let spans = 0;
  for (const trace of byHash) {
    if (chosen.size > 0 && spans + trace.spans > maxSpans) break;
    chosen.add(trace.id);
    spans += trace.spans;
  }
  return chosen;
}

async function spansOf(folder: string, traceIds: Set<string>, signal: AbortSignal): Promise<TraceSpan[]> {
  const spans: TraceSpan[] = [];
  for await (const span of readSpans(folder, signal)) if (traceIds.has(span.trace_id)) spans.push(span);
  return spans.sort((a, b) => a.start - b.start);
}

async function readIndex(folder: string, signal: AbortSignal): Promise<Map<string, TraceSummary>> {
  const traces = new Map<string, ReturnType<typeof summarizeTrace>>();
  for await (const span of readSpans(folder, signal)) {
    const trace = traces.get(span.trace_id);
    if (trace) trace.add(span);
    else if (traces.size < MAX_TRACES) traces.set(span.trace_id, summarizeTrace(span));
    else throw new QueryError('failed', `${SPANS_FILE}: more than ${MAX_TRACES} traces; record a sample of them`);
  }
  return new Map([...traces].map(([id, { summary }]) => [id, summary]));
}

/** @throws {QueryError} naming the first line that is not a span */
async function* readSpans(folder: string, signal: AbortSignal): AsyncGenerator<TraceSpan> {
  signal.throwIfAborted();
  const file = await openIncidentFile(folder, SPANS_FILE);
  if (!file) return;
  let number = 0;
  try {
    for await (const line of readLines(readChunks(file, signal))) {
      number++;
      if (line?.trim() !== '') yield parseSpan(line, number);
    }
  } finally {
    await file.close();
  }
}

/** @param line undefined if it is too long to be read */
function parseSpan(line: string | undefined, number: number): TraceSpan {
  const wrong = (problem: string) => new QueryError('failed', `${SPANS_FILE}: line ${number}: ${problem}`);
  if (line === undefined) throw wrong('too long');
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw wrong('not JSON');
  }
  const parsed = spanRecord.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(`${issue!.path.join('.') || 'span'}: ${issue!.message}`);
}
