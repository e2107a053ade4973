/** Requests and responses of monitoring agents; sessions, findings, channels and triggers have their own. */
import { z } from 'zod';
import { nameField, pageFields } from '../../http/fields.ts';
import { CHANNEL_TYPES, NotificationChannel } from '../notifications/index.ts';
import { PlanPatch } from './plan/merge.ts';
import { checkId, Plan } from './plan/schema.ts';
import { SESSION_STATUSES } from './sessions/schemas.ts';

const time = z.iso.datetime();
const ENDED_STATUSES = SESSION_STATUSES.filter((status) => status !== 'running');

export const AgentParams = z.object({ chat_id: z.uuid().describe('Of the agent: its chat has the same id.') });
export const SessionParams = AgentParams.extend({ session_id: z.uuid().describe('Of one run of a check.') });
export const FindingParams = z.object({ finding_id: z.uuid().describe('As lists of findings give it.') });

export const evictionHours = z
  .int()
  .min(1)
  .max(24 * 365)
  .describe('Sessions are deleted after so many hours.');
export const modelBudget = z
  .number()
  .min(0)
  .max(10_000)
  .describe(
    'US dollars that models may cost within 24 hours, in checks and in judging findings; beyond them such checks are not carried out. Investigations that findings open have bounds of their own.',
  );

/** Documented as a plan, accepted as any JSON: form errors are reported together with all other problems. */
const WrittenPlan = z
  .union([PlanPatch, Plan, z.unknown()])
  .meta({ override: ({ jsonSchema }: { jsonSchema: { anyOf?: unknown[] } }) => void jsonSchema.anyOf?.pop() });

export const UpdatePlanRequest = z
  .strictObject({
    plan: WrittenPlan.optional().describe(
      'Merged into the plan: checks by their id, members of a check by their name, null removes one; {"id": …, "remove": true} removes a check.',
    ),
    replace: z.boolean().default(false).describe('The plan given is the whole plan.'),
    active: z.boolean().optional().describe('false pauses the agent, true resumes it.'),
    version: z.int().min(1).optional().describe('The version that the change was made for; another one is a 409.'),
    reason: z.string().trim().min(1).max(1_000).optional().describe('Why, for the history of the plan.'),
  })
  .refine(({ plan, active }) => plan !== undefined || active !== undefined, 'There should be plan or active')
  .refine(
    ({ plan, replace }) => plan !== undefined || !replace,
    'There should be the plan that replaces the present one',
  )
  .meta({
    id: 'UpdatePlanRequest',
    examples: [
      {
        plan: {
          checks: [
            { id: 'queue', check: { condition: { value: 500 } } },
            { id: 'old', remove: true },
          ],
        },
        version: 3,
        reason: 'The queue is longer since the sale began.',
      },
      { active: false, reason: 'Maintenance until six.' },
    ],
  });

export const UpdatePlanQuery = z.object({
  dry_run: z.boolean().default(false).describe('true: answers with the plan as it would be, and changes nothing.'),
});

export const UpdateAgentChannelRequest = z
  .strictObject({
    notification_channel: NotificationChannel.nullable().optional().describe('Where it reports; null: nowhere.'),
    eviction_hours: evictionHours.optional(),
    model_budget_usd_per_day: modelBudget.optional(),
    title: nameField.optional().describe('What the agent is called.'),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'There should be something to change')
  .meta({
    id: 'UpdateAgentChannelRequest',
    examples: [
      { notification_channel: { type: 'webhook', url: 'https://hooks.example.com/casebook' }, eviction_hours: 168 },
      { notification_channel: null },
    ],
  });

export const RunChecksRequest = z
  .strictObject({ checks: z.array(checkId).min(1).max(50).optional().describe('Absent: all.') })
  .meta({ id: 'RunChecksRequest' });

const Status = z
  .enum(['starting', 'active', 'paused', 'degraded'])
  .describe(
    'starting: no check has said anything yet. degraded: it watches less than its plan says; `reasons` say why.',
  );

const Channel = z
  .object({ type: z.enum(CHANNEL_TYPES), label: z.string().describe('For people, without secrets.') })
  .nullable()
  .meta({ id: 'NotificationChannelSummary' });

export const MonitoringChatSummary = z
  .object({
    chat_id: z.uuid(),
    title: z.string(),
    status: Status,
    reasons: z.array(z.string()).describe('Why it is degraded.'),
    active: z.boolean().describe('false: paused.'),
    plan_version: z.int(),
    checks: z.int().describe('In its plan, without those that are disabled.'),
    summary: z.string().describe('What it watches, in the words of its plan.'),
    open_findings: z.int(),
    last_result_at: time.nullable(),
    next_due_at: time.nullable(),
    notification_channel: Channel,
    notification_error: z.string().nullable().describe('Why the newest notification could not be delivered, if so.'),
    created_at: time,
    temporal: z
      .object({ workflow_id: z.string(), url: z.string().nullable().describe('In the Temporal UI, if there is one.') })
      .describe('The workflow that watches.'),
  })
  .meta({ id: 'MonitoringChatSummary' });

export const MonitoringChatListResponse = z
  .object({ chats: z.array(MonitoringChatSummary), total: z.int() })
  .meta({ id: 'MonitoringChatListResponse' });

const CheckStanding = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string().describe('What is checked and when, in one line.'),
    running: z.boolean(),
    due_at: time.nullable().describe('null: not known, or never.'),
    failures: z.int().describe('Runs in a row that could not say.'),
    last: z
      .object({ status: z.enum(ENDED_STATUSES), summary: z.string(), session_id: z.uuid(), at: time })
      .nullable()
      .describe('The last run.'),
  })
  .meta({ id: 'MonitoringCheckStanding' });

export const MonitoringPlanResponse = z
  .object({
    chat_id: z.uuid(),
    version: z.int(),
    active: z.boolean(),
    plan: Plan,
    status: Status,
    reasons: z.array(z.string()),
    checks: z.array(CheckStanding).describe('How each check stands, as far as the workflow answers.'),
    answered_by: z
      .enum(['workflow', 'database'])
      .describe(
        '`workflow`: this is what is carried out. `database`: no worker answered, or it has a change before it.',
      ),
  })
  .meta({ id: 'MonitoringPlanResponse' });

export const PlanVersionListResponse = z
  .object({
    versions: z.array(
      z
        .object({
          version: z.int(),
          reason: z.string(),
          changes: z.array(z.string()).describe('What is different from the version before.'),
          changed_at: time,
          changed_by: z
            .enum(['key', 'user', 'chat'])
            .describe(
              'key: an API key that belongs to nobody. user: the key of a user. chat: the agent, in conversation.',
            ),
          api_key_id: z.uuid().nullable(),
          user_id: z.uuid().nullable().describe('Whose key it was, also where the agent did it for somebody.'),
          turn_id: z.uuid().nullable().describe('Of the conversation, where it was changed there.'),
          plan: Plan,
        })
        .meta({ id: 'MonitoringPlanVersion' }),
    ),
    page: z.int(),
    count: z.int(),
    total: z.int(),
  })
  .meta({ id: 'MonitoringPlanVersionListResponse' });

export const PageQuery = z.object({
  ...pageFields,
});

export const AgentConfigResponse = z
  .object({
    chat_id: z.uuid(),
    title: z.string(),
    notification_channel: Channel,
    eviction_hours: evictionHours,
    model_budget_usd_per_day: modelBudget,
    webhook_secret: z.string().optional().describe('Of a webhook channel that was set without one: shown this once.'),
  })
  .meta({ id: 'MonitoringAgentConfigResponse' });

export const AgentDeletedResponse = z
  .object({ chat_id: z.uuid(), deleted: z.literal(true) })
  .meta({ id: 'MonitoringAgentDeletedResponse' });

export const AgentStateResponse = z
  .object({ chat_id: z.uuid(), status: Status, active: z.boolean() })
  .meta({ id: 'MonitoringAgentStateResponse' });

export const RunChecksResponse = z
  .object({ chat_id: z.uuid(), checks: z.array(z.string()).describe('Those that are run.') })
  .meta({ id: 'RunChecksResponse' });

export const ChannelTestResponse = z
  .object({
    delivered: z.boolean(),
    receipt: z.string().nullable().describe('What the receiver said.'),
    error: z.string().nullable().describe('Why it was not delivered.'),
  })
  .meta({ id: 'NotificationChannelTestResponse' });
