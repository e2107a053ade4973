/** The API schema of the series in a stored tool result. */
import { z } from 'zod';

const time = z.iso.datetime();
const figure = z.number().nullable();
const window = z.object({ from: time, to: time }).nullable();

const ChartSeries = z
  .object({
    label: z.string().describe('Distinguishes it from the other series of the result.'),
    service: z.string().nullable(),
    statistic: z.string().nullable(),
    unit: z.string().nullable(),
    points: z
      .array(z.tuple([time, figure]))
      .describe('Timestamps with values, in order, without duplicates; null for a missing sample.'),
    anomaly: z
      .object({
        score: z
          .number()
          .describe('Distance from the median of the baseline, in spreads; positive in the harmful direction.'),
        direction: z.enum(['up', 'down', 'either']).describe('The harmful direction.'),
        onset: time.nullable().describe('When it began to move; null if it did not.'),
        baseline_median: figure,
        baseline_spread: figure,
        incident_value: figure,
      })
      .nullable()
      .describe('Compared with the baseline, if the tool did so.'),
  })
  .meta({ id: 'ChartSeries' });

export const ToolResultSeriesResponse = z
  .object({
    tool_id: z.uuid(),
    tool: z.string(),
    title: z.string().describe('What is measured: the metric or the expression.'),
    unit: z.string().nullable().describe('Unit of all series; null if they have none, or different ones.'),
    window: window.describe('The queried window; null if the result does not say.'),
    baseline: window.describe('What it was compared with.'),
    anomaly_window: window.describe('From the onset of the worst series to the end; null if nothing is anomalous.'),
    series: z.array(ChartSeries),
    truncated: z.boolean().describe('Whether the result, or its source, has more series or points than these.'),
  })
  .meta({ id: 'ToolResultSeriesResponse' });
