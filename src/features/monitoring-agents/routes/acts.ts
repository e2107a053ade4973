/** What people do with findings. Each answers with the finding as it then is. */
import type { EntityManager } from '../../../db/orm.ts';
import { apiKey, type Principal } from '../../../http/authenticate.ts';
import type { DeclaredError } from '../../../http/endpoint.ts';
import { noSuchFinding } from '../errors.ts';
import {
  AcknowledgeRequest,
  actOnFinding,
  AssignRequest,
  CloseRequest,
  CommentHeaders,
  CommentRequest,
  findFinding,
  FindingResponse,
  MuteRequest,
  presentFindingDetail,
  refsOf,
  type WantedAct,
} from '../findings/index.ts';
import { FindingParams } from '../schemas.ts';
import { monitoringEndpoint as endpoint, tags, WRITE, type MonitoringDeps } from './deps.ts';

const ERRORS: DeclaredError[] = [404, 409];

const shared = {
  method: 'post' as const,
  tags,
  auth: apiKey(WRITE),
  params: FindingParams,
  response: FindingResponse,
  errors: ERRORS,
};

interface ActCall {
  em: EntityManager;
  deps: MonitoringDeps;
  params: { finding_id: string };
  principal: Principal;
}

async function act({ em, deps, params, principal }: ActCall, wanted: WantedAct) {
  await actOnFinding(deps.monitoring, em, principal, params.finding_id, wanted);
  const found = await findFinding(em.fork(), params.finding_id);
  if (!found) throw noSuchFinding();
  return presentFindingDetail(found, deps.links, await refsOf(em.fork(), [found.finding]), deps.clock.now());
}

export const acknowledgeFinding = endpoint({
  ...shared,
  path: '/api/findings/{finding_id}/acknowledge',
  operationId: 'acknowledgeFinding',
  summary: 'Acknowledge or unacknowledge a finding',
  description:
    'Until the finding is closed, people are notified only when it resolves, or when it returns for longer than its cool-down.',
  body: AcknowledgeRequest,
  handler: (call) => act(call, { act: 'acknowledge', ...call.body }),
});

export const closeFinding = endpoint({
  ...shared,
  path: '/api/findings/{finding_id}/close',
  operationId: 'closeFinding',
  summary: 'Close a finding',
  description:
    'A fault that persists opens no new finding until it has recovered. Learned baselines take its values for normal from then on. Closing a closed finding changes nothing.',
  body: CloseRequest,
  handler: (call) => act(call, { act: 'close', ...call.body }),
});

export const muteFinding = endpoint({
  ...shared,
  path: '/api/findings/{finding_id}/mute',
  operationId: 'muteFinding',
  summary: 'Mute a finding until a time',
  description:
    'Everything is still recorded, and a finding that takes its place is muted too. When the mute ends, people are notified if the state has changed.',
  body: MuteRequest,
  handler: (call) => {
    const { until, comment } = call.body;
    return act(call, { act: 'mute', until: until === null ? null : new Date(until), comment });
  },
});

export const assignFinding = endpoint({
  ...shared,
  path: '/api/findings/{finding_id}/assign',
  operationId: 'assignFinding',
  summary: 'Assign a finding to a team member, or unassign it',
  body: AssignRequest,
  handler: (call) => act(call, { act: 'assign', userId: call.body.user_id, comment: call.body.comment }),
});

export const commentFinding = endpoint({
  ...shared,
  path: '/api/findings/{finding_id}/comments',
  operationId: 'commentFinding',
  summary: 'Comment on a finding, open or closed',
  headers: CommentHeaders,
  body: CommentRequest,
  handler: (call) =>
    act(call, { act: 'comment', comment: call.body.text, idempotencyKey: call.headers['idempotency-key'] }),
});
