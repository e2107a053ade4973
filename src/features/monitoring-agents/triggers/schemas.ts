import { z } from 'zod';
import { idempotencyKeyField } from '../../../http/fields.ts';
import { ALERT_SOURCES } from './port.ts';

/** A UUID of any version: one that Casebook never generates is unknown, not invalid. */
export const MonitorQuery = z.object({
  chat_id: z
    .guid()
    .meta({ format: 'uuid' })
    .optional()
    .describe('The monitoring agent in question; by default all of the team, and none for an alert.'),
});

export const MonitorHeaders = z.object({
  'idempotency-key': idempotencyKeyField(
    'For check_now: a repeated request with the same key gets the first answer and starts nothing.',
  ),
});

const MonitorAlert = z
  .object({
    fingerprint: z.string(),
    title: z.string(),
    status: z.enum(['firing', 'resolved']),
    action: z
      .enum(['opened', 'repeated', 'reopened', 'resolved', 'ignored'])
      .describe(
        'The outcome. repeated: it was already known. ignored: not meant for people, or resolved without ever having fired.',
      ),
    finding_id: z.uuid().nullable(),
    investigation_id: z
      .uuid()
      .nullable()
      .describe('Poll it at GET /api/v1/investigations/{investigation_id}; it exists already.'),
  })
  .meta({ id: 'MonitorAlert' });

const MonitorAgent = z
  .object({
    chat_id: z.uuid(),
    title: z.string(),
    started: z.boolean().describe('It was notified, and runs its checks now.'),
    reason: z.string().nullable().describe('Why it was not notified.'),
  })
  .meta({ id: 'MonitorAgent' });

export const MonitorResponse = z
  .object({
    kind: z.enum(['alerts', 'deploy', 'check_now', 'ignored']),
    source: z.enum(ALERT_SOURCES).describe("The tool whose format it has; casebook: Casebook's own."),
    reason: z.string().nullable().describe('Why it was ignored.'),
    alerts: z.array(MonitorAlert),
    truncated_alerts: z.int().describe('Alerts that Casebook or the tool itself dropped because there were too many.'),
    agents: z.array(MonitorAgent),
    repeated: z.boolean().describe('It was already known: nothing was started.'),
  })
  .meta({ id: 'MonitorResponse' });
export type MonitorResponse = z.input<typeof MonitorResponse>;
