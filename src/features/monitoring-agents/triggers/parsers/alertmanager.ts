import { z } from 'zod';
import { parser } from './parser.ts';
import { alertGroup, groupedAlert, groupTrigger } from './prometheus-alerts.ts';

/** A `webhook_configs` notification of Prometheus Alertmanager; Mimir, Cortex and vmalert use it too. */
export const AlertmanagerWebhook = alertGroup
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
