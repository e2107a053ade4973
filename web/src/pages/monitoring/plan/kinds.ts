/** The kinds of checks and their fields. */
import type { Field, ValueField, Variant } from './field-types.ts';
import { comparison, conditions, deviations, history, service, source, windowed } from './kind-fields.ts';
import { METRIC } from './kind-metric.ts';

const DAY = 86_400;

const atLeast = (standard: number): ValueField => ({
  kind: 'number',
  path: 'check.condition.at_least',
  label: 'Minimum lines',
  standard,
  least: 1,
  most: 1_000_000,
  whole: true,
});

const LOG_PATTERN: readonly Field[] = [
  source,
  service('check.service', 'Service', 'Leave empty for every service.'),
  {
    kind: 'text',
    path: 'check.pattern',
    label: 'Text',
    hint: 'Case-insensitive; * matches anything. Leave empty for every line.',
  },
  {
    kind: 'select',
    path: 'check.level',
    label: 'Level',
    options: ['error', 'warn', 'info', 'debug'].map((value) => ({ value, title: value })),
  },
  windowed(),
  conditions([
    { value: 'count', title: 'Many lines match', fields: [atLeast(1)] },
    {
      value: 'new_pattern',
      title: 'New kinds of lines',
      hint: 'Patterns that did not occur before the window.',
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
    hint: 'One per line. Leave empty for every service of the source.',
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
          hint: 'As a fraction of all calls, 0 to 1.',
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
    { value: 'missing', title: 'The call has disappeared', fields: [] },
  ]),
];

const matched: ValueField = { kind: 'text', path: 'check.condition.text', label: 'Text', standard: '' };

const MCP_TOOL: readonly Field[] = [
  {
    kind: 'text',
    path: 'check.tool',
    label: 'Tool',
    hint: 'A read-only tool of the team, as available to investigations.',
    suggest: 'tool',
    standard: '',
  },
  { kind: 'json', path: 'check.arguments', label: 'Arguments', hint: 'As JSON.', standard: {}, wide: true },
  conditions([
    { value: 'contains', title: 'The answer contains a text', fields: [matched] },
    { value: 'lacks', title: 'The answer lacks a text', fields: [matched] },
    {
      value: 'value',
      title: 'A value in a JSON answer',
      fields: [
        {
          kind: 'text',
          path: 'check.condition.pointer',
          label: 'JSON pointer',
          hint: 'For example /queues/0/length; leave empty for the whole answer.',
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
    hint: 'What the agent should do with its tools, and what counts as a finding. A model carries it out, at most once a minute.',
    standard: '',
    wide: true,
  },
  {
    kind: 'number',
    path: 'check.max_steps',
    label: 'Maximum steps',
    standard: 12,
    least: 2,
    most: 40,
    whole: true,
  },
  { kind: 'number', path: 'check.max_minutes', label: 'Maximum minutes', standard: 5, least: 0.5, most: 30 },
];

export const CHECK_KINDS: readonly Variant[] = [
  { value: 'metric', title: 'Metric', hint: 'A metric against a threshold or its normal range.', fields: METRIC },
  { value: 'log_pattern', title: 'Log lines', hint: 'Lines that match, or new kinds of lines.', fields: LOG_PATTERN },
  {
    value: 'service_health',
    title: 'Health of services',
    hint: 'Errors, latency, saturation and traffic against their normal range.',
    fields: SERVICE_HEALTH,
  },
  { value: 'dependency', title: 'Calls between services', hint: 'Failing, slow or missing.', fields: DEPENDENCY },
  { value: 'mcp_tool', title: 'Answer of a tool', hint: 'A text or a value in it.', fields: MCP_TOOL },
  { value: 'instruction', title: 'Instruction', hint: 'In plain words; a model carries it out.', fields: INSTRUCTION },
];

/** The label of a kind; an unknown one labels itself. */
export const kindTitle = (type: unknown): string =>
  CHECK_KINDS.find(({ value }) => value === type)?.title ?? (typeof type === 'string' ? type : 'Check');
