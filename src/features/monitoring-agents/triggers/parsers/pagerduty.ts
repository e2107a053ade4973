import { z } from 'zod';
import { fingerprintOf, severityOf, alertsTrigger, loose, parser, worded } from './parser.ts';
import { linksOf } from '../labels.ts';
import type { OutsideAlert, Trigger } from '../port.ts';
import { firstText, isRecord, line, member, momentOf, textOf } from '../text.ts';

const STARTS = ['incident.triggered', 'incident.reopened'] as const;
const ENDS = ['incident.resolved'] as const;
const TAKEN: readonly string[] = [...STARTS, ...ENDS];

const reference = z.object({ summary: loose, html_url: loose }).nullish();
const text = z.string().regex(/\S/, 'Value must not be blank');

const PagerDutyIncident = z.object({
  id: text,
  title: text,
  number: loose,
  status: loose,
  urgency: loose,
  html_url: loose,
  created_at: loose,
  incident_key: loose,
  service: reference,
  priority: reference,
  escalation_policy: reference,
});

/** A PagerDuty incident is triggered, reopened or resolved. */
const PagerDutyIncidentWebhook = z
  .object({
    event: z.object({
      id: loose,
      event_type: z.enum([...STARTS, ...ENDS]),
      resource_type: loose,
      occurred_at: loose,
      data: PagerDutyIncident,
    }),
  })
  .meta({
    id: 'PagerDutyIncidentWebhook',
    description: 'A PagerDuty webhook (version 3) about the state of an incident.',
  });

/** Any other PagerDuty event: recognised and ignored. */
const PagerDutyOtherWebhook = z
  .object({ event: z.object({ id: loose, event_type: z.string() }) })
  .meta({ id: 'PagerDutyOtherWebhook', description: 'Any other PagerDuty webhook (version 3); it is ignored.' });

const eventType = (body: Record<string, unknown>): unknown => member(body['event'], 'event_type');
const isPagerDuty = (body: Record<string, unknown>): boolean =>
  isRecord(body['event']) && Object.hasOwn(body['event'], 'event_type');
const isTaken = (body: Record<string, unknown>): boolean => TAKEN.includes(`${textOf(eventType(body))}`);

export const pagerDutyIncidentParser = parser(
  (body) => isPagerDuty(body) && isTaken(body),
  PagerDutyIncidentWebhook,
  ({ event }) => alertsTrigger('pagerduty', [readIncident(event)]),
);

export const pagerDutyOtherParser = parser(isPagerDuty, PagerDutyOtherWebhook, ({ event }): Trigger => ({
  kind: 'ignored',
  source: 'pagerduty',
  reason: `An event ${line(event.event_type, 100)} neither starts nor ends anything; only ${TAKEN.join(', ')} do.`,
}));

function readIncident({
  event_type: type,
  occurred_at: at,
  data,
}: z.output<typeof PagerDutyIncidentWebhook>['event']): OutsideAlert {
  const number = textOf(data.number);
  const [service, priority] = [textOf(data.service?.summary), textOf(data.priority?.summary)];
  const urgency = textOf(data.urgency);
  const facts = [
    number !== undefined && `Incident #${number} of PagerDuty`,
    service !== undefined && `service ${service}`,
    urgency !== undefined && `urgency ${urgency}`,
    priority !== undefined && `priority ${priority}`,
  ];
  const labels = { incident: data.id, number, service, urgency, priority };
  return {
    fingerprint: fingerprintOf('pagerduty', data.id, {}),
    source: 'pagerduty',
    ...worded(data.title, facts.filter(Boolean).join(', ')),
    severity: severityOf(priority, urgency),
    service: service === undefined ? undefined : line(service, 200),
    status: type === 'incident.resolved' ? 'resolved' : 'firing',
    startsAt: momentOf(firstText(data.created_at, at)),
    labels: Object.fromEntries(
      Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, line(value, 500)]])),
    ),
    links: linksOf([
      { label: 'Incident', url: data.html_url },
      { label: 'Service', url: data.service?.html_url },
    ]),
  };
}
