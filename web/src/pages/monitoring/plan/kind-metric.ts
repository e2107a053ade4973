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
    label: 'What is measured',
    variants: [
      { value: 'check.metric', title: 'A metric by name', fields: metricByName },
      {
        value: 'check.promql',
        title: 'A PromQL expression',
        fields: [{ kind: 'code', path: 'check.promql', label: 'PromQL', standard: '', wide: true }],
      },
    ],
  },
  windowed(),
  {
    kind: 'select',
    path: 'check.aggregate',
    label: 'Of the window',
    hint: 'How its points are aggregated.',
    standard: 'mean',
    options: ['last', 'mean', 'median', 'max', 'min'].map((value) => ({ value, title: value })),
  },
  conditions([
    {
      value: 'threshold',
      title: 'A threshold',
      fields: [
        comparison,
        {
          kind: 'number',
          path: 'check.condition.value',
          label: 'Than',
          hint: "In the metric's own unit.",
          standard: 0,
        },
      ],
    },
    {
      value: 'baseline',
      title: 'Unusual',
      hint: 'Normal is learned from history: median and median absolute deviation.',
      fields: [
        {
          kind: 'select',
          path: 'check.condition.direction',
          label: 'Direction',
          standard: 'above',
          options: [
            { value: 'above', title: 'above' },
            { value: 'below', title: 'below' },
            { value: 'both', title: 'above or below' },
          ],
        },
        deviations('check.condition.deviations', 4),
        history('check.condition.history_seconds', 30, 14 * DAY),
        {
          kind: 'number',
          path: 'check.condition.least_change',
          label: 'Minimum change',
          hint: "A smaller deviation, in the metric's own unit, is never a finding.",
          standard: 0,
          least: 0,
        },
      ],
    },
  ]),
  {
    kind: 'select',
    path: 'check.no_data',
    label: 'No data means',
    standard: 'fails',
    options: [
      { value: 'fails', title: 'The check could not run' },
      { value: 'ok', title: 'All is well' },
      { value: 'finding', title: 'A finding' },
    ],
  },
];
