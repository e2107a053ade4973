/** What the webhooks of Alertmanager and Grafana have in common. */
import { z } from 'zod';
import { fingerprintOf } from '../fingerprint.ts';
import { boundedLabels, labelsOf, linksOf, serviceOf } from '../labels.ts';
import type { OutsideAlert } from '../port.ts';
import { severityOf } from '../severity.ts';
import { firstText, momentOf, textOf } from '../text.ts';
import { loose, looseRecord, worded } from './shape.ts';

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

/** What a group of alerts says besides its alerts. */
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

/** How many alerts the tool itself left out. */
export const leftOut = (value: unknown): number =>
  Math.min(Math.max(0, Math.trunc(Number(textOf(value) ?? 0)) || 0), 1e6);

/**
 * One alert of a group.
 * @param more links of the tool's own
 */
export function readGroupedAlert(
  source: 'alertmanager' | 'grafana',
  alert: z.output<typeof groupedAlert>,
  group: z.output<typeof alertGroup>,
  more: { links?: { label: string; url: unknown }[]; values?: string } = {},
): OutsideAlert {
  const labels = { ...labelsOf(group.commonLabels ?? {}), ...labelsOf(alert.labels) };
  const annotations = { ...group.commonAnnotations, ...alert.annotations };
  const name = firstText(labels['alertname']);
  const headline = firstText(annotations['summary'], annotations['title'], annotations['message']);
  const text = firstText(annotations['description'], annotations['message'], annotations['summary']);
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
      { label: 'Runbook', url: annotations['runbook_url'] },
      { label: source === 'grafana' ? 'Grafana' : 'Alertmanager', url: group.externalURL },
    ]),
  };
}

/** The alert's name and what it is about; without a name its headline. */
function titleOf(name: string | undefined, labels: Record<string, string>, headline: string | undefined): string {
  if (name === undefined) return headline ?? 'Alert without a name';
  const about = serviceOf(labels) ?? firstText(labels['instance'], labels['pod'], labels['namespace']);
  return about === undefined ? name : `${name}: ${about}`;
}
