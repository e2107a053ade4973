/** The fields of a metric check. */
import type { Field } from './field-types.ts';
import { comparison, conditions, deviations, history, service, source, windowed } from './kind-fields.ts';

const DAY = 86_400;

const metricByName: readonly Field[] = [
  { kind: 'text', path: 'check.metric', label: 'Metric', suggest: 'metric', standard: '' },
  service('check.service', 'Service', 'Left out: all of them together.'),
  { kind: 'text', path: 'check.statistic', label: 'Statistic', hint: 'Such as p95 or rate, where the source has it.' },
  { kind: 'labels', path: 'check.labels', label: 'Labels', hint: 'One a line: name=value.', wide: true },
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
    hint: 'What is made of its points.',
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
      title: 'Unlike what is usual',
      hint: 'The usual is learned from the history: median and median absolute deviation.',
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
          label: 'Least change',
          hint: "A smaller one, in the metric's own unit, is never a finding.",
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
      { value: 'fails', title: 'The check could not be carried out' },
      { value: 'ok', title: 'All is well' },
      { value: 'finding', title: 'A finding' },
    ],
  },
];
