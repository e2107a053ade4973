/**
 * The plan of a monitoring agent: what is checked, when, and what happens on a finding. People, models and the API
 * write it in this form; it is validated here, versioned in PostgreSQL, and carried by the agent's workflow.
 */
import { z } from 'zod';

/** Maximum checks per plan. */
export const MAX_CHECKS = 50;
/** Maximum size of a whole plan, in bytes of UTF-8 JSON: it travels in one signal. */
export const MAX_PLAN_BYTES = 48_000;
/** The shortest and the longest interval, seconds. */
const SHORTEST_INTERVAL_SECONDS = 5;
const LONGEST_INTERVAL_SECONDS = 7 * 86_400;

const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'Value must be text without NUL');

/** Any JSON value. */
export const JsonValue = z.json();
z.globalRegistry.add(JsonValue, { id: 'JsonValue', description: 'Any JSON value.' });

/** A check's name within its plan: stays the same when the check is changed. */
export const checkId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
    'Value should have only a-z, 0-9, "-" and "_", and begin with a letter or digit',
  );

const timeZone = text(64).refine(isTimeZone, 'Value should be the name of a time zone, for example Europe/Berlin');
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Value should be a time of day from 00:00 to 23:59');

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** A period of the day in which a check does not run. If `to` is not after `from`, it ends on the next day. */
export const QuietHours = z
  .strictObject({
    days: z.array(z.enum(WEEKDAYS)).min(1).optional().describe('The days on which it begins; by default every day.'),
    from: timeOfDay,
    to: timeOfDay,
  })
  .meta({ id: 'QuietHours' });
export type QuietHours = z.infer<typeof QuietHours>;

/** When a check runs: at a fixed interval, or by a cron expression (five fields); never in quiet hours. */
export const Schedule = z
  .strictObject({
    every_seconds: z
      .number()
      .int()
      .min(SHORTEST_INTERVAL_SECONDS)
      .max(LONGEST_INTERVAL_SECONDS)
      .optional()
      .describe('Either this or cron.'),
    cron: text(100).optional().describe('Five fields: minute, hour, day of month, month, weekday.'),
    time_zone: timeZone.default('UTC').describe('The time zone of the cron expression and of quiet hours.'),
    quiet_hours: z.array(QuietHours).max(10).default([]).describe('When it does not run.'),
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof Schedule>;

const service = text(200);
const source = text(200).describe(
  'Id of a telemetry source, as list_sources returns it to agents, for example prometheus.',
);
const windowSeconds = z.number().int().min(10).max(86_400).describe('Length of the window that ends now.');

const comparison = z.enum(['>', '>=', '<', '<=', '==', '!=']);

/** A comparison with a fixed number. */
const Threshold = z.strictObject({ type: z.literal('threshold'), operator: comparison, value: z.number() });
/** A comparison with what was usual before (median and median absolute deviation). */
const LearnedBaseline = z.strictObject({
  type: z.literal('baseline'),
  direction: z.enum(['above', 'below', 'both']).default('above'),
  deviations: z
    .number()
    .min(1)
    .max(100)
    .default(4)
    .describe('The deviation from the median that is unusual, in robust standard deviations.'),
  history_seconds: z
    .number()
    .int()
    .min(30)
    .max(14 * 86_400)
    .default(3_600)
    .describe('Length of the history before the window that defines what is usual where earlier days have no data.'),
  least_change: z
    .number()
    .min(0)
    .default(0)
    .describe("A change smaller than this, in the metric's own unit, is never a finding."),
});

const MetricCheck = z.strictObject({
  type: z.literal('metric'),
  source,
  metric: text(300).optional().describe('Either a metric by name, or a PromQL expression if the source supports it.'),
  promql: text(5_000).optional(),
  service: service.optional(),
  statistic: text(50).optional(),
  labels: z.record(text(200), z.string().max(500)).optional(),
  window_seconds: windowSeconds.default(300),
  aggregate: z
    .enum(['last', 'mean', 'median', 'max', 'min'])
    .default('mean')
    .describe("What is made of the window's points."),
  condition: z.discriminatedUnion('type', [Threshold, LearnedBaseline]),
  no_data: z
    .enum(['fails', 'ok', 'finding'])
    .default('fails')
    .describe('What missing data means: a failed check, an all-clear, or a finding.'),
});

const LogPatternCheck = z.strictObject({
  type: z.literal('log_pattern'),
  source,
  service: service.optional(),
  pattern: text(500)
    .optional()
    .describe('Text that a line must contain, in any case; `*` stands for anything. Absent: every line.'),
  level: z.enum(['error', 'warn', 'info', 'debug']).optional(),
  window_seconds: windowSeconds.default(300),
  condition: z.discriminatedUnion('type', [
    /** At least this many lines match. */
    z.strictObject({ type: z.literal('count'), at_least: z.number().int().min(1).max(1_000_000).default(1) }),
    /** Lines of a kind that does not occur in the history before the window. */
    z.strictObject({
      type: z.literal('new_pattern'),
      history_seconds: z.number().int().min(60).max(86_400).default(3_600),
      at_least: z.number().int().min(1).max(1_000_000).default(3),
    }),
  ]),
});

const ServiceHealthCheck = z.strictObject({
  type: z.literal('service_health'),
  source,
  services: z.array(service).min(1).max(100).optional().describe('By default every service of the source.'),
  window_seconds: windowSeconds.default(300),
  history_seconds: z
    .number()
    .int()
    .min(30)
    .max(86_400)
    .default(3_600)
    .describe('Length of the history before the window that defines what is usual where earlier days have no data.'),
  deviations: z.number().min(1).max(100).default(6),
});

const DependencyCheck = z.strictObject({
  type: z.literal('dependency'),
  source,
  caller: service.optional(),
  callee: service.optional(),
  window_seconds: windowSeconds.default(300),
  condition: z.discriminatedUnion('type', [
    /** The share of failed calls exceeds this, 0 to 1. */
    z.strictObject({ type: z.literal('error_ratio'), above: z.number().min(0).max(1) }),
    z.strictObject({ type: z.literal('p95_seconds'), above: z.number().min(0) }),
    /** The call is no longer seen. */
    z.strictObject({ type: z.literal('missing') }),
  ]),
});

const McpToolCheck = z.strictObject({
  type: z.literal('mcp_tool'),
  tool: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/)
    .describe("The name of one of the team's read-only tools, as investigations see it."),
  arguments: z.record(z.string().max(200), JsonValue).default({}),
  condition: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('contains'), text: text(500) }),
    z.strictObject({ type: z.literal('lacks'), text: text(500) }),
    /** A value in a JSON answer, found by a JSON pointer (RFC 6901). */
    z.strictObject({
      type: z.literal('value'),
      pointer: z
        .string()
        .max(500)
        .regex(/^(\/.*)?$/),
      operator: comparison,
      value: z.union([z.number(), z.string().max(500), z.boolean()]),
    }),
  ]),
});

const InstructionCheck = z.strictObject({
  type: z.literal('instruction'),
  instruction: text(5_000).describe('What the agent should do with its tools, and what counts as a finding.'),
  max_steps: z.number().int().min(2).max(40).default(12),
  max_minutes: z.number().min(0.5).max(30).default(5),
});

/** What a check examines. */
export const CheckSubject = z
  .discriminatedUnion('type', [
    MetricCheck,
    LogPatternCheck,
    ServiceHealthCheck,
    DependencyCheck,
    McpToolCheck,
    InstructionCheck,
  ])
  .meta({ id: 'CheckSubject' });
export type CheckSubject = z.infer<typeof CheckSubject>;
export type CheckType = CheckSubject['type'];
export const CHECK_TYPES = CheckSubject.options.map(({ shape }) => shape.type.value);
/** The subject of checks of one type. */
export type SubjectOf<T extends CheckType> = Extract<CheckSubject, { type: T }>;

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];
export const ACTIONS = ['notify', 'investigate'] as const;
export type FindingAction = (typeof ACTIONS)[number];

/** One check of a plan. */
export const Check = z
  .strictObject({
    id: checkId,
    title: text(200),
    enabled: z.boolean().default(true).describe('false: it does not run.'),
    check: CheckSubject,
    schedule: Schedule,
    severity: z.enum(SEVERITIES).default('warning'),
    dedup_key: text(200)
      .default('{check}/{subject}')
      .describe('Findings with an equal key are one; `{check}` and `{subject}` are filled in.'),
    on_finding: z
      .array(z.enum(ACTIONS))
      .min(1)
      .default([...ACTIONS])
      .describe('What happens on a finding.'),
    judge: z.boolean().default(false).describe('Whether a model judges a finding before anybody is notified.'),
    confirmations: z
      .number()
      .int()
      .min(1)
      .max(20)
      .default(1)
      .describe('How many consecutive runs must find something before it is a finding.'),
    recoveries: z
      .number()
      .int()
      .min(1)
      .max(20)
      .default(2)
      .describe('How many consecutive runs must find nothing before it is resolved.'),
    cool_down_seconds: z
      .number()
      .int()
      .min(0)
      .max(7 * 86_400)
      .default(900)
      .describe('If it comes back within this time after it was resolved, it is the same finding.'),
  })
  .meta({ id: 'MonitoringCheck' });
export type Check = z.infer<typeof Check>;

/** The whole plan. */
export const Plan = z
  .strictObject({
    summary: z.string().trim().max(2_000).default('').describe('What the agent watches, in a sentence or two.'),
    checks: z.array(Check).max(MAX_CHECKS).default([]),
  })
  .meta({ id: 'MonitoringPlan' });
export type Plan = z.infer<typeof Plan>;

/** A plan as written, before defaults are filled in. */
export type PlanInput = z.input<typeof Plan>;

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
