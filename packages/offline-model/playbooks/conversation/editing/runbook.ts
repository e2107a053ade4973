/** Writes a runbook for a service from what telemetry says about it. */
import type { PlannedCall } from '../../../decide.ts';
import type { CaseFile } from '../../investigation/case-file.ts';
import { call } from '../../investigation/gather.ts';
import { parsePartialJson } from '../../investigation/partial-json.ts';
import { quote } from '../../investigation/statements.ts';
import { callsOf, isRecord, lastCall, wasMade } from '../calls.ts';
import { has, type Chat } from '../chat.ts';
import { lookupPlan } from '../lookups/index.ts';
import { targetOf, type Target } from '../lookups/target.ts';
import { changeName } from '../problem/facts.ts';
import type { Plan } from '../replay.ts';
import { bullets, cite, day, clock, failureOf, listed, name, paragraphs } from '../wording.ts';

type Can = (tool: string) => boolean;

const MOST_METRICS = 50;
const MOST_CHANGES = 10;
const CREATE = 'create_file';

/** Reads about the service, as far as there are tools for it, then writes the file. */
export function runbookPlan(chat: Chat, can: Can): Plan {
  const reading = lookupPlan(chat, [], can);
  return {
    ...reading,
    next(file) {
      if (!file.sources) return reading.next(file);
      const target = targetOf(chat, file);
      const source = target?.choice.services?.id;
      if (!file.services && source !== undefined && can('list_services')) {
        return { text: `I list the services of ${name(source)}.`, calls: [call('list_services', { source })] };
      }
      const service = target?.service;
      if (!target || service === undefined || !can(CREATE) || lastCall(file, CREATE)) return undefined;
      const reads = readings(target, service).filter(({ name: tool }) => can(tool));
      if (reads.some((read) => !wasMade(file, read)))
        return { text: `I read what is known about ${name(service)}.`, calls: reads };
      const input = { path: pathOf(service), content: content(file, target, service) };
      return { text: 'I write the runbook.', calls: [call(CREATE, input)] };
    },
  };
}

export function runbookAnswer(chat: Chat, file: CaseFile): string {
  if (!has(chat, CREATE)) {
    return `I cannot write files here: this chat is not offered the tool for it (${CREATE}). Changing files takes a turn of the editor, or a key and a chat that allow side effects.`;
  }
  const written = lastCall(file, CREATE);
  const target = targetOf(chat, file);
  const path = name(pathOf(target?.service ?? ''));
  if (written?.isError) return `The runbook was not written to ${path}: ${failureOf(written)}${cite(written)}.`;
  if (written) {
    const read = [
      ...callsOf(file, 'service_dependencies'),
      ...callsOf(file, 'search_metrics'),
      ...callsOf(file, 'recent_changes'),
    ];
    return `The runbook for ${name(target?.service ?? '')} is in ${path}${cite(written)}. It holds what the telemetry says: what the service is, its alerts, what it depends on and who depends on it, its metrics and its last changes${cite(...read.filter(({ isError }) => !isError))}. What only people know (owners, escalation, how to roll back) is left for you to fill in.`;
  }
  if (!file.sources)
    return 'I cannot write a runbook: no telemetry source was read, so I know nothing about the service.';
  return paragraphs(
    'Nothing was written: I do not know which service the runbook is for.',
    'Say for example “write a runbook for checkout”.',
  );
}

function readings({ choice }: Target, service: string): PlannedCall[] {
  const { dependencies, metrics, changes } = choice;
  const neighbours = (direction: string) =>
    dependencies ? [call('service_dependencies', { source: dependencies.id, service, direction })] : [];
  return [
    ...neighbours('downstream'),
    ...neighbours('upstream'),
    ...(metrics ? [call('search_metrics', { source: metrics.id, service, limit: MOST_METRICS })] : []),
    ...(changes ? [call('recent_changes', { source: changes.id, service, limit: MOST_CHANGES })] : []),
  ];
}

function pathOf(service: string): string {
  const file = service
    .toLowerCase()
    .replaceAll(/[^a-z\d-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `runbooks/${file || 'service'}.md`;
}

function content(file: CaseFile, { source }: Target, service: string): string {
  const described = file.services?.result.services.find((one) => one.name === service)?.description;
  const alerts = source.alerts.filter((alert) => alert.service === service);
  const changes = file.changes.at(-1)?.result.changes ?? [];
  const metrics = file.metrics?.result.metrics ?? [];
  const calls = neighbours(file, 'downstream');
  const callers = neighbours(file, 'upstream');
  return `${paragraphs(
    `# Runbook: ${name(service)}`,
    `${described ? `${quote(described, 200)}. ` : ''}Written from the telemetry of ${name(source.id)}.`,
    `## Alerts\n\n${alerts.length > 0 ? bullets(alerts.map((alert) => `${name(alert.name)}: ${quote(alert.summary, 160)}`)) : 'None is known.'}`,
    `## Depends on\n\n${calls.length > 0 ? listed(calls.map(name)) : 'No calls to other services were observed.'}`,
    `## Who suffers when it fails\n\n${callers.length > 0 ? listed(callers.map(name)) : 'No callers were observed.'}`,
    `## Metrics\n\n${metrics.length > 0 ? bullets(metrics.map((one) => `${name(one.metric)}${one.unit ? ` in ${name(one.unit)}` : ''}${one.help ? `: ${quote(one.help, 120)}` : ''}`)) : 'None is known.'}`,
    `## Last changes\n\n${changes.length > 0 ? bullets(changes.map((change) => `${day(change.at)} ${clock(change.at)} ${changeName(change)}: ${quote(change.summary, 160)}`)) : 'None is recorded.'}`,
    `## First checks\n\n${bullets([
      'Compare its latency and error ratio with a healthy time.',
      ...(calls.length > 0
        ? [`Look whether ${listed(calls.slice(0, 5).map(name))} are healthy: a fault there shows here.`]
        : []),
      'Read its errors and warnings since the onset.',
      'List the changes of the hour before the onset, of this service and of what it depends on.',
    ])}`,
    '## Owners, escalation, rollback\n\nTo be filled in by the team.',
  )}\n`;
}

/** The services around it in one direction, nearest first. */
function neighbours(file: CaseFile, direction: string): string[] {
  const found = callsOf(file, 'service_dependencies').findLast(
    ({ input, isError }) => !isError && input['direction'] === direction,
  );
  const value: unknown = found && parsePartialJson(found.body);
  const services: unknown[] = isRecord(value) && Array.isArray(value['services']) ? value['services'] : [];
  return services.flatMap((one) => (isRecord(one) && typeof one['name'] === 'string' ? [one['name']] : []));
}
