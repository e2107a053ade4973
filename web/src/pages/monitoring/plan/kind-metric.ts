/** The fields of a metric check. */
import type { Field } from './field-types.ts';
import { comparison, conditions, deviations, history, service, source, windowed } from './kind-fields.ts';

const DAY = 86_400;

const metricByName: readonly Field[] = [
  { kind: 'text', path: 'check.metric', label: 'Metric', suggest: 'metric', standard: '' },
  service('check.service', 'Service', 'Leave empty for all services combined.'),
  { kind: 'text', path: 'check.statistic', label: 'Statistic', hint: 'For example p95 or rate, if the source has it.' },
  { kind: 'labels', path: 'check.labels', label: 'Labels', hint: 'One per line: name=value.', wide: true },
];

export const METRIC: readonly Field[] = [
  source,
  {
    kind: 'choice',
    label: 'Measurement',
    variants: [
      { value: 'check.metric', title: 'Metric name', fields: metricByName },
      {
        value: 'check.promql',
        title: 'PromQL expression',
        fields: [{ kind: 'code', path: 'check.promql', label: 'PromQL', standard: '', wide: true }],
      },
    ],
  },
  windowed(),
  {
    kind: 'select',
    path: 'check.aggregate',
    label: 'Aggregation',
    hint: 'How the points of the window become one value.',
    standard: 'mean',
    options: [
      { value: 'last', title: 'Last' },
      { value: 'mean', title: 'Mean' },
      { value: 'median', title: 'Median' },
      { value: 'max', title: 'Maximum' },
      { value: 'min', title: 'Minimum' },
    ],
  },
  conditions([
    {
      value: 'threshold',
      title: 'Threshold',
      fields: [
        comparison,
        {
          kind: 'number',
          path: 'check.condition.value',
          label: 'Threshold',
          hint: "In the metric's own unit.",
          standard: 0,
        },
      ],
    },
    {
      value: 'baseline',
      title: 'Deviates from normal',
      hint: 'Normal is learned from history: median and median absolute deviation.',
      fields: [
        {
          kind: 'select',
          path: 'check.condition.direction',
          label: 'Direction',
          standard: 'above',
          options: [
            { value: 'above', title: 'Above' },
            { value: 'below', title: 'Below' },
            { value: 'both', title: 'Above or below' },
          ],
        },
        deviations('check.condition.deviations', 4),
        history('check.condition.history_seconds', 30, 14 * DAY),
        {
          kind: 'number',
          path: 'check.condition.least_change',
          label: 'Minimum change',
          hint: "Smaller deviations never alert. In the metric's own unit.",
          standard: 0,
          least: 0,
        },
      ],
    },
  ]),
  {
    kind: 'select',
    path: 'check.no_data',
    label: 'Without data',
    standard: 'fails',
    options: [
      { value: 'fails', title: 'Check can’t run' },
      { value: 'ok', title: 'OK' },
      { value: 'finding', title: 'Finding' },
    ],
  },
];
