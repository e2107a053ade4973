import { quantity } from '@casebook/wording';
import { z } from 'zod';
import type { SearchTracesResult } from '../results.ts';
import { clip, count, oneLine } from '../text.ts';
import { toIso, toIsoWindow } from '../time.ts';
import { defineSourceTool, limitField, serviceField, sourceField, windowFields } from './source-tool.ts';
import { windowOfCall } from './window.ts';

const NAME_CHARACTERS = 200;
const MAX_TRACES = 100;
/** Of this many times as many traces as are shown, the slowest are. */
const CANDIDATES = 5;
const duration = z.number().min(0).max(1e9);

/** `search_traces`: which requests were slow or failed. */
export const searchTraces = defineSourceTool({
  name: 'search_traces',
  description:
    'Finds traces (single requests, followed through all services) in a window; the slowest first. With service or operation, one span must match all filters; without them, duration and status are those of the whole trace. Look at one with get_trace; to see what differs from health, use compare_traces.',
  input: z.strictObject({
    source: sourceField,
    service: serviceField.optional().describe('Only traces with a span of this service.'),
    operation: z.string().min(1).max(2_000).optional().describe('Only traces with a span of exactly this operation.'),
    min_duration_ms: duration.optional().describe('Only what took at least this long, in milliseconds.'),
    max_duration_ms: duration.optional().describe('Only what took at most this long, in milliseconds.'),
    status: z.enum(['ok', 'error']).optional().describe('Only what failed (error), or did not (ok).'),
    ...windowFields,
    limit: limitField(20, MAX_TRACES, 'traces'),
  }),
  needs: { capability: 'traces', method: 'searchTraces' },
  summarize: ({ service, operation, status, source }) =>
    `Search ${status === 'error' ? 'failed ' : ''}traces of ${oneLine(operation ?? service ?? source, 60)}`,
  async answer(input, source, context) {
    const { service, operation, status, limit } = input;
    const { window } = await windowOfCall(input, source, context);
    const durations = { minDurationMs: input.min_duration_ms, maxDurationMs: input.max_duration_ms };
    const candidates = Math.min(MAX_TRACES, limit * CANDIDATES);
    const query = { service, operation, status, ...durations, ...window, limit: candidates };
    const { traces, truncated } = await source.searchTraces(query, { signal: context.signal });
    const slowest = traces.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, limit);
    const result: SearchTracesResult = {
      source: input.source,
      window: toIsoWindow(window),
      traces: slowest.map((trace) => ({
        trace_id: trace.traceId,
        service: clip(trace.service, NAME_CHARACTERS),
        operation: clip(trace.operation, NAME_CHARACTERS),
        start: toIso(trace.start),
        duration_ms: trace.durationMs,
        ...(trace.spans !== undefined && { spans: trace.spans }),
        ...(trace.errors !== undefined && { errors: trace.errors }),
      })),
      truncated: truncated || slowest.length < traces.length,
    };
    const [first] = slowest;
    const found = `${count(traces.length, 'trace')}${truncated ? ' and more' : ''}`;
    return {
      result,
      digest: first
        ? `${found}; slowest: ${first.service} ${first.operation}, ${quantity(first.durationMs, 'ms')}`
        : 'No matching traces',
    };
  },
});
