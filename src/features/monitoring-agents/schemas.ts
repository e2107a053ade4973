/** Requests and responses of monitoring agents; sessions, findings, channels and triggers have their own. */
import { z } from 'zod';
import { nameField, pageFields } from '../../http/fields.ts';
import { CHANNEL_TYPES, NotificationChannel } from '../notifications/index.ts';
import { ChatResponse } from '../chats/index.ts';
import { PlanPatch } from './plan/merge.ts';
import { checkId, Plan } from './plan/schema.ts';
import { SESSION_STATUSES } from './sessions/schemas.ts';
import { CarriedOutPlan } from './plan/parse.ts';

const time = z.iso.datetime();
const ENDED_STATUSES = SESSION_STATUSES.filter((status) => status !== 'running');

export const AgentParams = z.object({ chat_id: z.uuid().describe("The agent's id, which is also that of its chat.") });
export const SessionParams = AgentParams.extend({ session_id: z.uuid().describe('Of one run of a check.') });
export const FindingParams = z.object({ finding_id: z.uuid().describe('The id from a list of findings.') });

export const evictionHours = z
  .int()
  .min(1)
  .max(24 * 365)
  .describe('Hours after which sessions are deleted.');
export const modelBudget = z
  .number()
  .min(0)
  .max(10_000)
  .describe(
    'Budget for models within 24 hours, in US dollars, for checks and for judging findings; once it is spent, such checks do not run. Investigations that findings open have their own limits.',
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
    replace: z.boolean().default(false).describe('The given plan replaces the whole plan.'),
    active: z.boolean().optional().describe('false pauses the agent, true resumes it.'),
    version: z
      .int()
      .min(1)
      .optional()
      .describe('The version that the change is based on; 409 if the plan has a different one.'),
    reason: z.string().trim().min(1).max(1_000).optional().describe('Why, for the history of the plan.'),
  })
  .refine(({ plan, active }) => plan !== undefined || active !== undefined, 'Either plan or active is required')
  .refine(({ plan, replace }) => plan !== undefined || !replace, 'The plan that replaces the current one is required')
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
  dry_run: z.boolean().default(false).describe('true: returns the resulting plan without changing anything.'),
});

export const UpdateAgentChannelRequest = z
  .strictObject({
    notification_channel: NotificationChannel.nullable()
      .optional()
      .describe('Where it sends notifications; null: nowhere.'),
    eviction_hours: evictionHours.optional(),
    model_budget_usd_per_day: modelBudget.optional(),
    title: nameField.optional().describe("The agent's name."),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'At least one change is required')
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
  .describe('starting: no check has a result yet. degraded: some checks cannot run; `reasons` say why.');

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
    checks: z.int().describe('The enabled checks of its plan.'),
    summary: z.string().describe('What it watches, from its plan.'),
    open_findings: z.int(),
    last_result_at: time.nullable(),
    next_due_at: time.nullable(),
    notification_channel: Channel,
    notification_error: z
      .string()
      .nullable()
      .describe('Why the newest notification could not be delivered, if it failed.'),
    created_at: time,
    temporal: z
      .object({ workflow_id: z.string(), url: z.string().nullable().describe('In the Temporal UI, if there is one.') })
      .describe('The workflow that watches.'),
  })
  .meta({ id: 'MonitoringChatSummary' });

export const MonitoringChatListResponse = z
  .object({ chats: z.array(MonitoringChatSummary), total: z.int() })
  .meta({ id: 'MonitoringChatListResponse' });

const CheckStatusSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string().describe('What is checked and when, in one line.'),
    running: z.boolean(),
    due_at: time.nullable().describe('null: not known, or never.'),
    failures: z.int().describe('Consecutive failed runs.'),
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
    checks: z.array(CheckStatusSchema).describe('The status of each check, if the workflow answers.'),
    answered_by: z
      .enum(['workflow', 'database'])
      .describe(
        '`workflow`: this is what runs. `database`: no worker answered, or a change has not reached the workflow yet.',
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
          changes: z.array(z.string()).describe('The differences from the previous version.'),
          changed_at: time,
          changed_by: z
            .enum(['key', 'user', 'chat'])
            .describe("key: an API key without a user. user: a user's key. chat: the agent, in conversation."),
          api_key_id: z.uuid().nullable(),
          user_id: z.uuid().nullable().describe("The key's user, even if the agent acted on their behalf."),
          turn_id: z.uuid().nullable().describe('The turn of the conversation that changed it, if any.'),
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
    webhook_secret: z
      .string()
      .optional()
      .describe('The generated secret of a webhook channel that was set without one; shown only once.'),
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
    receipt: z.string().nullable().describe('The reply of the receiver.'),
    error: z.string().nullable().describe('Why it was not delivered.'),
  })
  .meta({ id: 'NotificationChannelTestResponse' });

const words = z.string().max(100_000).regex(/\S/, 'Value must not be blank').optional();

/** Fields for a new agent only; an existing agent's own endpoints change them. */
const OF_NEW_AGENTS = [
  'title',
  'plan',
  'active',
  'notification_channel',
  'eviction_hours',
  'model_budget_usd_per_day',
] as const;

const EXAMPLES = [
  {
    message: 'Watch the queue of orders every minute; tell us when it is longer than 100.',
    notification_channel: { type: 'slack', bot_token: 'xoxb-0000000000', channel: '#ops' },
  },
  {
    message: 'Watch the health of the shop.',
    title: 'Shop',
    plan: {
      checks: [
        {
          id: 'health',
          title: 'Health of all services',
          check: { type: 'service_health', source: 'prometheus' },
          schedule: { every_seconds: 300 },
        },
      ],
    },
  },
];

export const MonitoringChatRequest = z
  .strictObject({
    message: words.describe('What to watch, how often, and what to report; or a change; or a question.'),
    description: words.describe('The same as message.'),
    chat_id: z.string().max(100).optional().describe('Id of an existing agent, to change it in conversation.'),
    title: nameField.optional().describe('The name of a new agent; by default it is named after its description.'),
    plan: CarriedOutPlan.optional().describe(
      'The whole plan of a new agent, which starts with it without asking a model.',
    ),
    active: z.boolean().optional().describe('false: the new agent starts paused.'),
    notification_channel: NotificationChannel.optional().describe(
      'Where a new agent sends notifications; by default nowhere.',
    ),
    eviction_hours: evictionHours.optional(),
    model_budget_usd_per_day: modelBudget.optional(),
    model: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[\w.:@/-]+$/, 'Value must be the name of a model')
      .optional()
      .describe('The model that answers this message.'),
  })
  .superRefine((body, context) => {
    if ((body.message === undefined) === (body.description === undefined)) {
      const message = 'Either message or description is required';
      context.addIssue({ code: 'custom', path: ['message'], message });
    }
    if (body.chat_id === undefined) return;
    for (const member of OF_NEW_AGENTS) {
      if (body[member] === undefined) continue;
      const message = 'Only a new agent accepts this; change it at /api/monitoring-chat/{chat_id}';
      context.addIssue({ code: 'custom', path: [member], message });
    }
  })
  // Zod drops examples when a function parses a part, as with plans.
  .meta({ id: 'MonitoringChatRequest', examples: EXAMPLES, override: { examples: EXAMPLES } });
export type MonitoringChatRequest = z.output<typeof MonitoringChatRequest>;

const { chat_id, title, status, reasons, active, plan_version, next_due_at } = MonitoringChatSummary.shape;

export const MonitoringChatResponse = z
  .object({
    chat_id,
    title,
    response: z.string().nullable().describe("The agent's answer; null if the plan was given."),
    status,
    reasons,
    active,
    plan: Plan,
    plan_version,
    checks: z.array(z.object({ id: z.string(), description: z.string().describe('What is checked and when.') })),
    next_due_at,
    notification_channel: AgentConfigResponse.shape.notification_channel,
    webhook_secret: AgentConfigResponse.shape.webhook_secret,
    usage: ChatResponse.shape.usage,
  })
  .meta({ id: 'MonitoringChatResponse' });
