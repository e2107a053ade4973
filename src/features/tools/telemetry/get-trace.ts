import { quantity } from '@casebook/wording';
import { z } from 'zod';
import { measureSpans } from '../../diagnosis/index.ts';
import { SourceError } from '../../sources/port.ts';
import type { GetTraceResult } from '../results.ts';
import { count, oneLine } from '../text.ts';
import { toIso } from '../time.ts';
import { defineSourceTool, sourceField } from './source-tool.ts';
import { timeByService, toMicrosecond, waterfall } from './waterfall.ts';

/** So that the result fits into one view. */
const MAX_SPANS = 45;

/** `get_trace`: one request as a waterfall, in words. */
export const getTrace = defineSourceTool({
  name: 'get_trace',
  description:
    'Shows one trace as a waterfall: what called what, when each span began, how long it took, how much of that was its own work and how much passed between caller and callee. Of a large trace it shows the spans that took most time themselves or failed. Cite the sentence in "words".',
  input: z.strictObject({
    source: sourceField,
    trace_id: z.string().trim().min(1).max(200).describe('The id of a trace, from search_traces.'),
  }),
  needs: { capability: 'traces', method: 'getTrace' },
  summarize: ({ trace_id: id }) => `Show trace ${oneLine(id, 40)}`,
  async answer({ source: sourceId, trace_id: id }, source, { signal }) {
    const spans = await source.getTrace(id, { signal });
    if (!spans || spans.length === 0)
      throw new SourceError(`Source "${sourceId}" has no trace "${id}"; find one with search_traces.`);
    const start = Math.min(...spans.map((span) => span.start));
    const end = Math.max(...spans.map((span) => span.start + span.durationMs / 1000));
    const trace = measureSpans(spans);
    const rows = waterfall(trace, MAX_SPANS);
    const services = timeByService(trace);
    const result: GetTraceResult = {
      source: sourceId,
      trace_id: id,
      start: toIso(start),
      duration_ms: toMicrosecond((end - start) * 1e3),
      span_count: spans.length,
      errors: spans.filter(({ status }) => status === 'error').length,
      services,
      spans: rows,
      truncated: rows.length < spans.length,
    };
    const [root] = rows;
    const [most] = services;
    return {
      result,
      digest: `${root!.service} ${root!.operation} took ${quantity(result.duration_ms, 'ms')} in ${count(spans.length, 'span')}; most of it in ${most!.service}`,
    };
  },
});
