/** Changes, as the Admin Activity audit log has them: who called which method of which API on what. */
import { z } from 'zod';
import { defineOperation, type ConnectorOperation, type OperationContext } from '../connector.ts';
import { unixSeconds } from '../shared/http-api/parameters.ts';
import type { GoogleCloud } from './cloud.ts';
import { listEntries, type LogEntry } from './entries.ts';
import { all, quote, timeRange } from './filter.ts';
import { timeOf } from './logs.ts';

const MAX_CHANGES = 500;

/** The members of `google.cloud.audit.AuditLog` that are read. */
const auditLog = z.object({
  serviceName: z.string().default(''),
  methodName: z.string().default(''),
  resourceName: z.string().default(''),
  authenticationInfo: z.object({ principalEmail: z.string().optional() }).optional(),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).optional(),
});
type AuditLog = z.output<typeof auditLog>;

const text = z.string().min(1).max(500);

interface ChangeQuery {
  from: number;
  to: number;
  limit: number;
  service?: string;
  api?: string;
  method?: string;
  author?: string;
  failed?: boolean;
}

export function changeOperations(cloud: GoogleCloud): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'audit_changes',
      description:
        'Changes to the project in a half-open time range, the newest first, from the Admin Activity audit log: time ' +
        '(unix seconds), the resource (service), kind, method, author, and the address of the entry in the console. ' +
        "Kubernetes' own controllers are left out.",
      tool: true,
      parameters: z.strictObject({
        start: unixSeconds,
        end: unixSeconds,
        resource: text.optional().describe('name of a resource, such as a Cloud Run service or a deployment'),
        api: text.optional().describe('such as run.googleapis.com or k8s.io'),
        method: text.optional().describe('contained in the name of the method, such as UpdateService'),
        author: text.optional().describe('e-mail address of who made it'),
        include_failed: z.boolean().default(false).describe('also attempts that were refused or failed'),
        limit: z.number().int().min(1).max(MAX_CHANGES).default(100),
      }),
      async run({ start, end, resource, include_failed: failed, ...rest }, context) {
        const query = { ...rest, from: start, to: end, service: resource, failed };
        const { found, truncated } = await readChanges(cloud, query, context);
        return { changes: found.map((each) => ({ ...each.change, ...each.details })), truncated };
      },
    }),
    defineOperation({
      name: 'changes',
      description: 'Changes that succeeded, in order of time, the newest if there are too many.',
      tool: false,
      parameters: z.strictObject({
        from: unixSeconds,
        to: unixSeconds,
        service: text.optional(),
        limit: z.number().int().min(1).max(MAX_CHANGES).default(200),
      }),
      async run(query, context) {
        const { found, truncated } = await readChanges(cloud, query, context);
        return { changes: found.map(({ change }) => change).toReversed(), truncated };
      },
    }),
  ];
}

async function readChanges(cloud: GoogleCloud, query: ChangeQuery, context: OperationContext) {
  const { from, to, limit, service, api, method, author, failed = false } = query;
  const conditions = [
    ...timeRange(from, to),
    'log_id("cloudaudit.googleapis.com/activity")',
    // What Kubernetes does to itself all the time.
    'NOT protoPayload.authenticationInfo.principalEmail =~ "^system:"',
    service && `protoPayload.resourceName : ${quote(service)}`,
    api && `protoPayload.serviceName = ${quote(api)}`,
    method && `protoPayload.methodName : ${quote(method)}`,
    author && `protoPayload.authenticationInfo.principalEmail = ${quote(author)}`,
  ].filter((condition) => condition !== undefined);
  const counts = (entry: LogEntry): boolean => {
    const log = auditLogOf(entry);
    if (service !== undefined && resourceOf(entry, log) !== service) return false;
    // A long operation is logged when it starts and when it ends: its start is the change.
    const isEnd = entry.operation !== undefined && entry.operation.first !== true;
    return (failed || !hasFailed(log)) && !isEnd;
  };
  const { entries, nextPageToken } = await listEntries(
    cloud,
    { filter: all(conditions), order: 'timestamp desc', limit, counts },
    context,
  );
  return { found: entries.map((entry) => toChange(entry, cloud.project)), truncated: nextPageToken !== undefined };
}

function toChange(entry: LogEntry, project: string) {
  const log = auditLogOf(entry);
  const service = resourceOf(entry, log);
  const author = log.authenticationInfo?.principalEmail;
  const at = timeOf(entry);
  const failure = hasFailed(log) ? ` (failed: ${log.status?.message ?? `code ${log.status?.code}`})` : '';
  return {
    change: {
      id: `${entry.insertId ?? ''}@${entry.timestamp ?? ''}`,
      at,
      ...(service !== undefined && { service }),
      kind: kindOf(log),
      summary: `${log.methodName} on ${log.resourceName || 'the project'}${failure}`,
      ...(author !== undefined && { author }),
      url: consoleUrl(project, entry),
    },
    details: { api: log.serviceName, method: log.methodName, resource: log.resourceName },
  };
}

function auditLogOf(entry: LogEntry): AuditLog {
  return auditLog.safeParse(entry.protoPayload ?? {}).data ?? auditLog.parse({});
}

function hasFailed({ status }: AuditLog): boolean {
  return (status?.code ?? 0) !== 0;
}

/** The name of what was changed; undefined for the project as a whole. */
function resourceOf({ resource }: LogEntry, { resourceName, serviceName }: AuditLog): string | undefined {
  if (serviceName === 'k8s.io') {
    // api/version/namespaces/NAMESPACE/KIND/NAME, and sometimes a part of it, such as /scale.
    const [, name] = /(?:^|\/)namespaces\/[^/]+\/[^/]+\/([^/]+)/u.exec(resourceName) ?? [];
    if (name !== undefined) return name;
  }
  const named = resource?.labels?.['service_name'] ?? resource?.labels?.['function_name'];
  if (named !== undefined && named !== '') return named;
  const segments = resourceName.split('/').filter(Boolean);
  return segments.length > 2 ? segments.at(-1) : undefined;
}

const DEPLOYING = /^(?:run|cloudfunctions|appengine|clouddeploy)\.googleapis\.com$/u;
const WORKLOADS = /\.(?:deployments|statefulsets|daemonsets|jobs|cronjobs)\./u;

/** The common words of kinds of changes: deploy, scale, config, permission, create, delete. */
function kindOf({ serviceName, methodName }: AuditLog): string {
  const verb = methodName.split('.').at(-1)!.toLowerCase();
  if (/iampolicy|serviceaccountkey/u.test(verb)) return 'permission';
  if (methodName.includes('.scale.') || /resize|scale/u.test(verb)) return 'scale';
  if (/^delete|^destroy/u.test(verb)) return 'delete';
  if (DEPLOYING.test(serviceName) || (serviceName === 'k8s.io' && WORKLOADS.test(methodName))) return 'deploy';
  return /^(?:create|insert)/u.test(verb) ? 'create' : 'config';
}

/** The entry in the console's log explorer. */
function consoleUrl(project: string, { insertId = '', timestamp = '' }: LogEntry): string {
  const query = encodeURIComponent(`insertId=${quote(insertId)}`);
  const url = new URL('https://console.cloud.google.com/');
  url.pathname = `/logs/query;query=${query};cursorTimestamp=${encodeURIComponent(timestamp)}`;
  url.searchParams.set('project', project);
  return url.href;
}
