/** An agent's sessions and findings. */
import type { EntityManager } from '../../../db/orm.ts';
import { apiKey } from '../../../http/authenticate.ts';
import { noSuchFinding } from '../errors.ts';
import {
  findFinding,
  FindingListQuery,
  FindingListResponse,
  FindingResponse,
  listFindings as findingsOf,
  presentFinding,
  presentFindingDetail,
  refsOf,
  TeamFindingListQuery,
  type FindingQuery,
} from '../findings/index.ts';
import * as schemas from '../schemas.ts';
import { findAgent } from '../service.ts';
import { listSessions as sessionsOf, readSession } from '../sessions/list.ts';
import { SessionListQuery, SessionListResponse, SessionResponse } from '../sessions/schemas.ts';
import { monitoringEndpoint as endpoint, READ, tags, type MonitoringDeps } from './deps.ts';

export const listSessions = endpoint({
  method: 'get',
  path: '/api/monitoring-chat/{chat_id}/sessions',
  operationId: 'listMonitoringSessions',
  summary: "List the runs of an agent's checks, newest first",
  description: "Each run of a check is a session. Sessions are deleted after the agent's eviction hours.",
  tags,
  auth: apiKey(READ),
  params: schemas.AgentParams,
  query: SessionListQuery,
  response: SessionListResponse,
  errors: [404],
  handler: async ({ em, params, query }) => {
    const { id } = await findAgent(em, params.chat_id);
    return sessionsOf(em, id, query);
  },
});

export const getSession = endpoint({
  method: 'get',
  path: '/api/monitoring-chat/{chat_id}/sessions/{session_id}',
  operationId: 'getMonitoringSession',
  summary: 'Get a run of a check with its evidence',
  tags,
  auth: apiKey(READ),
  params: schemas.SessionParams,
  response: SessionResponse,
  errors: [404],
  handler: async ({ em, params }) => {
    const { id } = await findAgent(em, params.chat_id);
    return readSession(em, id, params.session_id);
  },
});

export const listAgentFindings = endpoint({
  method: 'get',
  path: '/api/monitoring-chat/{chat_id}/findings',
  operationId: 'listMonitoringFindings',
  summary: "List an agent's findings, newest first",
  tags,
  auth: apiKey(READ),
  params: schemas.AgentParams,
  query: FindingListQuery,
  response: FindingListResponse,
  errors: [404],
  handler: async ({ em, deps, params, query: { assignee_id: assigneeId, ...query } }) => {
    const { id: agentId } = await findAgent(em, params.chat_id);
    return pageOfFindings(em, deps, { ...query, agentId, ...(assigneeId !== undefined && { assigneeId }) });
  },
});

export const listFindings = endpoint({
  method: 'get',
  path: '/api/findings',
  operationId: 'listFindings',
  summary: 'List the findings of all agents and external alerts, newest first',
  tags,
  auth: apiKey(READ),
  query: TeamFindingListQuery,
  response: FindingListResponse,
  handler: async ({ em, deps, query }) => {
    const { chat_id: agentId, assignee_id: assigneeId, investigation_id: investigationId, ...others } = query;
    // A missing or deleted agent has none.
    return pageOfFindings(em, deps, {
      ...others,
      ...(agentId !== undefined && { agentId }),
      ...(assigneeId !== undefined && { assigneeId }),
      ...(investigationId !== undefined && { investigationId }),
    });
  },
});

export const getFinding = endpoint({
  method: 'get',
  path: '/api/findings/{finding_id}',
  operationId: 'getFinding',
  summary: 'Get a finding with its sources, evidence and notifications',
  description: 'A notification that could not be delivered says why.',
  tags,
  auth: apiKey(READ),
  params: schemas.FindingParams,
  response: FindingResponse,
  errors: [404],
  handler: async ({ em, deps, params }) => {
    const found = await findFinding(em, params.finding_id);
    if (!found) throw noSuchFinding();
    return presentFindingDetail(found, deps.links, await refsOf(em, [found.finding]), deps.clock.now());
  },
});

async function pageOfFindings(
  em: EntityManager,
  { links, clock }: Pick<MonitoringDeps, 'links' | 'clock'>,
  query: FindingQuery,
) {
  const { items, total } = await findingsOf(em, query);
  const refs = await refsOf(em, items);
  const { page, count } = query;
  return { findings: items.map((each) => presentFinding(each, links, refs, clock.now())), page, count, total };
}
