import { z } from 'zod';
import type { PromqlResult } from '../results.ts';
import { count, significant } from '../text.ts';
import { toIsoWindow } from '../time.ts';
import { MAX_POINTS, resultPoints } from './series.ts';
import { limitField, sourceField, windowFields, defineSourceTool } from './source-tool.ts';
import { resolveWindow } from './window.ts';

const SAMPLED_POINTS = 1_000;
const MAX_POINTS_SHOWN = 300;

/** `promql`: any PromQL expression over a window. */
export const promql = defineSourceTool({
  name: 'promql',
  description:
    'Evaluates a PromQL expression over a window on a source with the capability "promql". Use it for what query_metric cannot say: ratios, aggregations over labels, histogram_quantile. Series are sorted by their maximum.',
  input: z.strictObject({
    source: sourceField,
    expr: z
      .string()
      .trim()
      .min(1)
      .max(4_000)
      .describe('The expression, such as sum by (service) (rate(http_requests_total[5m])).'),
    ...windowFields,
    limit: limitField(12, 20, 'series'),
  }),
  needs: { capability: 'promql', method: 'promql' },
  summarize: ({ expr }) => `PromQL: ${expr}`,
  async answer(input, source, { clock, signal }) {
    const description = await source.describe({ signal });
    const window = resolveWindow(input, description, clock.now().getTime() / 1000);
    const all = await source.promql({ expr: input.expr, maxPoints: SAMPLED_POINTS, ...window }, { signal });
    const ordered = all
      .map((series) => ({ ...series, ...range(series.values) }))
      .sort((a, b) => (Number.isNaN(a.max) ? 1 : Number.isNaN(b.max) ? -1 : b.max - a.max));
    const shown = ordered.slice(0, input.limit);
    const points = Math.min(MAX_POINTS, Math.floor(MAX_POINTS_SHOWN / Math.max(1, shown.length)));
    const result: PromqlResult = {
      source: input.source,
      expr: input.expr,
      window: toIsoWindow(window),
      series: shown.map(({ labels, timestamps, values, min, max, last }) => ({
        labels,
        points: resultPoints(timestamps, values, points),
        min: significant(min),
        max: significant(max),
        last: significant(last),
      })),
      truncated: ordered.length > shown.length,
    };
    return { result, digest: `${count(all.length, 'series', 'series')} for ${input.expr}` };
  },
});

function range(values: readonly number[]): { min: number; max: number; last: number } {
  let [min, max, last] = [Number.NaN, Number.NaN, Number.NaN];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    min = value < min || Number.isNaN(min) ? value : min;
    max = value > max || Number.isNaN(max) ? value : max;
    last = value;
  }
  return { min, max, last };
}
