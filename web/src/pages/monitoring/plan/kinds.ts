/** The kinds of checks and the fields of each. */
import type { Choice, Field, ValueField, Variant } from './field-types.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const COMPARISONS = ['>', '>=', '<', '<=', '==', '!='].map((value) => ({ value, title: value }));

const source: ValueField = {
  kind: 'text',
  path: 'check.source',
  label: 'Source',
  hint: 'Where the telemetry is read, such as prometheus.',
  suggest: 'source',
  standard: '',
};

const service = (path: string, label: string, hint?: string): ValueField => ({
  kind: 'text',
  path,
  label,
  suggest: 'service',
  ...(hint !== undefined && { hint }),
});

const windowed = (path = 'check.window_seconds'): ValueField => ({
  kind: 'duration',
  path,
  label: 'Window',
  hint: 'How much time up to now is looked at.',
  standard: 5 * MINUTE,
  least: 10,
  most: DAY,
});

const history = (path: string, least: number, most: number): ValueField => ({
  kind: 'duration',
  path,
  label: 'History',
  hint: 'How much time before the window shows what is usual.',
  standard: HOUR,
  least,
  most,
});

const atLeast = (standard: number): ValueField => ({
  kind: 'number',
  path: 'check.condition.at_least',
  label: 'Lines at least',
  standard,
  least: 1,
  most: 1_000_000,
  whole: true,
});

const comparison: ValueField = {
  kind: 'select',
  path: 'check.condition.operator',
  label: 'Is a finding when it is',
  options: COMPARISONS,
  standard: '>',
};

const conditions = (variants: readonly Variant[]): Choice => ({
  kind: 'choice',
  path: 'check.condition.type',
  label: 'Condition',
  variants,
});

const metricByName: readonly Field[] = [
  { kind: 'text', path: 'check.metric', label: 'Metric', suggest: 'metric', standard: '' },
  service('check.service', 'Service', 'Left out: all of them together.'),
  { kind: 'text', path: 'check.statistic', label: 'Statistic', hint: 'Such as p95 or rate, where the source has it.' },
  { kind: 'labels', path: 'check.labels', label: 'Labels', hint: 'One a line: name=value.', wide: true },
];

const METRIC: readonly Field[] = [
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

function deviations(path: string, standard: number): ValueField {
  return {
    kind: 'number',
    path,
    label: 'Deviations',
    hint: 'How far from the median is unusual, in robust standard deviations.',
    standard,
    least: 1,
    most: 100,
  };
}

const LOG_PATTERN: readonly Field[] = [
  source,
  service('check.service', 'Service', 'Left out: every service.'),
  {
    kind: 'text',
    path: 'check.pattern',
    label: 'Text',
    hint: 'In any case; * stands for anything. Left out: every line.',
  },
  {
    kind: 'select',
    path: 'check.level',
    label: 'Level',
    options: ['error', 'warn', 'info', 'debug'].map((value) => ({ value, title: value })),
  },
  windowed(),
  conditions([
    { value: 'count', title: 'So many lines match', fields: [atLeast(1)] },
    {
      value: 'new_pattern',
      title: 'Lines of a new kind',
      hint: 'Such as the history before the window does not have.',
      fields: [history('check.condition.history_seconds', 60, DAY), atLeast(3)],
    },
  ]),
];

const SERVICE_HEALTH: readonly Field[] = [
  source,
  {
    kind: 'lines',
    path: 'check.services',
    label: 'Services',
    hint: 'One a line. Left out: every service of the source.',
    suggest: 'service',
    wide: true,
  },
  windowed(),
  history('check.history_seconds', 30, DAY),
  deviations('check.deviations', 6),
];

const DEPENDENCY: readonly Field[] = [
  source,
  service('check.caller', 'Caller', 'Left out: any.'),
  service('check.callee', 'Called service', 'Left out: any.'),
  windowed(),
  conditions([
    {
      value: 'error_ratio',
      title: 'Too many calls fail',
      fields: [
        {
          kind: 'number',
          path: 'check.condition.above',
          label: 'Failed calls above',
          hint: 'As a part of all calls, 0 to 1.',
          standard: 0.05,
          least: 0,
          most: 1,
        },
      ],
    },
    {
      value: 'p95_seconds',
      title: 'Calls are slow',
      fields: [
        {
          kind: 'number',
          path: 'check.condition.above',
          label: 'p95 above, in seconds',
          standard: 1,
          least: 0,
        },
      ],
    },
    { value: 'missing', title: 'The call is not seen any more', fields: [] },
  ]),
];

const matched: ValueField = { kind: 'text', path: 'check.condition.text', label: 'Text', standard: '' };

const MCP_TOOL: readonly Field[] = [
  {
    kind: 'text',
    path: 'check.tool',
    label: 'Tool',
    hint: 'A reading tool of the team, as an investigation has it.',
    suggest: 'tool',
    standard: '',
  },
  { kind: 'json', path: 'check.arguments', label: 'Arguments', hint: 'As JSON.', standard: {}, wide: true },
  conditions([
    { value: 'contains', title: 'The answer has a text', fields: [matched] },
    { value: 'lacks', title: 'The answer lacks a text', fields: [matched] },
    {
      value: 'value',
      title: 'A value in a JSON answer',
      fields: [
        {
          kind: 'text',
          path: 'check.condition.pointer',
          label: 'JSON pointer',
          hint: 'Such as /queues/0/length; empty: the whole answer.',
          standard: '',
        },
        comparison,
        {
          kind: 'scalar',
          path: 'check.condition.value',
          label: 'Than',
          hint: 'A number, true, false, or a text ("5" in quotes is a text).',
          standard: 0,
        },
      ],
    },
  ]),
];

const INSTRUCTION: readonly Field[] = [
  {
    kind: 'multiline',
    path: 'check.instruction',
    label: 'Instruction',
    hint: 'What the agent is to do with its tools, and what is a finding. A model carries it out, at most once a minute.',
    standard: '',
    wide: true,
  },
  {
    kind: 'number',
    path: 'check.max_steps',
    label: 'Steps at most',
    standard: 12,
    least: 2,
    most: 40,
    whole: true,
  },
  { kind: 'number', path: 'check.max_minutes', label: 'Minutes at most', standard: 5, least: 0.5, most: 30 },
];

export const CHECK_KINDS: readonly Variant[] = [
  { value: 'metric', title: 'Metric', hint: 'A metric against a threshold or what is usual.', fields: METRIC },
  { value: 'log_pattern', title: 'Log lines', hint: 'Lines that match, or lines of a new kind.', fields: LOG_PATTERN },
  {
    value: 'service_health',
    title: 'Health of services',
    hint: 'Errors, latency, saturation and traffic against what is usual.',
    fields: SERVICE_HEALTH,
  },
  { value: 'dependency', title: 'Calls between services', hint: 'Failing, slow or missing.', fields: DEPENDENCY },
  { value: 'mcp_tool', title: 'Answer of a tool', hint: 'A text or a value in it.', fields: MCP_TOOL },
  { value: 'instruction', title: 'Instruction', hint: 'In plain words; a model carries it out.', fields: INSTRUCTION },
];

/** How a kind of checks is called; one that is not known by its name. */
export const kindTitle = (type: unknown): string =>
  CHECK_KINDS.find(({ value }) => value === type)?.title ?? (typeof type === 'string' ? type : 'Check');
