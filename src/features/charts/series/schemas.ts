/** The API schema of the series in a stored tool result. */
import { z } from 'zod';

const time = z.iso.datetime();
const figure = z.number().nullable();
const window = z.object({ from: time, to: time }).nullable();

const ChartSeries = z
  .object({
    label: z.string().describe('Tells it apart from the other series of the result.'),
    service: z.string().nullable(),
    statistic: z.string().nullable(),
    unit: z.string().nullable(),
    points: z
      .array(z.tuple([time, figure]))
      .describe('Times with values, in time order; null where the sample is missing. No time occurs twice.'),
    anomaly: z
      .object({
        score: z.number().describe('Spreads away from the median of the baseline; positive: in the harmful direction.'),
        direction: z.enum(['up', 'down', 'either']).describe('Which way is harmful.'),
        onset: time.nullable().describe('When it began to move; null: it did not.'),
        baseline_median: figure,
        baseline_spread: figure,
        incident_value: figure,
      })
      .nullable()
      .describe('Against the baseline, where the tool compared it.'),
  })
  .meta({ id: 'ChartSeries' });

export const ToolResultSeriesResponse = z
  .object({
    tool_id: z.uuid(),
    tool: z.string(),
    title: z.string().describe('What is measured: the metric or the expression.'),
    unit: z.string().nullable().describe('Of all series; null: they have none, or not the same.'),
    window: window.describe('What was asked about; null: the result does not say.'),
    baseline: window.describe('What it was compared with.'),
    anomaly_window: window.describe('From the onset of the worst series to the end; null: nothing is anomalous.'),
    series: z.array(ChartSeries),
    truncated: z
      .boolean()
      .describe('The result has more series or points than these, or there were more than it holds.'),
  })
  .meta({ id: 'ToolResultSeriesResponse' });
