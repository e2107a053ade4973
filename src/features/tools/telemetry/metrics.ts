import { z } from 'zod';
import type { TimeWindow } from '../../sources/port.ts';
import type { SearchMetricsResult, QueryMetricResult } from '../results.ts';
import { count } from '../text.ts';
import { toIsoWindow } from '../time.ts';
import {
  limitField,
  serviceField,
  sourceField,
  defineSourceTool,
  baselineFields,
  windowFields,
} from './source-tool.ts';
import { anomalyOf, MAX_POINTS, resultPoints, identity, joinAll } from './series.ts';
import { resolveBaseline, windowOfCall } from './window.ts';

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

/** Points to request: enough for sound statistics; the model sees the extremes. */
const SAMPLED_POINTS = 2_000;
/** Points shown over all series; more would not fit the view of a tool result. */
const MAX_POINTS_SHOWN = 300;

/** `query_metric`: one metric over time, with statistics against a healthy period. */
export const queryMetric = defineSourceTool({
  name: 'query_metric',
  description:
    'Reads one metric over a window, for one service or for all that have it, and compares it with a healthy baseline: score is how many spreads the worst value lies from the baseline median, positive when harmful. Counters come as rates per second. Points are thinned so that minima and maxima survive. Series are sorted by how anomalous they are.',
  input: z.strictObject({
    source: sourceField,
    metric: z.string().trim().min(1).max(300).describe('The exact name of a metric, from search_metrics.'),
    service: serviceField.optional().describe('Only this service. Default: all services that have the metric.'),
    statistic: z.string().trim().min(1).max(60).optional().describe('Such as p95, Average, rate. Default: all.'),
    ...windowFields,
    ...baselineFields,
    limit: limitField(12, 20, 'series'),
  }),
  needs: { capability: 'metrics', method: 'queryMetric' },
  summarize: ({ metric, service, statistic }) =>
    `Query ${metric}${statistic ? ` (${statistic})` : ''}${service ? ` of ${service}` : ''}`,
  async answer(input, source, context) {
    const { signal } = context;
    const { description, window } = await windowOfCall(input, source, context);
    const baseline = resolveBaseline(input, window, description);
    const { metric, service, statistic } = input;
    const ask = (period: TimeWindow) =>
      source.queryMetric({ metric, service, statistic, ...period, maxPoints: SAMPLED_POINTS }, { signal });
    const [during, before] = await Promise.all([ask(window), ask(baseline)]);

    const whole = new Map(joinAll([...during, ...before]).map((series) => [identity(series), series]));
    const compared = during
      .map((series) => ({ series, anomaly: anomalyOf(whole.get(identity(series)) ?? series, window, baseline) }))
      .sort((a, b) => Math.abs(b.anomaly.score) - Math.abs(a.anomaly.score));
    const shown = compared.slice(0, input.limit);
    const points = Math.min(MAX_POINTS, Math.floor(MAX_POINTS_SHOWN / Math.max(1, shown.length)));
    const result: QueryMetricResult = {
      source: input.source,
      metric,
      window: toIsoWindow(window),
      baseline: toIsoWindow(baseline),
      series: shown.map(({ series, anomaly }) => ({
        service: series.service,
        statistic: series.statistic,
        unit: series.unit,
        points: resultPoints(series.timestamps, series.values, points),
        anomaly,
      })),
      truncated: compared.length > shown.length,
    };
    const worst = shown[0];
    return {
      result,
      digest: worst
        ? `${metric}: ${count(compared.length, 'series', 'series')}, most anomalous ${worst.series.service} (score ${worst.anomaly.score.toPrecision(3)})`
        : `${metric}: no series in the window`,
    };
  },
});
