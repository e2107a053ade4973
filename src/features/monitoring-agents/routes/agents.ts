/** Lists, deletes, pauses and resumes agents, and runs their checks. */
import { randomUUID } from 'node:crypto';
import { apiKey } from '../../../http/authenticate.ts';
import { DependencyDown, InvalidRequest } from '../../../http/errors.ts';
import { deleteAgent } from '../agent/delete.ts';
import { nothingToCheck } from '../errors.ts';
import { listAgents, withFacts, changePlan, checkNow, findAgent } from '../service.ts';
import { presentAgent } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { planOf } from '../agent/settings.ts';
import { healthOf } from '../agent/health.ts';
import { monitoringEndpoint as endpoint, READ, tags, WRITE } from './deps.ts';

export const list = endpoint({
  method: 'get',
  path: '/api/monitoring-chat/list',
  operationId: 'listMonitoringChats',
  summary: 'List monitoring agents with their status',
  tags,
  auth: apiKey(READ),
  response: schemas.MonitoringChatListResponse,
  handler: async ({ em, deps }) => {
    const now = deps.clock.now();
    const agents = await listAgents(em);
    return { chats: agents.map((each) => presentAgent(each, deps.links, now)), total: agents.length };
  },
});

export const get = endpoint({
  method: 'get',
  path: '/api/monitoring-chat/{chat_id}',
  operationId: 'getMonitoringChat',
  summary: 'Get a monitoring agent with its status',
  tags,
  auth: apiKey(READ),
  params: schemas.AgentParams,
  response: schemas.MonitoringChatSummary,
  errors: [404],
  handler: async ({ em, deps, params }) => {
    const [found] = await withFacts(em, [await findAgent(em, params.chat_id)]);
    return presentAgent(found!, deps.links, deps.clock.now());
  },
});

export const remove = endpoint({
  method: 'delete',
  path: '/api/monitoring-chat/{chat_id}',
  operationId: 'deleteMonitoringChat',
  summary: 'Delete a monitoring agent with its chat, plans, sessions and findings',
  description: 'Its workflow is cancelled; running checks are stopped. Investigations it opened are kept.',
  tags,
  auth: apiKey(WRITE),
  params: schemas.AgentParams,
  response: schemas.AgentDeletedResponse,
  errors: [404],
  handler: async ({ em, deps, params }) => {
    await deleteAgent({ ...deps.monitoring, chats: deps.chats }, em, params.chat_id);
    return { chat_id: params.chat_id, deleted: true as const };
  },
});

const toggle = (active: boolean) =>
  endpoint({
    method: 'post',
    path: `/api/monitoring-chat/{chat_id}/${active ? 'resume' : 'pause'}`,
    operationId: active ? 'resumeMonitoringChat' : 'pauseMonitoringChat',
    summary: active ? 'Resume a monitoring agent: every check runs at once' : 'Pause a monitoring agent',
    description: active
      ? 'Resuming an active agent changes nothing.'
      : 'Running checks are stopped and report nothing. Pausing a paused agent changes nothing.',
    tags,
    auth: apiKey(WRITE),
    params: schemas.AgentParams,
    response: schemas.AgentStateResponse,
    errors: [404],
    handler: async ({ em, deps, params, principal }) => {
      const change = { agentId: params.chat_id, active, reason: active ? 'Resumed.' : 'Paused.' };
      const { agent } = await changePlan(deps.monitoring, em, principal, change);
      return { chat_id: agent.id, status: healthOf(agent, deps.clock.now()).status, active: agent.active };
    },
  });

export const pause = toggle(false);
export const resume = toggle(true);

export const runNow = endpoint({
  method: 'post',
  path: '/api/monitoring-chat/{chat_id}/run',
  operationId: 'runMonitoringChecks',
  summary: 'Run checks of a monitoring agent now',
  description: 'All, or the named ones. The schedule continues as before. Sessions show the results.',
  tags,
  auth: apiKey(WRITE),
  params: schemas.AgentParams,
  body: schemas.RunChecksRequest.optional(),
  response: schemas.RunChecksResponse,
  errors: [404, 409, 503],
  handler: async ({ em, deps, params, body }) => {
    const { id, active, planVersion } = await findAgent(em, params.chat_id);
    const { checks } = await planOf(em, id, planVersion);
    const enabled = checks.filter((check) => check.enabled).map((check) => check.id);
    for (const [index, name] of (body?.checks ?? []).entries()) {
      if (enabled.includes(name)) continue;
      const known = enabled.join(', ') || 'none';
      throw InvalidRequest.at(
        ['body', 'checks', index],
        `The plan has no enabled check of this name; it has ${known}`,
        name,
      );
    }
    if (active && enabled.length === 0) throw nothingToCheck();
    const wanted = { triggerId: randomUUID(), trigger: 'now' as const, checkIds: body?.checks };
    try {
      await checkNow(deps.monitoring, em, id, wanted);
    } catch (error) {
      if (error instanceof Error && 'status' in error) throw error;
      throw new DependencyDown('The agent could not be notified to check now; try again.', 'temporal_down', {
        cause: error,
      });
    }
    return { chat_id: id, checks: body?.checks ?? enabled };
  },
});
