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
    { value: 'count', title: 'Matching lines', fields: [atLeast(1)] },
    {
      value: 'new_pattern',
      title: 'New log patterns',
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
  service('check.caller', 'Caller', 'Leave empty for any.'),
  service('check.callee', 'Callee', 'Leave empty for any.'),
  windowed(),
  conditions([
    {
      value: 'error_ratio',
      title: 'Error ratio',
      fields: [
        {
          kind: 'number',
          path: 'check.condition.above',
          label: 'Alert when error ratio >',
          hint: 'Failed calls divided by all calls, 0 to 1.',
          standard: 0.05,
          least: 0,
          most: 1,
        },
      ],
    },
    {
      value: 'p95_seconds',
      title: 'Latency (p95)',
      fields: [
        {
          kind: 'number',
          path: 'check.condition.above',
          label: 'Alert when p95 > (seconds)',
          standard: 1,
          least: 0,
        },
      ],
    },
    { value: 'missing', title: 'Calls have stopped', fields: [] },
  ]),
];

const matched: ValueField = { kind: 'text', path: 'check.condition.text', label: 'Text', standard: '' };

const MCP_TOOL: readonly Field[] = [
  {
    kind: 'text',
    path: 'check.tool',
    label: 'Tool',
    hint: 'A read-only tool that investigations can use.',
    suggest: 'tool',
    standard: '',
  },
  { kind: 'json', path: 'check.arguments', label: 'Arguments', hint: 'As JSON.', standard: {}, wide: true },
  conditions([
    { value: 'contains', title: 'Result contains text', fields: [matched] },
    { value: 'lacks', title: 'Result lacks text', fields: [matched] },
    {
      value: 'value',
      title: 'Value in a JSON result',
      fields: [
        {
          kind: 'text',
          path: 'check.condition.pointer',
          label: 'JSON pointer',
          hint: 'For example /queues/0/length; leave empty for the whole result.',
          standard: '',
        },
        comparison,
        {
          kind: 'scalar',
          path: 'check.condition.value',
          label: 'Compare with',
          hint: 'A number, true, false, or text ("5" in quotes is text).',
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
    hint: 'What to check with the agent’s tools, and what counts as a finding. A model carries it out, at most once a minute.',
    standard: '',
    wide: true,
  },
  {
    kind: 'number',
    path: 'check.max_steps',
    label: 'Step limit',
    standard: 12,
    least: 2,
    most: 40,
    whole: true,
  },
  { kind: 'number', path: 'check.max_minutes', label: 'Time limit (minutes)', standard: 5, least: 0.5, most: 30 },
];

export const CHECK_KINDS: readonly Variant[] = [
  { value: 'metric', title: 'Metric', hint: 'A metric against a threshold or its normal range.', fields: METRIC },
  { value: 'log_pattern', title: 'Logs', hint: 'Matching lines, or new log patterns.', fields: LOG_PATTERN },
  {
    value: 'service_health',
    title: 'Service health',
    hint: 'Errors, latency, saturation and traffic against their normal range.',
    fields: SERVICE_HEALTH,
  },
  { value: 'dependency', title: 'Service calls', hint: 'Failing, slow or missing calls.', fields: DEPENDENCY },
  { value: 'mcp_tool', title: 'Tool result', hint: 'Text or a value in what a tool returns.', fields: MCP_TOOL },
  { value: 'instruction', title: 'Instruction', hint: 'In plain words, carried out by a model.', fields: INSTRUCTION },
];

/** The label of a kind; an unknown one labels itself. */
export const kindTitle = (type: unknown): string =>
  CHECK_KINDS.find(({ value }) => value === type)?.title ?? (typeof type === 'string' ? type : 'Check');
