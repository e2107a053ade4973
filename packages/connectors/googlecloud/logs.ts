/** Cloud Logging: entries as they are, and as lines of a telemetry source. */
import { z } from 'zod';
import { defineOperation, type ConnectorOperation } from '../connector.ts';
import { inferLevel, type LogLevel } from '../log-level.ts';
import { unixSeconds } from '../shared/http-api/parameters.ts';
import type { GoogleCloud } from './cloud.ts';
import { listEntries, MAX_ENTRIES, type LogEntry } from './entries.ts';
import { all, any, asCondition, field, labelsEqual, quote, timeRange } from './filter.ts';

const SEVERITIES = [
  'DEFAULT',
  'DEBUG',
  'INFO',
  'NOTICE',
  'WARNING',
  'ERROR',
  'CRITICAL',
  'ALERT',
  'EMERGENCY',
] as const;

const text = z.string().min(1).max(2_000);
const labels = z
  .record(z.string().min(1).max(200), z.string().max(2_000))
  .refine((all) => Object.keys(all).length <= 20, 'has more than 20 members')
  .optional();

/** Where runtimes of Google say which service wrote an entry; the first that an entry has is its service. */
const SERVICE_FIELDS: readonly (readonly [string, ...string[]])[] = [
  ['labels', 'k8s-pod/app_kubernetes_io/name'],
  ['labels', 'k8s-pod/app'],
  ['labels', 'service.name'],
  ['jsonPayload', 'serviceContext', 'service'],
  ['resource', 'labels', 'service_name'],
  ['resource', 'labels', 'job_name'],
  ['resource', 'labels', 'function_name'],
  ['resource', 'labels', 'module_id'],
  ['resource', 'labels', 'container_name'],
];

/** Logging's levels that each level stands for. */
const LEVELS: Record<LogLevel, string> = {
  error: 'severity >= ERROR',
  warn: 'severity = WARNING',
  info: '(severity = INFO OR severity = NOTICE)',
  debug: 'severity = DEBUG',
};

export function logOperations(cloud: GoogleCloud): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'log_entries',
      description:
        'Entries of Cloud Logging in a half-open time range, the newest first unless order says otherwise: timestamp, ' +
        'severity, resource, labels, and textPayload, jsonPayload or protoPayload. All conditions must hold. A next ' +
        'page is there if the answer has nextPageToken, even if it has no entries: repeat the call with it.',
      tool: true,
      parameters: z.strictObject({
        start: unixSeconds,
        end: unixSeconds,
        severity: z.enum(SEVERITIES).optional().describe('this one and more severe ones'),
        log_id: text.optional().describe('name of the log within the project, such as run.googleapis.com/stderr'),
        resource_type: text.optional().describe('such as k8s_container or cloud_run_revision'),
        resource_labels: labels.describe('exact values, such as {"namespace_name": "shop"}'),
        labels: labels.describe('exact values, such as {"k8s-pod/app": "cart"}'),
        text: text.optional().describe('some field contains this text, in any case'),
        trace_id: z
          .string()
          .regex(/^[0-9a-f]{32}$/u, 'must be 32 hexadecimal digits')
          .optional(),
        filter: z
          .string()
          .trim()
          .min(1)
          .max(15_000)
          .optional()
          .describe('a further condition in the Logging query language, such as jsonPayload.status >= 500'),
        order: z.enum(['newest', 'oldest']).default('newest'),
        limit: z.number().int().min(1).max(MAX_ENTRIES).default(100),
        page_token: z.string().min(1).max(10_000).optional(),
      }),
      run(query, context) {
        const conditions = [
          ...timeRange(query.start, query.end),
          query.severity && `severity >= ${query.severity}`,
          query.log_id && `log_id(${quote(query.log_id)})`,
          query.resource_type && `resource.type = ${quote(query.resource_type)}`,
          ...labelsEqual(['resource', 'labels'], query.resource_labels),
          ...labelsEqual(['labels'], query.labels),
          query.trace_id && `trace = ${quote(`projects/${cloud.project}/traces/${query.trace_id}`)}`,
          query.text && quote(query.text),
          query.filter && asCondition(query.filter),
        ].filter((condition) => condition !== undefined);
        const order = query.order === 'newest' ? 'timestamp desc' : 'timestamp asc';
        return listEntries(
          cloud,
          { filter: all(conditions), order, limit: query.limit, pageToken: query.page_token },
          context,
        );
      },
    }),
    defineOperation({
      name: 'search_logs',
      description: 'Lines of logs in order of time, the newest if there are too many, with the service of each.',
      tool: false,
      parameters: z.strictObject({
        from: unixSeconds,
        to: unixSeconds,
        service: text.optional(),
        text: text.optional().describe('contained in some field, in any case'),
        level: z.enum(['error', 'warn', 'info', 'debug']).optional(),
        limit: z.number().int().min(1).max(5_000).default(1_000),
      }),
      async run({ from, to, service, text: words, level, limit }, context) {
        const conditions = [
          ...timeRange(from, to),
          // Audit logs are read as changes.
          `NOT logName : "cloudaudit.googleapis.com"`,
          level && LEVELS[level],
          service && any(SERVICE_FIELDS.map((path) => `${field(...path)} = ${quote(service)}`)),
          words && quote(words),
        ].filter((condition) => condition !== undefined);
        const { entries, nextPageToken } = await listEntries(
          cloud,
          {
            filter: all(conditions),
            order: 'timestamp desc',
            limit,
            ...(service !== undefined && { counts: (entry: LogEntry) => serviceOf(entry) === service }),
          },
          context,
        );
        return { lines: entries.map(toLine).toReversed(), truncated: nextPageToken !== undefined };
      },
    }),
  ];
}

interface LogLine {
  /** Unix seconds. */
  at: number;
  service: string;
  level?: LogLevel;
  message: string;
}

function toLine(entry: LogEntry): LogLine {
  const message = messageOf(entry);
  const level = levelOf(entry.severity) ?? inferLevel(message);
  return { at: timeOf(entry), service: serviceOf(entry), ...(level && { level }), message };
}

/** Unix seconds, to the millisecond. */
export function timeOf({ timestamp, receiveTimestamp }: LogEntry): number {
  return Date.parse(timestamp ?? receiveTimestamp ?? '') / 1000 || 0;
}

function serviceOf(entry: LogEntry): string {
  for (const path of SERVICE_FIELDS) {
    const value = path.reduce<unknown>((of, member) => (isRecord(of) ? of[member] : undefined), entry);
    if (typeof value === 'string' && value !== '') return value;
  }
  return entry.resource?.type ?? '';
}

function levelOf(severity: string | undefined): LogLevel | undefined {
  if (severity === undefined || severity === 'DEFAULT') return undefined;
  const rank = SEVERITIES.findIndex((name) => name === severity);
  if (rank < 0) return undefined;
  if (rank >= SEVERITIES.indexOf('ERROR')) return 'error';
  if (severity === 'WARNING') return 'warn';
  return severity === 'DEBUG' ? 'debug' : 'info';
}

/** What the entry says: its text, the message in its JSON, the request it is about, or all of its JSON. */
function messageOf({ textPayload, jsonPayload, protoPayload, httpRequest }: LogEntry): string {
  if (textPayload !== undefined) return textPayload;
  for (const name of ['message', 'msg', 'log', 'error']) {
    const said = jsonPayload?.[name];
    if (typeof said === 'string' && said !== '') return said;
  }
  const { requestMethod = '', requestUrl = '', status = '', latency = '' } = httpRequest ?? {};
  if (httpRequest && !jsonPayload) return `${requestMethod} ${requestUrl} ${status} ${latency}`.trim();
  return JSON.stringify(jsonPayload ?? protoPayload ?? {});
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
