import { z } from 'zod';
import { compareSpans } from '../../diagnosis/index.ts';
import type { CompareTracesResult } from '../results.ts';
import { count } from '../text.ts';
import { toIsoWindow } from '../time.ts';
import {
  baselineFields,
  defineSourceTool,
  limitField,
  serviceField,
  sourceField,
  windowFields,
} from './source-tool.ts';
import { newAndVanished } from './trace-calls.ts';
import { changedNetwork, changedOperations, largestChange } from './trace-changes.ts';
import { resolveBaseline, windowOfCall } from './window.ts';

/** Of each window. */
const MAX_SPANS = 50_000;

/** `compare_traces`: how requests of the incident differ from healthy ones. */
export const compareTraces = defineSourceTool({
  name: 'compare_traces',
  description:
    'Compares the traces of an incident with those of a healthy baseline, operation by operation: own time (without calls), calls in a trace, failures, and the time between caller and callee (network, proxies, queues), each with a score in units of what health shows by chance; and the operations and calls that are new or vanished. A slow callee has more own time; a slow network shows only between caller and callee. Cite the sentences in "words".',
  input: z.strictObject({
    source: sourceField,
    service: serviceField.optional().describe('Only what this service does, calls, or is called for. Default: all.'),
    ...windowFields,
    ...baselineFields,
    limit: limitField(15, 50, 'rows of each kind'),
  }),
  needs: { capability: 'traces', method: 'sampleSpans' },
  timeoutSeconds: 120,
  summarize: ({ source, service }) => `Compare traces of ${service ?? source} with healthy ones`,
  async answer(input, source, context) {
    const { signal } = context;
    const { description, window: incident } = await windowOfCall(input, source, context);
    const baseline = resolveBaseline(input, incident, description);
    const [healthy, sick] = await Promise.all(
      [baseline, incident].map((window) => source.sampleSpans({ ...window, maxSpans: MAX_SPANS }, { signal })),
    );
    // Where the windows overlap, both have the same traces.
    const spans = [
      ...new Map([...healthy!.spans, ...sick!.spans].map((one) => [`${one.traceId} ${one.spanId}`, one])).values(),
    ];
    const compared = compareSpans(spans, { baseline, incident });
    const { traces } = compared;
    const isAbout = (...services: string[]) => input.service === undefined || services.includes(input.service);
    const operations = changedOperations(compared.operations.filter(({ service }) => isAbout(service)));
    const network = changedNetwork(compared.edges.filter(({ caller, callee }) => isAbout(caller, callee)));
    const seen = newAndVanished(spans, { baseline, incident }, traces, isAbout);
    const lists = { operations, network, ...seen };
    const result: CompareTracesResult = {
      source: input.source,
      baseline: toIsoWindow(baseline),
      incident: toIsoWindow(incident),
      traces,
      sampled: healthy!.sampled || sick!.sampled,
      operations: operations.slice(0, input.limit),
      network: network.slice(0, input.limit),
      new_operations: seen.new_operations.slice(0, input.limit),
      vanished_operations: seen.vanished_operations.slice(0, input.limit),
      new_calls: seen.new_calls.slice(0, input.limit),
      vanished_calls: seen.vanished_calls.slice(0, input.limit),
      notes: notesOn(
        traces,
        Object.values(lists).every((list) => list.length === 0),
      ),
      truncated: Object.values(lists).some((list) => list.length > input.limit),
    };
    const [most] = [...network, ...operations].sort((a, b) => largestChange(b) - largestChange(a));
    const first = [most, ...seen.vanished_calls, ...seen.new_calls, ...seen.new_operations].find(Boolean);
    return {
      result,
      digest: `${count(traces.after, 'trace')} against ${traces.before} healthy: ${first?.words ?? 'no notable difference'}`,
    };
  },
});

function notesOn(traces: { before: number; after: number }, nothing: boolean): string[] {
  if (traces.after === 0) return ['There is no trace in the incident window: nothing can be compared.'];
  if (traces.before === 0) return ['There is no trace in the baseline: what is usual is not known.'];
  return nothing ? ['No notable difference from the baseline in self time, calls, errors or network time.'] : [];
}
