import { z } from 'zod';
import { limitField, serviceField, sourceField } from './inputs.ts';
import type { SearchMetricsResult } from './results.ts';
import { defineSourceTool } from './source-tool.ts';
import { count } from './text.ts';

/** `search_metrics`: the metrics of a source. */
export const searchMetrics = defineSourceTool({
  name: 'search_metrics',
  description:
    'Finds metrics by words in their name, help text, unit or service. Returns the names that query_metric takes, with their services, statistics, unit and type.',
  input: z.strictObject({
    source: sourceField,
    text: z
      .string()
      .max(200)
      .optional()
      .describe('Words that must all occur, such as "latency" or "checkout errors". Leave out to list all metrics.'),
    service: serviceField.optional().describe('Only metrics of this service.'),
    limit: limitField(30, 200, 'metrics'),
  }),
  needs: { capability: 'metrics', method: 'searchMetrics' },
  summarize: ({ text, service, source }) => `Search the metrics of ${service ?? source}${text ? ` for "${text}"` : ''}`,
  async answer({ source: id, text, service, limit }, source, { signal }) {
    // One extra shows whether there are more.
    const found = await source.searchMetrics({ text, service, limit: limit + 1 }, { signal });
    const metrics = found.slice(0, limit);
    const result: SearchMetricsResult = { source: id, metrics, truncated: found.length > limit };
    return { result, digest: `${count(metrics.length, 'metric')}${result.truncated ? ' and more' : ''}` };
  },
});
