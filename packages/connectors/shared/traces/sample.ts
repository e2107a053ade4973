import { QueryError } from '../../connector.ts';
import type { FoundTraces } from './operations.ts';
import type { TraceSpan } from './span.ts';

/** A search returns the newest traces of its range, or any: asking part by part spreads the sample over the range. */
const SLICES = 8;
const SHORTEST_SLICE_SECONDS = 5;
/** Assumed until some have been read. */
const SPANS_PER_TRACE = 10;
const MS_PER_TRACE = 20;
const MAX_TRACES_PER_SLICE = 500;
/** Of the size allowed for the answer: the rest is for its punctuation. */
const USED_SHARE = 0.9;
/** Of the time allowed: the rest is for delivering the answer, and for a part that takes longer than the ones before it. */
const READING_SHARE = 0.6;
const DEFAULT_MS = 60_000;

interface Slice {
  from: number;
  to: number;
  limit: number;
}

/**
 * Whole traces, spread over a time range. How many spans a trace has, and how long it takes to read, is learnt on the
 * way, so that each part of the range gets an equal share of what is left. Parts with too many traces give some of them.
 * @param find reads about `limit` traces of a part
 * @param bounds how many spans, and how many bytes as JSON, the sample may have, and how long it may take; a slow system
 *   gives a smaller sample
 */
export async function sampleTraces(
  find: (slice: Slice) => Promise<FoundTraces>,
  { from, to }: { from: number; to: number },
  bounds: { maxSpans: number; maxBytes: number; remainingMs?: number },
): Promise<{ spans: TraceSpan[]; sampled: boolean }> {
  const slices = Math.max(1, Math.min(SLICES, Math.floor((to - from) / SHORTEST_SLICE_SECONDS)));
  const seen = new Set<string>();
  const spans: TraceSpan[] = [];
  let sampled = false;
  let read = { traces: 1, spans: SPANS_PER_TRACE, ms: MS_PER_TRACE };
  let bytesLeft = bounds.maxBytes * USED_SHARE;
  const endsAt = performance.now() + (bounds.remainingMs ?? DEFAULT_MS) * READING_SHARE;
  for (let slice = 0; slice < slices; slice++) {
    const share = 1 / (slices - slice);
    const beganAt = performance.now();
    const room = {
      spans: (bounds.maxSpans - spans.length) * share,
      bytes: bytesLeft * share,
      ms: (endsAt - beganAt) * share,
    };
    if (room.spans < 1 || room.ms <= 0) return { spans, sampled: true };
    const limit = Math.ceil(Math.min(room.spans / read.spans, room.ms / read.ms) * read.traces);
    const { traces, more } = await findFewer(find, {
      from: from + ((to - from) * slice) / slices,
      to: from + ((to - from) * (slice + 1)) / slices,
      limit: Math.min(limit, MAX_TRACES_PER_SLICE),
    });
    sampled ||= more;
    for (const trace of traces) {
      const id = trace[0]!.trace_id;
      if (seen.has(id)) continue;
      const bytes = JSON.stringify(trace).length;
      if (spans.length > 0 && (room.spans < trace.length || room.bytes < bytes)) {
        sampled = true;
        continue;
      }
      seen.add(id);
      spans.push(...trace);
      room.spans -= trace.length;
      room.bytes -= bytes;
      bytesLeft -= bytes;
    }
    const total = traces.reduce((sum, { length }) => sum + length, 0);
    const ms = performance.now() - beganAt;
    if (traces.length > 0) read = { traces: read.traces + traces.length, spans: read.spans + total, ms: read.ms + ms };
  }
  return { spans, sampled };
}

/** Asks for fewer traces for as long as they are too large for one answer. */
async function findFewer(find: (slice: Slice) => Promise<FoundTraces>, slice: Slice): Promise<FoundTraces> {
  for (let { limit } = slice; ; limit = Math.floor(limit / 4)) {
    try {
      const found = await find({ ...slice, limit });
      return { ...found, more: found.more || limit < slice.limit };
    } catch (error) {
      if (!(error instanceof QueryError) || error.code !== 'too_large' || limit < 4) throw error;
    }
  }
}
