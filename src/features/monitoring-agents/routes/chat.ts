/** The conversation with a monitoring agent, which creates, changes and queries it. */
import type { z } from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { apiKey, type Actor } from '../../../http/authenticate.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import {
  endOfTurn,
  modelTurnsOf,
  streamTurn,
  StreamQuery,
  turnFor,
  TurnHeaders,
  usageOf,
  type NewMonitoring,
} from '../../chats/index.ts';
import { MonitoringChatRequest, MonitoringChatResponse } from '../schemas.ts';
import { describeCheck } from '../plan/describe.ts';
import { acceptedChannel, presentChannel, storeChannel } from '../../notifications/index.ts';
import { createAgent, findAgent, notifyAgent } from '../service.ts';
import { planOf } from '../agent/settings.ts';
import { healthOf } from '../agent/health.ts';
import { monitoringEndpoint as endpoint, READ, tags, WRITE, type MonitoringDeps } from './deps.ts';

export const monitoringChat = endpoint({
  method: 'post',
  path: '/api/monitoring-chat',
  operationId: 'monitoringChat',
  summary: 'Create a monitoring agent from a description, or talk to an existing one',
  description:
    'With chat_id the message goes to an existing agent, whose plan changes in conversation. With a plan the new agent starts with it, without asking a model. With stream=true it streams as POST /api/v1/chat does; ' +
    'then read the plan at /api/monitoring-chat/{chat_id}/plan. If no plan could be drafted, the answer is 502 `turn_failed` with the chat_id; the agent stays, degraded. Resuming a stream with Last-Event-ID requires `chats:read` or `monitoring:read`.',
  tags,
  auth: apiKey(WRITE),
  query: StreamQuery,
  headers: TurnHeaders,
  body: MonitoringChatRequest,
  response: MonitoringChatResponse,
  content: { 'text/event-stream': 'The turn as it happens, with stream=true.' },
  errors: [404, 409, 502, 503],
  handler: async (call) => {
    const { body, query, deps, em, principal } = call;
    const isNew = body.chat_id === undefined;
    const { monitoring, secret } = isNew ? newAgent(deps, principal, body, query.stream) : {};
    const { turn, after } = await turnFor(
      call,
      {
        purpose: 'monitor',
        messages: [{ role: 'user', content: body.message ?? body.description ?? '' }],
        chatId: body.chat_id,
        model: body.model,
        monitoring,
      },
      ['chats:read', READ],
    );
    const telling = isNew ? notifyAgent(deps.monitoring, em.fork(), turn.chatId) : undefined;
    if (query.stream) return await streamTurn(call, { turn, after }, query.include);
    const ended = turn.status === 'processing' ? await endOfTurn(call, turn) : turn;
    // With a given plan no turn has notified the workflow.
    await telling;
    const usage = usageOf(await modelTurnsOf(em.fork(), ended));
    return {
      ...(await presentAgent(em.fork(), turn.chatId, deps)),
      response: ended.text,
      webhook_secret: secret?.(),
      usage,
    };
  },
});

/** Creates the agent in the transaction that opens its chat. */
function newAgent(
  deps: MonitoringDeps,
  actor: Actor,
  body: MonitoringChatRequest,
  isStreamed: boolean,
): { monitoring: NewMonitoring; secret: () => string | undefined } {
  const { title, plan, active = true, notification_channel: given, message: _message, ...config } = body;
  const channel = given && acceptedChannel(deps.channels, given, ['notification_channel']);
  if (isStreamed && channel?.type === 'webhook' && channel.secret === undefined) {
    const loc = ['body', 'notification_channel', 'secret'];
    throw InvalidRequest.at(
      loc,
      'A generated secret is shown in the answer, which a stream does not have: provide a secret',
    );
  }
  let made: ReturnType<typeof storeChannel> | undefined;
  return {
    monitoring: {
      title,
      request: { title, plan, active, channel, ...config },
      isAnswered: plan !== undefined,
      async open(tx: EntityManager, chat) {
        made = channel && storeChannel(deps.secrets, actor.teamId, channel);
        createAgent(deps.monitoring, tx, actor, {
          id: chat.id,
          title: chat.title,
          plan,
          active,
          channel: made?.stored ?? null,
          evictionHours: body.eviction_hours,
          modelBudgetUsdPerDay: body.model_budget_usd_per_day,
        });
        await tx.flush();
      },
    },
    // A repeated request created nothing.
    secret: () => made?.generatedSecret,
  };
}

async function presentAgent(
  em: EntityManager,
  id: string,
  { clock }: MonitoringDeps,
): Promise<Omit<z.input<typeof MonitoringChatResponse>, 'response' | 'usage'>> {
  const agent = await findAgent(em, id);
  const plan = await planOf(em, id, agent.planVersion);
  return {
    chat_id: id,
    title: agent.title,
    ...healthOf(agent, clock.now()),
    active: agent.active,
    plan,
    plan_version: agent.planVersion,
    checks: plan.checks.map((check) => ({ id: check.id, description: describeCheck(check) })),
    next_due_at: agent.active ? (agent.nextDueAt?.toISOString() ?? null) : null,
    notification_channel: presentChannel(agent.channel),
  };
}
