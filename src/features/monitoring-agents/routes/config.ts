/** An agent's channel, session retention and model budget. */
import { apiKey } from '../../../http/authenticate.ts';
import { acceptedChannel } from '../../notifications/index.ts';
import { configureAgent, testChannel } from '../agent/configure.ts';
import { presentConfig } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { findAgent } from '../service.ts';
import { monitoringEndpoint as endpoint, READ, tags, WRITE } from './deps.ts';

export const getConfig = endpoint({
  method: 'get',
  path: '/api/monitoring-chat/{chat_id}/config',
  operationId: 'getMonitoringConfig',
  summary: 'Get the channel, session retention and model budget of a monitoring agent',
  tags,
  auth: apiKey(READ),
  params: schemas.AgentParams,
  response: schemas.AgentConfigResponse,
  errors: [404],
  handler: async ({ em, params }) => presentConfig(await findAgent(em, params.chat_id)),
});

export const updateConfig = endpoint({
  method: 'patch',
  path: '/api/monitoring-chat/{chat_id}/config',
  operationId: 'updateMonitoringConfig',
  summary: 'Change the channel, session retention or model budget of a monitoring agent',
  tags,
  auth: apiKey(WRITE),
  params: schemas.AgentParams,
  body: schemas.UpdateAgentChannelRequest,
  response: schemas.AgentConfigResponse,
  errors: [404],
  handler: async ({ em, deps, params, body }) => {
    const { agent, generatedSecret } = await configureAgent(
      { ...deps.monitoring, secrets: deps.secrets },
      em,
      params.chat_id,
      {
        channel:
          body.notification_channel &&
          acceptedChannel(deps.channels, body.notification_channel, ['notification_channel']),
        evictionHours: body.eviction_hours,
        modelBudgetUsdPerDay: body.model_budget_usd_per_day,
        title: body.title,
      },
    );
    return { ...presentConfig(agent), webhook_secret: generatedSecret };
  },
});

export const testConfig = endpoint({
  method: 'post',
  path: '/api/monitoring-chat/{chat_id}/config/test',
  operationId: 'testMonitoringChannel',
  summary: 'Send a test notification',
  description:
    'Makes one attempt; the answer says whether the channel accepted it, and if not, why. At most 10 within ten minutes for one agent, then 429.',
  tags,
  auth: apiKey(WRITE),
  params: schemas.AgentParams,
  response: schemas.ChannelTestResponse,
  errors: [404],
  handler: async ({ em, deps, params, signal }) => {
    const agent = await findAgent(em, params.chat_id);
    const { notifier, clock, monitoring, links } = deps;
    return testChannel({ notifier, clock, orm: monitoring.orm, appUrl: links.appUrl }, em, agent, signal);
  },
});
