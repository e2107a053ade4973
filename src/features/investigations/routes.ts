import { z } from 'zod';
import { apiKey, apiKeyVia } from '../../http/authenticate.ts';
import { InvalidRequest } from '../../http/errors.ts';
import { lastEventId, sseResponse } from '../../http/streams/sse.ts';
import { endpoint } from './deps.ts';
import { loadDetail, listWithFacts } from './queries.ts';
import { runEvents } from './status/events.ts';
import { loadGraph } from './graph/load.ts';
import { InvestigationGraphResponse } from './graph/schemas.ts';
import { presentDetail, presentListed, presentSimilar, presentStatus } from './presenter.ts';
import { findSimilar } from './similar/find.ts';
import { judgeInvestigation } from './similar/judge.ts';
import {
  IdempotencyHeaders,
  InvestigateRequest,
  InvestigateResponse,
  InvestigationDetailResponse,
  InvestigationListQuery,
  InvestigationListResponse,
  InvestigationParams,
  InvestigationResponse,
  JudgementRequest,
  JudgementResponse,
  MessageRequest,
  MessageResponse,
  SimilarInvestigationsResponse,
} from './schemas.ts';
import {
  addMessage,
  cancelInvestigation,
  getInvestigation,
  rerunInvestigation,
  startInvestigation,
} from './service.ts';
import { shareEndpoints } from './shares/routes.ts';

const READ = 'investigations:read';
const WRITE = 'investigations:write';
const tags = ['Investigations'];
const MAX_SIMILAR = 10;

const investigate = endpoint({
  method: 'post',
  path: '/api/v1/investigate',
  operationId: 'investigate',
  summary: 'Start an investigation',
  description:
    'Returns at once; the investigation runs in the background. Poll it until its status is no longer processing.',
  tags,
  auth: apiKeyVia('x-api-key', WRITE),
  headers: IdempotencyHeaders,
  body: InvestigateRequest,
  response: InvestigateResponse,
  errors: [409],
  handler: async (call) => {
    const { body, headers, principal, deps } = call;
    const wanted = { query: body.query, idempotencyKey: headers['idempotency-key'] };
    const { id } = await call.queued(() => startInvestigation(deps.investigations, call.em, principal, wanted));
    return { investigation_id: id, status: 'processing' as const };
  },
});

const getStatus = endpoint({
  method: 'get',
  path: '/api/v1/investigations/{investigation_id}',
  operationId: 'getInvestigation',
  summary: 'Get the status and result of an investigation',
  tags,
  auth: apiKeyVia('x-api-key', READ),
  params: InvestigationParams,
  response: InvestigationResponse,
  errors: [404],
  handler: async (call) => {
    const { deps, principal, params } = call;
    const { row } = await deps.investigationStatus.read(principal.teamId, params.investigation_id, () => call.em);
    return presentStatus(row);
  },
});

const list = endpoint({
  method: 'get',
  path: '/api/investigations',
  operationId: 'listInvestigations',
  summary: 'List investigations, newest first',
  tags,
  auth: apiKey(READ),
  query: InvestigationListQuery,
  response: InvestigationListResponse,
  errors: [503],
  handler: async ({ query, deps, em, principal }) => {
    const { min_confidence: minConfidence, ...wanted } = query;
    const { page, count } = wanted;
    const { items, total } = await listWithFacts(em, principal.teamId, { ...wanted, minConfidence });
    return { items: items.map((one) => presentListed(one, deps.links)), page, count, total };
  },
});

const detail = endpoint({
  method: 'get',
  path: '/api/investigations/{investigation_id}',
  operationId: 'getInvestigationDetail',
  summary: 'Get an investigation in full: steps, tool calls, hypotheses, citations, usage and cost',
  tags,
  auth: apiKey(READ),
  params: InvestigationParams,
  response: InvestigationDetailResponse,
  errors: [404],
  handler: async (call) => {
    const { deps, principal, params } = call;
    const id = params.investigation_id;
    const { progress } = await deps.investigationStatus.read(principal.teamId, id, () => call.em);
    const pullRequests = await deps.pullRequestsOf(call.em, id);
    return presentDetail({ ...(await loadDetail(call.em, id)), progress, pullRequests }, deps.links);
  },
});

const graph = endpoint({
  method: 'get',
  path: '/api/investigations/{investigation_id}/graph',
  operationId: 'getInvestigationGraph',
  summary: 'Get the services around the suspect and the path of the fault',
  description: 'Based on what the investigation itself found; while it is running, on what is known so far.',
  tags,
  auth: apiKey(READ),
  params: InvestigationParams,
  response: InvestigationGraphResponse,
  errors: [404],
  handler: ({ params, em }) => loadGraph(em, params.investigation_id),
});

const events = endpoint({
  method: 'get',
  path: '/api/investigations/{investigation_id}/events',
  operationId: 'streamInvestigationEvents',
  summary: 'Stream the events of an investigation (server-sent events)',
  description:
    'Replays from the start, or from Last-Event-ID (header, or the query parameter last_event_id), then follows until the run ends. ' +
    "Deltas carry step and attempt: another turn.started of a step retracts that step's text.",
  tags,
  auth: apiKey(READ),
  params: InvestigationParams,
  query: z.object({ last_event_id: z.string().max(256).optional() }),
  content: { 'text/event-stream': 'Server-sent events.' },
  errors: [404],
  handler: async ({ params, query, principal, deps, em, ctx }) => {
    const { id } = await getInvestigation(em, params.investigation_id);
    const inHeader = lastEventId(ctx);
    const afterId = inHeader ?? query.last_event_id;
    if (afterId !== undefined && !deps.events.isValidId(afterId)) {
      throw InvalidRequest.at(
        inHeader === undefined ? ['query', 'last_event_id'] : ['header', 'last-event-id'],
        'Value should be the id of an event in this stream',
        afterId,
      );
    }
    // A client that hears of the end and then polls must not see it as still processing.
    const onEnd = (): void => deps.investigationStatus.forget(principal.teamId, id);
    return sseResponse(ctx, {
      stream: (signal) =>
        runEvents(deps.events, id, { afterId, onEnd, signal, current: () => getInvestigation(em.fork(), id) }),
    });
  },
});

const cancel = endpoint({
  method: 'post',
  path: '/api/investigations/{investigation_id}/cancel',
  operationId: 'cancelInvestigation',
  summary: 'Cancel a running investigation',
  description: 'In-flight tools are stopped. The status becomes cancelled a moment later.',
  tags,
  auth: apiKey(WRITE),
  params: InvestigationParams,
  response: InvestigationResponse,
  errors: [404, 409],
  handler: async ({ params, deps, em }) =>
    presentStatus(await cancelInvestigation(deps.investigations, em, params.investigation_id)),
});

const message = endpoint({
  method: 'post',
  path: '/api/investigations/{investigation_id}/messages',
  operationId: 'addInvestigationMessage',
  summary: 'Send a message to a running investigation',
  description: 'The next model turn reads it.',
  tags,
  auth: apiKey(WRITE),
  params: InvestigationParams,
  body: MessageRequest,
  response: MessageResponse,
  errors: [404, 409],
  handler: async ({ params, body, deps, em }) => {
    const added = await addMessage(deps.investigations, em, params.investigation_id, body.text);
    return { message_id: added.messageId, created_at: added.createdAt.toISOString() };
  },
});

const similar = endpoint({
  method: 'get',
  path: '/api/investigations/{investigation_id}/similar',
  operationId: 'listSimilarInvestigations',
  summary: 'List similar investigations',
  description:
    'Ended ones that share the service at fault, the alert or an error pattern of the log; at most ten, most similar first.',
  tags,
  auth: apiKey(READ),
  params: InvestigationParams,
  response: SimilarInvestigationsResponse,
  errors: [404],
  handler: async ({ params, em }) => {
    const { id, traits } = await getInvestigation(em, params.investigation_id);
    return presentSimilar(traits === null ? [] : await findSimilar(em, traits, { except: id, limit: MAX_SIMILAR }));
  },
});

const judge = endpoint({
  method: 'post',
  path: '/api/investigations/{investigation_id}/judgement',
  operationId: 'judgeInvestigation',
  summary: 'Rate the report right or wrong',
  description: 'Later investigations of the same fault see it. The last rating counts; null withdraws it.',
  tags,
  auth: apiKey(WRITE),
  params: InvestigationParams,
  body: JudgementRequest,
  response: JudgementResponse,
  errors: [404, 409],
  handler: async ({ params, body, deps, em, principal }) => {
    const { clock } = deps.investigations;
    const judged = await judgeInvestigation(em, clock, principal, params.investigation_id, body.judgement);
    return { judgement: judged.judgement, judged_at: judged.judgedAt?.toISOString() ?? null };
  },
});

const rerun = endpoint({
  method: 'post',
  path: '/api/investigations/{investigation_id}/rerun',
  operationId: 'rerunInvestigation',
  summary: 'Rerun an investigation as a new one',
  tags,
  auth: apiKey(WRITE),
  params: InvestigationParams,
  response: InvestigateResponse,
  errors: [404],
  handler: async (call) => {
    const { params, principal, deps } = call;
    const again = await call.queued(() =>
      rerunInvestigation(deps.investigations, call.em, principal, params.investigation_id),
    );
    return { investigation_id: again.id, status: 'processing' as const };
  },
});

export const investigationEndpoints = [
  investigate,
  getStatus,
  list,
  detail,
  graph,
  similar,
  judge,
  events,
  cancel,
  message,
  rerun,
  ...shareEndpoints,
];
