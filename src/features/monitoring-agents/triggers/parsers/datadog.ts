import { z } from 'zod';
import { bareTitle, fingerprintOf, severityOf, alertsTrigger, loose, parser, worded } from './parser.ts';
import { boundedLabels, labelsOfTags, linksOf, serviceOf } from '../labels.ts';
import type { OutsideAlert } from '../port.ts';
import { clip, firstText, line, momentOf, textOf } from '../text.ts';

/** The payload to paste into a webhook in Datadog. */
export const DATADOG_PAYLOAD = {
  alert_id: '$ALERT_ID',
  alert_title: '$ALERT_TITLE',
  alert_transition: '$ALERT_TRANSITION',
  alert_type: '$ALERT_TYPE',
  alert_priority: '$ALERT_PRIORITY',
  alert_scope: '$ALERT_SCOPE',
  alert_status: '$ALERT_STATUS',
  aggreg_key: '$AGGREG_KEY',
  title: '$EVENT_TITLE',
  body: '$TEXT_ONLY_MSG',
  tags: '$TAGS',
  date: '$DATE',
  link: '$LINK',
  snapshot: '$SNAPSHOT',
};

const title = z
  .string()
  .regex(/\S/, 'Value must not be blank')
  .describe('May also come as alert_title or event_title.');

const members = {
  id: loose,
  event_type: loose,
  alert_id: loose,
  alert_transition: loose,
  alert_type: loose,
  alert_priority: loose,
  alert_scope: loose,
  alert_status: loose,
  alert_cycle_key: loose,
  aggreg_key: loose,
  body: loose,
  tags: z.union([z.string(), z.array(z.string()), z.null()]).optional(),
  date: loose,
  link: loose,
  snapshot: loose,
};

/** A Datadog monitor, in the payload that the endpoint's description gives, or in Datadog's default one. */
const DatadogWebhook = z.object({ ...members, title, event_title: loose, alert_title: loose }).meta({
  id: 'DatadogWebhook',
  description: 'A Datadog webhook, with the payload from the description or the default one.',
});

const OWN = ['alert_transition', 'alert_scope', 'alert_cycle_key', 'aggreg_key'];
const hasAny = (body: Record<string, unknown>, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(body, name));

function isDatadog(body: Record<string, unknown>): boolean {
  if (hasAny(body, OWN)) return true;
  if (hasAny(body, ['alert_id', 'alert_title']) && hasAny(body, ['alert_type', 'event_title', 'event_type']))
    return true;
  // Datadog's default payload: {id, last_updated, event_type, title, date, org, body}.
  return hasAny(body, ['org', 'last_updated']) && hasAny(body, ['event_type']) && hasAny(body, ['body']);
}

/** The title may come under any of its names; if it is missing, the error names `title`. */
const withTitle = z.preprocess((value: Record<string, unknown>) => {
  const found = firstText(value['alert_title'], value['title'], value['event_title']);
  return found === undefined ? value : { ...value, title: found };
}, DatadogWebhook);

export const datadogParser = parser(isDatadog, withTitle, (event) => alertsTrigger('datadog', [readEvent(event)]));

/** Titles of events begin with the transition and the scope: "[P2] [Triggered on {host:web-1}] Disk is full". */
const STATE_IN_TITLE =
  /^\s*(?:\[P\d\]\s*)?\[\s*((?:re-)?(?:triggered|recovered|warn|no data|renotify))(?:\s+on\s+\{?([^\]}]*)\}?)?\s*\]\s*/i;

function readEvent(event: z.output<typeof DatadogWebhook>): OutsideAlert {
  const inTitle = STATE_IN_TITLE.exec(event.title);
  const transition = (textOf(event.alert_transition) ?? inTitle?.[1])?.trim().toLowerCase().replace(/^re-/, '');
  const type = textOf(event.alert_type)?.trim().toLowerCase();
  const scope = textOf(event.alert_scope) ?? inTitle?.[2];
  const labels = labelsOfTags([...split(scope), ...(Array.isArray(event.tags) ? event.tags : split(event.tags))]);
  const name = bareTitle(event.title.replace(STATE_IN_TITLE, '')) || event.title;
  const monitor = textOf(event.alert_id);
  const identity = {
    ...(monitor === undefined ? { title: name } : { monitor }),
    scope: split(scope).toSorted().join(','),
  };
  const summary = [textOf(event.alert_status), textOf(event.body)?.replaceAll(/^%%%|%%%$/gm, '')];
  return {
    fingerprint: fingerprintOf('datadog', firstText(event.aggreg_key, event.alert_cycle_key), identity),
    source: 'datadog',
    ...worded(name, clip(summary.filter(Boolean).join('\n'), 10_000)),
    severity:
      transition === 'warn' || transition === 'no data' ? 'warning' : severityOf(textOf(event.alert_priority), type),
    service: serviceOf(labels),
    status: transition === 'recovered' || (transition === undefined && type === 'success') ? 'resolved' : 'firing',
    startsAt: momentOf(event.date),
    labels: boundedLabels({ ...labels, ...(monitor !== undefined && { monitor: line(monitor, 100) }) }),
    links: linksOf([
      { label: 'Datadog', url: event.link },
      { label: 'Snapshot', url: event.snapshot },
    ]),
  };
}

/** Maximum characters read from a list of tags. */
const LONGEST_TAGS = 20_000;

const split = (tags: unknown): string[] =>
  (textOf(tags) ?? '')
    .slice(0, LONGEST_TAGS)
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
