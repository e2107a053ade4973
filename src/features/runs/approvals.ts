/**
 * A person's approval of one tool call. The row is the truth: the run asks for it and waits, the API decides on it, and
 * the call is made only if the row allows it. A signal merely ends the wait.
 */
import { createHash } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager, Orm } from '../../db/orm.ts';
import { reaching, untilReachable, type Reach } from '../../db/reach.ts';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import { requireOneOf, type Actor } from '../../http/authenticate.ts';
import { Conflict, NotFound } from '../../http/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { Conversation, readScopeOf, ToolCall, type ReadScopes } from '../transcripts/index.ts';
import {
  approvalDecidedSignal,
  isOpen,
  OPEN,
  type ApprovalRequest,
  type RequestedApproval,
  type ToolCallInput,
} from './contract.ts';
import type { WorkflowControl } from './launch.ts';
import { type Attempt, type RunDeps, ACT_SCOPE, needsApproval } from './kind.ts';
import { Approval, Run } from './entities.ts';
import { RunClosed, repairEach } from './service.ts';
import { runStream, stateEvent } from './events.ts';

export interface ApprovalDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  control: Pick<WorkflowControl, 'signal'>;
}

/** An approval with the call it is about. */
export interface ShownApproval {
  approval: Approval;
  call: ToolCall;
}

/**
 * Asks for the approval of a call. Idempotent by the call.
 * @returns how long to wait: until it expires, or not at all if there is a decision already
 * @throws {RunClosed} if the run has ended
 */
export async function requestApproval(
  deps: RunDeps,
  input: ApprovalRequest & { workflowId: string },
  attempt: Attempt,
): Promise<RequestedApproval> {
  const { conversationId, toolCallId, teamId, kind, workflowId, runId = conversationId } = input;
  const reach = reaching(deps, input, attempt);
  const [run, call] = await reach((em) =>
    Promise.all([em.findOne(Run, { id: runId }), em.findOne(ToolCall, { id: toolCallId })]),
  );
  if (!run || !call) throw new RunClosed();
  const { tools } = await untilReachable(() => deps.profiles[kind](run), attempt.signal);
  const tool = tools.get(call.name);
  // The tool is gone by now: the call itself says so.
  if (!needsApproval(tool, run, call.input)) return { waitMs: 0 };
  const now = deps.clock.now();
  const approval = await reach((em) =>
    em.transactional(async (tx) => {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const conversation = await tx.findOne(Conversation, { id: conversationId }, { lockMode });
      if (!conversation || call.step <= conversation.closedThroughStep) throw new RunClosed();
      const asked = await tx.findOne(Approval, { toolCallId });
      if (asked) return asked;
      await tx.nativeUpdate(Run, { id: runId, status: 'processing' }, { status: 'awaiting_approval', updatedAt: now });
      return tx.create(Approval, {
        teamId,
        runId,
        conversationId,
        kind,
        toolCallId,
        digest: callDigest(call.name, call.input),
        requires: tool?.requires ?? ACT_SCOPE,
        status: 'pending',
        expiresAt: new Date(now.getTime() + input.expiresInSeconds * 1000),
        decidedAt: null,
        decidedByCredentialId: null,
        decidedByUserId: null,
        usedAt: null,
        workflowId,
        deliveredAt: null,
      });
    }),
  );
  const requested = stateEvent('approval.requested', `approval:${approval.id}:requested`, {
    id: approval.id,
    toolCallId,
    expiresAt: approval.expiresAt.toISOString(),
  });
  await untilReachable(() => deps.events.append(runStream(input), [requested]), attempt.signal);
  const waitMs = approval.status === 'pending' ? Math.max(0, approval.expiresAt.getTime() - Date.now()) : 0;
  return { approvalId: approval.id, waitMs };
}

/** What the model reads about a call that was not made. */
const REFUSALS = {
  declined: 'A person declined this call: it was not made. Go on without it; do not ask for it again.',
  expired: 'Nobody approved this call in time: it was not made. Go on without it, and say what you would have done.',
  changed: 'This is not the call that was approved: it was not made.',
};

/**
 * What an approval allows at a moment, for a call with this digest. A used one allows further attempts at the same call,
 * which tools with side effects repeat under the same key.
 */
export function outcomeOf(
  approval: Pick<Approval, 'status' | 'digest' | 'expiresAt'> | null,
  digest: string,
  now: Date,
): 'used' | keyof typeof REFUSALS {
  if (!approval || approval.digest !== digest) return 'changed';
  if (approval.status === 'used' || approval.status === 'declined') return approval.status;
  return approval.status === 'approved' && now < approval.expiresAt ? 'used' : 'expired';
}

/**
 * Uses the approval of a call that is about to be made.
 * @returns why the call must not be made, for the model; undefined if it may
 */
export async function claimApproval(
  deps: RunDeps,
  input: ToolCallInput,
  { id: toolCallId, name, input: asked }: ToolCall,
  reach: Reach,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { conversationId, runId = conversationId } = input;
  const now = deps.clock.now();
  const { outcome, id } = await reach(async (em) => {
    const claimed = await em.transactional(async (tx) => {
      const approval = await tx.findOne(Approval, { toolCallId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const allowed = outcomeOf(approval, callDigest(name, asked), now);
      if (approval && allowed === 'used') approval.usedAt ??= now;
      if (approval && allowed !== 'changed') approval.status = allowed;
      return { outcome: allowed, id: approval?.id };
    });
    // After the commit: of two calls that end their wait at once, the later one sees that nobody waits any more.
    await em.execute(
      `update runs set status = 'processing', updated_at = ? where id = ? and status = 'awaiting_approval'
          and not exists (select 1 from approvals where run_id = runs.id and status = 'pending')`,
      [now, runId],
    );
    return claimed;
  }, signal);
  if (id !== undefined) {
    const status = outcome === 'used' ? 'approved' : outcome;
    const decided = stateEvent('approval.decided', `approval:${id}:decided`, { id, toolCallId, status });
    await untilReachable(() => deps.events.append(runStream(input), [decided]), signal);
  }
  return outcome === 'used' ? undefined : REFUSALS[outcome];
}

const approvalNotFound = (): NotFound => new NotFound('Approval not found.');

/**
 * An approval that the caller may read.
 * @throws {Forbidden} if the caller may not read that kind of run, {@link NotFound} if the team has no such approval
 */
export async function findApproval(
  em: EntityManager,
  actor: Actor,
  readScopes: ReadScopes,
  id: string,
): Promise<ShownApproval> {
  requireOneOf(actor, ...Object.values(readScopes));
  const approval = await em.findOne(Approval, { id });
  const call = approval && (await em.findOne(ToolCall, { id: approval.toolCallId }));
  if (!call) throw approvalNotFound();
  requireOneOf(actor, readScopeOf(readScopes, approval.kind));
  return { approval, call };
}

/**
 * The newest approvals that the caller may read.
 * @param kinds the kinds of run that the caller may read
 */
export async function listApprovals(
  em: EntityManager,
  kinds: readonly string[],
  { status, limit, now }: { status?: Approval['status']; limit: number; now: Date },
): Promise<ShownApproval[]> {
  const isOver = { status: 'pending' as const, expiresAt: { $lte: now } };
  const chosen =
    status === 'pending'
      ? { status, expiresAt: { $gt: now } }
      : status === 'expired'
        ? { $or: [{ status }, isOver] }
        : { ...(status && { status }) };
  const found = await em.find(
    Approval,
    { $and: [chosen, { kind: { $in: [...kinds] } }] },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit },
  );
  const calls = await em.find(ToolCall, { id: { $in: found.map(({ toolCallId }) => toolCallId) } });
  const byId = new Map(calls.map((call) => [call.id, call]));
  return found.flatMap((approval) => {
    const call = byId.get(approval.toolCallId);
    return call ? [{ approval, call }] : [];
  });
}

/**
 * Decides on a call, once. The same decision again changes nothing.
 * @param digest of the call that the caller was shown
 * @throws {Forbidden} without the scope of the tool
 * @throws {Conflict} when the digest differs, it was decided otherwise, or it is too late
 */
export async function decideApproval(
  deps: ApprovalDeps,
  em: EntityManager,
  actor: Actor,
  id: string,
  { decision, digest }: { decision: 'approve' | 'decline'; digest: string },
): Promise<Approval> {
  const now = deps.clock.now();
  const wanted = decision === 'approve' ? 'approved' : 'declined';
  const approval = await em.transactional(async (tx) => {
    const found = await tx.findOne(Approval, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
    if (!found) throw approvalNotFound();
    requireOneOf(actor, found.requires);
    if (found.digest !== digest)
      throw new Conflict('The tool call has changed since it was shown.', 'approval_changed');
    if (found.status === wanted || (wanted === 'approved' && found.status === 'used')) return found;
    const run = await tx.findOne(Run, { id: found.runId });
    const isLate = found.status === 'pending' && (found.expiresAt <= now || !run || !isOpen(run.status));
    if (isLate || found.status === 'expired') throw new Conflict('The approval has expired.', 'approval_expired');
    if (found.status !== 'pending')
      throw new Conflict('The approval was already decided differently.', 'approval_decided');
    found.status = wanted;
    found.decidedAt = now;
    found.decidedByCredentialId = actor.credentialId ?? null;
    found.decidedByUserId = actor.userId ?? null;
    return found;
  });
  if (approval.deliveredAt === null) {
    await deliver(deps, approval).catch((error: unknown) =>
      deps.log.warn({ err: error, approvalId: id }, 'Temporal did not accept a decision; the sweeper will deliver it'),
    );
  }
  return approval;
}

/** Ends the wait of the workflow, if there is one. @throws if Temporal did not accept the signal */
async function deliver({ orm, clock, control }: ApprovalDeps, { id, teamId, workflowId }: Approval): Promise<void> {
  await control.signal(workflowId, approvalDecidedSignal, { approvalId: id });
  const now = clock.now();
  await forTeam(orm.em, teamId).nativeUpdate(Approval, { id }, { deliveredAt: now, updatedAt: now });
}

/** How long a decision may wait for its delivery before the sweeper acts, ms. */
const GRACE_MS = 3_000;
const MAX_DELIVERED = 100;

/**
 * Delivers decisions that Temporal did not take, and closes what nobody can decide on any more, for all teams.
 * @returns how many decisions it delivered
 */
export async function sweepApprovals(deps: ApprovalDeps, graceMs = GRACE_MS): Promise<number> {
  const { orm, clock, log } = deps;
  const now = clock.now();
  await orm.em.fork().execute(
    `update approvals set status = 'expired', updated_at = ? where status = 'pending' and (expires_at <= ?
        or not exists (select 1 from runs where runs.id = approvals.run_id and runs.status = any(?)))`,
    [now, now, `{${OPEN.join(',')}}`],
  );
  const undelivered = { decidedAt: { $lt: new Date(now.getTime() - graceMs) }, deliveredAt: null };
  const found = await orm.em
    .fork()
    .find(Approval, undelivered, { ...anyTeam, limit: MAX_DELIVERED, orderBy: { createdAt: 'asc' } });
  return repairEach(found, (approval) => deliver(deps, approval), {
    log,
    message: 'a decision could not be delivered',
    facts: ({ id }) => ({ approvalId: id }),
  });
}

/** Equal for equal calls; key order does not matter, since jsonb returns its own. */
export function fingerprint(name: string, input: unknown): string {
  return createHash('sha256').update(name).update(canonicalJson(input)).digest('base64url').slice(0, 16);
}

/** Hexadecimal SHA-256 of a call, as canonical JSON of `[name, input]`: what a person approves. */
export const callDigest = (name: string, input: unknown): string =>
  createHash('sha256')
    .update(canonicalJson([name, input]))
    .digest('hex');

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    nested !== null && typeof nested === 'object' && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
}
