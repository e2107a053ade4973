import { z } from 'zod';
import { bareTitle, fingerprintOf, severityOf, alertsTrigger, parser, worded } from './parser.ts';
import { boundedLabels, labelsOf, labelsOfTags, linksOf, serviceOf } from '../labels.ts';
import type { OutsideAlert } from '../port.ts';
import { firstText, isRecord, line, momentOf } from '../text.ts';

/** Members that may hold the title, the most reliable first. */
const TITLES = ['title', 'message', 'summary', 'name', 'description', 'text'] as const;
const TEXTS = ['description', 'summary', 'message', 'text'] as const;

const RESOLVED = /^(resolved|resolve|ok|recovered|recovery|closed|cleared|up|normal|inactive|success|healthy)$/i;

const KNOWN =
  'Alertmanager (version, groupKey, alerts), Grafana Alerting (orgId, alerts), PagerDuty (event.event_type), Datadog ' +
  '(alert_transition, title), {"type": "alert", "title"}, {"type": "deploy", "service"}, {"type": "check_now"}, or any ' +
  `object with a text in one of ${TITLES.join(', ')}`;

const titleIn = (body: Record<string, unknown>): string | undefined =>
  TITLES.map((name) => body[name]).find((value): value is string => typeof value === 'string' && /\S/.test(value));

/** The webhook of an unknown tool. */
const GenericWebhook = z
  .record(z.string(), z.unknown())
  .refine((body) => titleIn(body) !== undefined, `Value has no known format: ${KNOWN}`)
  .meta({
    id: 'GenericWebhook',
    description: `The webhook of another tool: any object with a text in one of ${TITLES.join(', ')}.`,
  });

export const genericParser = parser(
  () => true,
  GenericWebhook,
  (body) => alertsTrigger('generic', [readAnything(body)]),
);

function readAnything(body: Record<string, unknown>): OutsideAlert {
  const title = titleIn(body) ?? '';
  const labels = labelsIn(body);
  const named = firstText(body['service'], body['service_name'], body['app'], body['application']);
  const service = named === undefined ? serviceOf(labels) : line(named, 200);
  const given = firstText(
    ...['fingerprint', 'dedup_key', 'incident_key', 'alert_id', 'incident_id'].map((name) => body[name]),
  );
  const status = firstText(body['status'], body['state'])?.trim() ?? '';
  const isOver = RESOLVED.test(status) || /^\s*\[\s*(ok|resolved|recovered)\b/i.test(title);
  return {
    fingerprint: fingerprintOf('generic', given, { ...labels, title: bareTitle(title), service: service ?? '' }),
    source: 'generic',
    ...worded(title, firstText(...TEXTS.map((name) => body[name]).filter((text) => text !== title))),
    severity: severityOf(
      ...['severity', 'priority', 'level', 'urgency'].map((name) => firstText(body[name])),
      labels['severity'],
    ),
    service,
    status: isOver ? 'resolved' : 'firing',
    startsAt: momentOf(
      firstText(body['startsAt'], body['started_at'], body['created_at'], body['timestamp'], body['date']),
    ),
    labels: boundedLabels(labels),
    links: linksOf(['url', 'link', 'html_url', 'href'].map((name) => ({ label: 'Source', url: body[name] }))),
  };
}

/** Labels or tags from a member that looks like either. */
function labelsIn(body: Record<string, unknown>): Record<string, string> {
  const { labels, tags } = body;
  if (isRecord(labels)) return labelsOf(labels);
  if (isRecord(tags)) return labelsOf(tags);
  const list = [Array.isArray(tags) ? tags : typeof tags === 'string' ? tags.split(',') : []].flat();
  return labelsOfTags(list.filter((tag) => typeof tag === 'string'));
}
