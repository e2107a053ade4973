/** What the webhooks of Alertmanager and Grafana have in common. */
import { z } from 'zod';
import { boundedLabels, labelsOf, linksOf, serviceOf } from '../labels.ts';
import { MAX_ALERTS, type OutsideAlert, type Trigger } from '../port.ts';
import { clip, firstText, member, momentOf, textOf } from '../text.ts';
import { fingerprintOf, severityOf, alertsTrigger, loose, looseRecord, worded, parser } from './parser.ts';

export const alertStatus = z.enum(['firing', 'resolved']);

/** One alert of a group. */
export const groupedAlert = z.object({
  status: alertStatus,
  labels: looseRecord,
  annotations: looseRecord.nullish(),
  startsAt: loose,
  endsAt: loose,
  generatorURL: loose,
  fingerprint: loose,
});

/** A group's own members, besides its alerts. */
export const alertGroup = z.object({
  status: alertStatus,
  receiver: z.string(),
  groupKey: loose,
  groupLabels: looseRecord.nullish(),
  commonLabels: looseRecord.nullish(),
  commonAnnotations: looseRecord.nullish(),
  externalURL: loose,
  truncatedAlerts: z.union([z.int().min(0), z.string(), z.null()]).optional(),
});

type GroupedAlert = z.output<typeof groupedAlert>;
type AlertGroup = z.output<typeof alertGroup>;

/** Maximum alerts read: each is merged with the common members, so that even a short request could take long. */
const MAX_READ = 5 * MAX_ALERTS;
const MAX_COMMON_LABELS = 100;
const LONGEST_COMMON_LABEL = 500;

/** Members common to all alerts of a group. */
interface Common {
  labels: Record<string, string>;
  annotations: NonNullable<AlertGroup['commonAnnotations']>;
  externalURL: unknown;
}

/** Links and values that only one of the tools has. */
interface More {
  links?: { label: string; url: unknown }[];
  values?: string;
}

/** Parses a group of alerts; if there are too many, firing ones come first. */
export function groupTrigger<A extends GroupedAlert>(
  source: 'alertmanager' | 'grafana',
  { alerts, ...group }: AlertGroup & { alerts: readonly A[] },
  more: (alert: A) => More = () => ({}),
): Trigger {
  const ordered = [
    ...alerts.filter(({ status }) => status === 'firing'),
    ...alerts.filter(({ status }) => status === 'resolved'),
  ];
  const read = new Set(ordered.slice(0, MAX_READ));
  const labels = Object.entries(labelsOf(group.commonLabels ?? {})).slice(0, MAX_COMMON_LABELS);
  const common: Common = {
    labels: Object.fromEntries(labels.map(([name, value]) => [name, clip(value, LONGEST_COMMON_LABEL)])),
    annotations: group.commonAnnotations ?? {},
    externalURL: group.externalURL,
  };
  return alertsTrigger(
    source,
    alerts.filter((alert) => read.has(alert)).map((alert) => readGroupedAlert(source, alert, common, more(alert))),
    leftOut(group.truncatedAlerts) + alerts.length - read.size,
  );
}

/** How many alerts the tool itself dropped. */
const leftOut = (value: unknown): number => Math.min(Math.max(0, Math.trunc(Number(textOf(value) ?? 0)) || 0), 1e6);

function readGroupedAlert(
  source: 'alertmanager' | 'grafana',
  alert: GroupedAlert,
  common: Common,
  more: More,
): OutsideAlert {
  const labels = { ...common.labels, ...labelsOf(alert.labels) };
  const annotation = (name: string): string | undefined =>
    textOf(member(alert.annotations, name) ?? member(common.annotations, name));
  const name = firstText(labels['alertname']);
  const headline = firstText(...['summary', 'title', 'message'].map(annotation));
  const text = firstText(...['description', 'message', 'summary'].map(annotation));
  const parts = [headline !== undefined && name !== undefined ? headline : undefined, text, more.values];
  const summary = [...new Set(parts.filter((part) => part !== undefined))].join('\n');
  return {
    fingerprint: fingerprintOf(source, textOf(alert.fingerprint), labels),
    source,
    ...worded(titleOf(name, labels, headline), summary),
    severity: severityOf(labels['severity'], labels['priority'], labels['level']),
    service: serviceOf(labels),
    status: alert.status,
    startsAt: momentOf(alert.startsAt),
    labels: boundedLabels(labels),
    links: linksOf([
      { label: 'Rule', url: alert.generatorURL },
      ...(more.links ?? []),
      { label: 'Runbook', url: annotation('runbook_url') },
      { label: source === 'grafana' ? 'Grafana' : 'Alertmanager', url: common.externalURL },
    ]),
  };
}

/** The alert's name and its subject; its headline if it has no name. */
function titleOf(name: string | undefined, labels: Record<string, string>, headline: string | undefined): string {
  if (name === undefined) return headline ?? 'Alert without a name';
  const about = serviceOf(labels) ?? firstText(labels['instance'], labels['pod'], labels['namespace']);
  return about === undefined ? name : `${name}: ${about}`;
}

/** A `webhook_configs` notification of Prometheus Alertmanager; Mimir, Cortex and vmalert use it too. */
const AlertmanagerWebhook = alertGroup
  .extend({ version: z.literal('4'), alerts: z.array(groupedAlert).min(1) })
  .meta({ id: 'AlertmanagerWebhook', description: 'A notification of Prometheus Alertmanager (webhook, version 4).' });

/** Members that distinguish a group of alerts from other JSON with `alerts`. */
const MEMBERS = [
  'groupKey',
  'groupLabels',
  'commonLabels',
  'commonAnnotations',
  'truncatedAlerts',
  'receiver',
  'version',
];

export const isAlertGroup = (body: Record<string, unknown>): boolean =>
  Object.hasOwn(body, 'alerts') && MEMBERS.some((name) => Object.hasOwn(body, name));

export const alertmanagerParser = parser(isAlertGroup, AlertmanagerWebhook, (group) =>
  groupTrigger('alertmanager', group),
);
