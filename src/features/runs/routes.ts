/** Approvals: what runs ask people for. */
import { z } from 'zod';
import { apiKey, requireOneOf } from '../../http/authenticate.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import { readableKinds, type ReadScopes } from '../transcripts/index.ts';
import { decideApproval, findApproval, listApprovals, type ApprovalDeps, type ShownApproval } from './approvals.ts';
import { ACT_SCOPE } from './kind.ts';

const endpoint = endpointFor<ApiDeps & { readScopes: ReadScopes; approvals: ApprovalDeps }>();
const tags = ['Approvals'];
const params = z.object({ approval_id: z.guid().meta({ format: 'uuid' }) });
const status = z.enum(['pending', 'approved', 'declined', 'expired', 'used']);

const ApprovalResponse = z
  .object({
    id: z.uuid(),
    run_id: z.uuid(),
    conversation_id: z.uuid().describe('Of a chat: its id.'),
    kind: z.string().describe('The kind of run that asks.'),
    tool_call_id: z.uuid(),
    tool: z.string(),
    summary: z.string().describe('The call in one line.'),
    input: z.unknown(),
    digest: z.string().describe('Hexadecimal SHA-256 of tool and input; a decision repeats it.'),
    requires: z.string().describe('The scope needed to decide, besides `chats:act`.'),
    status: status.describe('expired: nobody decided in time, or the run ended first. used: the call was made.'),
    created_at: z.string(),
    expires_at: z.string().describe('The deadline for deciding and for making the call.'),
    decided_at: z.string().nullable(),
    decided_by_user_id: z.uuid().nullable(),
    decided_by_credential_id: z.uuid().nullable(),
    used_at: z.string().nullable(),
  })
  .meta({ id: 'ApprovalResponse' });

const present = ({ approval, call }: ShownApproval, now: Date): z.input<typeof ApprovalResponse> => ({
  id: approval.id,
  run_id: approval.runId,
  conversation_id: approval.conversationId,
  kind: approval.kind,
  tool_call_id: call.id,
  tool: call.name,
  summary: call.summary,
  input: call.input,
  digest: approval.digest,
  requires: approval.requires,
  status: approval.status === 'pending' && approval.expiresAt <= now ? 'expired' : approval.status,
  created_at: approval.createdAt.toISOString(),
  expires_at: approval.expiresAt.toISOString(),
  decided_at: approval.decidedAt?.toISOString() ?? null,
  decided_by_user_id: approval.decidedByUserId,
  decided_by_credential_id: approval.decidedByCredentialId,
  used_at: approval.usedAt?.toISOString() ?? null,
});

const READING = 'Needs the scope to read the run: `chats:read` for a turn of a chat.';

const list = endpoint({
  method: 'get',
  path: '/api/approvals',
  operationId: 'listApprovals',
  summary: 'List approvals, newest first',
  description: READING,
  tags,
  auth: apiKey(),
  query: z.object({ status: status.optional(), limit: z.int().min(1).max(100).default(20) }),
  response: z.object({ approvals: z.array(ApprovalResponse) }).meta({ id: 'ApprovalListResponse' }),
  handler: async ({ query, deps, principal, em }) => {
    requireOneOf(principal, ...Object.values(deps.readScopes));
    const readable = readableKinds(deps.readScopes, principal.scopes);
    const now = deps.approvals.clock.now();
    const found = await listApprovals(em, readable, { ...query, now });
    return { approvals: found.map((shown) => present(shown, now)) };
  },
});

const detail = endpoint({
  method: 'get',
  path: '/api/approvals/{approval_id}',
  operationId: 'getApproval',
  summary: 'Get an approval with its tool call',
  description: READING,
  tags,
  auth: apiKey(),
  params,
  response: ApprovalResponse,
  errors: [404],
  handler: async ({ params: { approval_id: id }, deps, principal, em }) =>
    present(await findApproval(em, principal, deps.readScopes, id), deps.approvals.clock.now()),
});

const decide = endpoint({
  method: 'post',
  path: '/api/approvals/{approval_id}',
  operationId: 'decideApproval',
  summary: 'Approve or decline a tool call',
  description:
    'Needs `chats:act`, the scope in `requires`, and the scope to read the run. `digest` is that of the call you were shown; if the call differs, the answer is a 409 `approval_changed`. Repeating a decision changes nothing; reversing one is a 409 `approval_decided`, deciding too late `approval_expired`.',
  tags,
  auth: apiKey(ACT_SCOPE),
  params,
  body: z
    .object({ decision: z.enum(['approve', 'decline']), digest: z.string().max(100) })
    .meta({ id: 'ApprovalDecisionRequest' }),
  response: ApprovalResponse,
  errors: [404, 409],
  handler: async ({ params: { approval_id: id }, body, deps, principal, em }) => {
    const { call } = await findApproval(em, principal, deps.readScopes, id);
    const approval = await decideApproval(deps.approvals, em, principal, id, body);
    return present({ approval, call }, deps.approvals.clock.now());
  },
});

export const approvalEndpoints = [list, detail, decide];
