/** Responses about findings and their notifications. */
import { z } from 'zod';
import { pageFields } from '../../../http/fields.ts';
import type { InvestigationStatus } from '../../investigations/contract.ts';
import { ACTIONS, SEVERITIES } from '../plan/schema.ts';
import { CHANNEL_TYPES } from '../../notifications/index.ts';
import { ACT_KINDS } from './act-kinds.ts';
import { NOTIFICATION_EVENTS } from './messages.ts';

const time = z.iso.datetime();
const origin = z.enum(['check', 'health', 'alert']);
const INVESTIGATION_STATUSES = [
  'processing',
  'completed',
  'failed',
  'cancelled',
] as const satisfies InvestigationStatus[];
const findingStatus = z.enum(['pending', 'open', 'resolved', 'closed']);

export const NotificationResponse = z
  .object({
    id: z.uuid(),
    event: z.enum(NOTIFICATION_EVENTS),
    channel: z
      .object({ type: z.enum(CHANNEL_TYPES), label: z.string().nullable() })
      .nullable()
      .describe('Delivery channel.'),
    status: z
      .enum(['pending', 'delivered', 'failed', 'skipped'])
      .describe('pending: it is being delivered; after a failed attempt last_error says why. skipped: no channel.'),
    title: z.string(),
    text: z.string(),
    attempts: z.int(),
    last_error: z.string().nullable(),
    receipt: z.string().nullable().describe('The reply of the receiver.'),
    created_at: time,
    delivered_at: time.nullable(),
  })
  .meta({ id: 'NotificationResponse' });

const FindingSummary = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid().nullable().describe("The agent's id; null: an alert that belongs to no agent."),
    origin,
    status: findingStatus.describe(
      'pending: seen, not confirmed yet. resolved: over, but the same finding if it comes back soon. closed: over for good.',
    ),
    flapping: z.boolean().describe('Whether it is flapping; if so, only the flapping is notified.'),
    title: z.string(),
    summary: z.string().describe('The newest observation in words.'),
    severity: z.enum(SEVERITIES),
    service: z.string().nullable(),
    dedup_key: z.string(),
    on_finding: z.array(z.enum(ACTIONS)),
    judgement: z
      .object({
        worth_telling: z.boolean(),
        title: z.string(),
        reason: z.string(),
        model: z.string(),
        cost: z.number().describe('US dollars.'),
      })
      .nullable()
      .describe("A model's judgement before anybody was notified."),
    occurrences: z.int().describe('Number of observations that reported it.'),
    opened_at: time.nullable(),
    last_seen_at: time,
    resolved_at: time.nullable(),
    closed_at: time.nullable(),
    agent: z
      .object({ id: z.uuid(), title: z.string() })
      .nullable()
      .describe('The agent that found it; null: an alert that belongs to no agent.'),
    investigation: z
      .object({ id: z.uuid(), url: z.string(), status: z.enum(INVESTIGATION_STATUSES).nullable() })
      .nullable()
      .describe('The one it opened last.'),
    times_opened: z.int().describe('Times opened, including reopenings within the cool-down.'),
    acknowledged: z
      .object({ at: time, by: z.string() })
      .nullable()
      .describe(
        'Until it is closed, people are notified only when it resolves, or returns for longer than its cool-down.',
      ),
    muted_until: time.nullable().describe('Nobody is notified until then.'),
    assignee: z
      .object({
        user_id: z.uuid(),
        name: z.string(),
        member: z.boolean().describe('Whether they are still in the team.'),
      })
      .nullable(),
    closed_by: z.string().nullable().describe('The person who closed it; null unless a person did.'),
  })
  .meta({ id: 'FindingSummary' });

export const FindingListResponse = z
  .object({ findings: z.array(FindingSummary), page: z.int(), count: z.int(), total: z.int() })
  .meta({ id: 'FindingListResponse' });

const TimelineEntry = z
  .object({
    id: z.string(),
    at: time,
    event: z.enum(['opened', 'resolved', 'closed_by_itself', ...ACT_KINDS]),
    by: z.string().nullable().describe('Who acted, by the name at that time; null: it happened by itself.'),
    user_id: z.uuid().nullable(),
    via: z.enum(['api', 'slack', 'time']),
    text: z.string().nullable().describe('A comment.'),
    until: time.nullable(),
    assignee: z.string().nullable(),
  })
  .meta({ id: 'FindingTimelineEntry' });

export const FindingResponse = z
  .object({
    ...FindingSummary.shape,
    sources: z
      .array(
        z.object({
          source: z.string(),
          failing: z.boolean(),
          streak: z.int().describe('Consecutive runs with this result.'),
          text: z.string(),
          session_id: z.uuid().nullable(),
          at: time,
        }),
      )
      .describe('What reports it, newest first.'),
    evidence: z.array(z.object({ source: z.string(), question: z.string(), answer: z.unknown() })),
    details: z.record(z.string(), z.unknown()).describe('Labels and links of an alert.'),
    notifications: z.array(NotificationResponse),
    timeline: z.array(TimelineEntry).describe('What happened and what people did, oldest first.'),
    workflow_id: z.string(),
  })
  .meta({ id: 'FindingResponse' });

const comment = z
  .string()
  .trim()
  .min(1)
  .max(5_000)
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'Value must be text without NUL');

export const AcknowledgeRequest = z
  .strictObject({
    acknowledged: z.boolean().default(true).describe('false unacknowledges it.'),
    comment: comment.optional(),
  })
  .meta({ id: 'AcknowledgeFindingRequest' });
export const CloseRequest = z.strictObject({ comment: comment.optional() }).meta({ id: 'CloseFindingRequest' });
export const MuteRequest = z
  .strictObject({
    until: z.iso.datetime({ offset: true }).nullable().describe('At most 90 days from now; null ends the mute.'),
    comment: comment.optional(),
  })
  .meta({ id: 'MuteFindingRequest' });
export const AssignRequest = z
  .strictObject({
    user_id: z.uuid().nullable().describe('A member of the team; null: nobody.'),
    comment: comment.optional(),
  })
  .meta({ id: 'AssignFindingRequest' });
export const CommentRequest = z.strictObject({ text: comment }).meta({ id: 'CommentFindingRequest' });
export const CommentHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .regex(/^[\x21-\x7e]+$/, 'String should consist of visible ASCII characters')
    .optional()
    .describe('A repeated request with the same key adds no second comment.'),
});

export const FindingListQuery = z.object({
  status: findingStatus.optional().describe('By default all but pending ones.'),
  severity: z.enum(SEVERITIES).optional().describe('Filter by severity.'),
  assignee_id: z.uuid().optional().describe('Filter by assignee.'),
  ...pageFields,
});

export const TeamFindingListQuery = FindingListQuery.extend({
  chat_id: z.uuid().optional().describe('Filter by agent.'),
  investigation_id: z.uuid().optional().describe('Filter by the latest investigation.'),
  service: z.string().trim().min(1).max(200).optional().describe('Filter by service.'),
  origin: origin.optional().describe('Filter by origin.'),
  from: time.optional().describe('Opened at or after this time.'),
  to: time.optional().describe('Only those opened before it.'),
});
