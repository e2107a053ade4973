/** What the model may ask of a chart: names of tables and columns, and choices from fixed lists. Nothing computed. */
import { z } from 'zod';

const columnField = z.string().min(1).max(300);
const valueField = z.union([z.string().max(500), z.number(), z.boolean()]);

export const MARKS = ['line', 'area', 'bar', 'point', 'event'] as const;
export const AGGREGATES = ['mean', 'sum', 'min', 'max', 'count'] as const;
export const MAX_SERIES = 20;
const MAX_CATEGORIES = 50;

export const chartRequestFields = {
  table: z.string().min(1).max(500).optional().describe('A table of the result. Default: the most telling one.'),
  x: columnField
    .optional()
    .describe('The column across: a time, a number or a category. Default: the time, else names.'),
  y: z
    .union([columnField, z.array(columnField).min(1).max(6)])
    .optional()
    .describe('The column or columns of numbers that are drawn. Default: the first that measures something.'),
  series: z
    .union([columnField, z.array(columnField).max(4)])
    .optional()
    .describe('The column or columns that tell the series apart, by colour; [] for one series. Default: chosen.'),
  mark: z
    .enum(MARKS)
    .optional()
    .describe('How it is drawn; event marks moments, with a text each. Default: lines over time, bars by category.'),
  title: z.string().trim().min(1).max(200).optional(),
  filter: z
    .array(
      z.strictObject({
        column: columnField,
        equals: z
          .union([valueField, z.array(valueField).min(1).max(50)])
          .optional()
          .describe('One value or several.'),
        from: z
          .union([z.string().max(60), z.number()])
          .optional()
          .describe('Least number, or earliest time.'),
        to: z
          .union([z.string().max(60), z.number()])
          .optional()
          .describe('Greatest number, or latest time.'),
      }),
    )
    .max(8)
    .optional()
    .describe('Only rows that match all of these.'),
  aggregate: z
    .enum(AGGREGATES)
    .optional()
    .describe('Puts the rows of one time or category together. Over time, count is per stretch of time.'),
  top: z
    .number()
    .int()
    .min(1)
    .max(MAX_CATEGORIES)
    .optional()
    .describe('Only this many series or categories, those with the greatest values.'),
  log: z.boolean().optional().describe('A logarithmic scale for the numbers; not for bars and areas.'),
};

const chartRequest = z.strictObject(chartRequestFields);

export type ChartRequest = z.output<typeof chartRequest>;
export type Mark = (typeof MARKS)[number];
export type Aggregate = (typeof AGGREGATES)[number];

/** The request cannot be met; `message` tells the model what can. */
export class ChartError extends Error {
  override name = 'ChartError';
}
