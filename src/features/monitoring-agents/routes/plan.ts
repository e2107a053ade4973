/** An agent's plan: the current one, its versions, and changes to it. */
import { apiKey } from '../../../http/authenticate.ts';
import { monitoringAgentWorkflowId } from '../contract.ts';
import { MonitoringPlanVersion } from '../entities.ts';
import { invalidPlan } from '../plan/parse.ts';
import { presentPlan, presentVersions } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { changePlan, findAgent, PlanRefused, tryPlan } from '../service.ts';
import { planOf } from '../agent/settings.ts';
import { monitoringEndpoint as endpoint, READ, tags, WRITE } from './deps.ts';

export const getPlan = endpoint({
  method: 'get',
  path: '/api/monitoring-chat/{chat_id}/plan',
  operationId: 'getMonitoringPlan',
  summary: 'Get the plan of a monitoring agent with the status of each check',
  description: 'The running workflow answers; the database does if no worker answers within a second.',
  tags,
  auth: apiKey(READ),
  params: schemas.AgentParams,
  response: schemas.MonitoringPlanResponse,
  errors: [404],
  handler: async ({ em, deps, params }) => {
    const agent = await findAgent(em, params.chat_id);
    const answer = await deps.agentStates.read(monitoringAgentWorkflowId(agent.id));
    // A change that has not reached the workflow yet takes precedence.
    const state = answer && answer.settings.revision >= agent.revision ? answer : undefined;
    const plan = await planOf(em, agent.id, state?.settings.planVersion ?? agent.planVersion);
    return presentPlan(agent, plan, state, deps.clock.now());
  },
});

export const updatePlan = endpoint({
  method: 'patch',
  path: '/api/monitoring-chat/{chat_id}/plan',
  operationId: 'updateMonitoringPlan',
  summary: 'Change the plan of a monitoring agent, pause or resume it',
  description:
    'Takes effect at once: running checks that were changed or removed are stopped, and new or changed ones run. An invalid plan ' +
    'is refused with every reason, and nothing changes.',
  tags,
  auth: apiKey(WRITE),
  params: schemas.AgentParams,
  query: schemas.UpdatePlanQuery,
  body: schemas.UpdatePlanRequest,
  response: schemas.MonitoringPlanResponse,
  errors: [404, 409],
  handler: async ({ em, deps, params, query, body, principal }) => {
    const { plan, replace, active, version, reason = 'Changed through the API.' } = body;
    const change = { agentId: params.chat_id, baseVersion: version, active, reason };
    const wanted = plan === undefined ? change : { ...change, ...(replace ? { plan } : { patch: plan }) };
    try {
      const changed = query.dry_run
        ? await tryPlan(em, wanted)
        : await changePlan(deps.monitoring, em, principal, wanted);
      return presentPlan(changed.agent, changed.plan, undefined, deps.clock.now());
    } catch (error) {
      throw error instanceof PlanRefused ? invalidPlan(error.problems, ['body', 'plan']) : error;
    }
  },
});

export const listVersions = endpoint({
  method: 'get',
  path: '/api/monitoring-chat/{chat_id}/plan/versions',
  operationId: 'listMonitoringPlanVersions',
  summary: 'List the versions of a plan, newest first: who changed what, and why',
  tags,
  auth: apiKey(READ),
  params: schemas.AgentParams,
  query: schemas.PageQuery,
  response: schemas.PlanVersionListResponse,
  errors: [404],
  handler: async ({ em, params, query: { page, count } }) => {
    const { id: agentId } = await findAgent(em, params.chat_id);
    const [versions, total] = await em.findAndCount(
      MonitoringPlanVersion,
      { agentId },
      { orderBy: { version: 'desc' }, limit: count + 1, offset: (page - 1) * count },
    );
    return { versions: presentVersions(versions, count), page, count, total };
  },
});
