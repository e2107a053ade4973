/** Messages to a monitoring agent, and its answers. */
import { z } from 'zod';
import { nameField } from '../../../http/fields.ts';
import { ChatResponse } from '../../chats/index.ts';
import { NotificationChannel } from '../../notifications/index.ts';
import { CarriedOutPlan } from '../plan/parse.ts';
import { Plan } from '../plan/schema.ts';
import { AgentConfigResponse, evictionHours, modelBudget, MonitoringChatSummary } from '../schemas.ts';

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
