import { z } from 'zod';
import { isRecord, textOf } from '../text.ts';
import { isAlertGroup, alertGroup, groupedAlert, groupTrigger } from './alertmanager.ts';
import { loose, looseRecord, parser } from './parser.ts';

/** A Grafana Alerting notification from a contact point of type `webhook`. */
const GrafanaWebhook = alertGroup
  .extend({
    version: loose,
    orgId: loose,
    title: loose,
    state: loose,
    message: loose,
    alerts: z
      .array(
        groupedAlert.extend({
          valueString: loose,
          values: looseRecord.nullish(),
          dashboardURL: loose,
          panelURL: loose,
          silenceURL: loose,
          imageURL: loose,
        }),
      )
      .min(1),
  })
  .meta({
    id: 'GrafanaWebhook',
    description: 'A Grafana Alerting notification (contact point of type webhook).',
  });

const OF_ALERTS = ['valueString', 'values', 'dashboardURL', 'panelURL', 'silenceURL', 'imageURL'];

/** Like Alertmanager's, with members of its own. */
function isGrafana(body: Record<string, unknown>): boolean {
  if (!isAlertGroup(body)) return false;
  if (Object.hasOwn(body, 'orgId') || (Object.hasOwn(body, 'state') && Object.hasOwn(body, 'message'))) return true;
  const first: unknown = Array.isArray(body['alerts']) ? body['alerts'][0] : undefined;
  return isRecord(first) && OF_ALERTS.some((name) => Object.hasOwn(first, name));
}

export const grafanaParser = parser(isGrafana, GrafanaWebhook, (group) =>
  groupTrigger('grafana', group, (alert) => ({
    values: valuesOf(alert),
    links: [
      { label: 'Panel', url: alert.panelURL },
      { label: 'Dashboard', url: alert.dashboardURL },
      { label: 'Image', url: alert.imageURL },
      { label: 'Silence', url: alert.silenceURL },
    ],
  })),
);

type GrafanaAlert = z.output<typeof GrafanaWebhook>['alerts'][number];

/** The decisive numbers, as Grafana writes them. */
function valuesOf({ valueString, values }: GrafanaAlert): string | undefined {
  const named = Object.entries(values ?? {}).flatMap(([name, value]) => {
    const text = textOf(value);
    return text === undefined ? [] : [`${name} = ${text}`];
  });
  return textOf(valueString) ?? (named.length > 0 ? named.join(', ') : undefined);
}
