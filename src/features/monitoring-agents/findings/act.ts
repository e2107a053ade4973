/** What people do with findings: committed with its record, then signalled to the finding's workflow. */
import { LockMode } from '@mikro-orm/core';
import { creatorOf } from '../../../db/base.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { Actor } from '../../../http/authenticate.ts';
import { Conflict, InvalidRequest } from '../../../http/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import { Credential, Membership } from '../../identity/index.ts';
import { Finding, FindingAct } from '../entities.ts';
import { noSuchFinding } from '../errors.ts';
import type { ActKind } from './act-kinds.ts';
import { notifyFindings, type FindingNotifier } from './launch.ts';
import { findPresent } from './queries.ts';
import { isAnyFailing } from './reduce.ts';
import { lockFindings } from './rows.ts';

/** The longest mute: longer ones are forgotten faults. */
const MAX_MUTE_MS = 90 * 86_400_000;

/** What somebody wants. */
export type WantedAct = { comment?: string } & (
  | { act: 'acknowledge'; acknowledged: boolean }
  | { act: 'close' }
  | { act: 'mute'; until: Date | null }
  | { act: 'assign'; userId: string | null }
  | { act: 'comment'; idempotencyKey?: string }
);

export interface ActDeps {
  clock: Clock;
  findings: FindingNotifier;
}

/**
 * Carries out what somebody wants with a finding, and records it. Wanting what is so already changes nothing, so that a
 * request may be repeated.
 * @param em bound to the actor's team
 * @throws {NotFound}
 * @throws {Conflict} `finding_closed`, `finding_not_confirmed`, `idempotency_key_reused`
 * @throws {InvalidRequest} for a time that is over or too far away, and for an assignee who is not in the team
 */
export async function actOnFinding(
  deps: ActDeps,
  em: EntityManager,
  actor: Actor,
  findingId: string,
  wanted: WantedAct,
  via: FindingAct['via'] = 'api',
): Promise<void> {
  const changed = await em.fork().transactional(async (tx) => {
    const owned = await findPresent(tx, findingId);
    if (!owned) throw noSuchFinding();
    await lockFindings(tx, owned.agentId ?? owned.teamId);
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true };
    const finding = await tx.findOne(Finding, { id: findingId }, lock);
    if (!finding) throw noSuchFinding();
    const now = deps.clock.now();
    const wasMuted = finding.mutedUntil !== null && finding.mutedUntil > now;
    const name = await nameOf(tx, actor);
    const done = await carryOut(tx, finding, { actor, name, now }, wanted);
    if (!done) return undefined;
    const { id, ...columns } = done;
    tx.create(FindingAct, {
      ...(id !== undefined && { id }),
      until: null,
      assigneeUserId: null,
      assigneeName: null,
      ...columns,
      ...creatorOf(actor),
      teamId: finding.teamId,
      findingId,
      via,
      actorName: name,
      createdAt: now,
      text: wanted.comment ?? null,
      isNotified: !wasMuted || done.kind === 'unmuted',
    });
    finding.revision += 1;
    return finding;
  });
  // The answer does not wait for Temporal: the sweeper tells it what it did not accept.
  if (changed) void notifyFindings(deps.findings, [changed]);
}

type Done = { kind: ActKind; id?: string } & Partial<Pick<FindingAct, 'until' | 'assigneeUserId' | 'assigneeName'>>;

interface Acting {
  actor: Actor;
  name: string;
  now: Date;
}

/** @returns what is to be recorded; undefined when it is so already */
async function carryOut(
  tx: EntityManager,
  finding: Finding,
  acting: Acting,
  wanted: WantedAct,
): Promise<Done | undefined> {
  const { name, now } = acting;
  if (wanted.act === 'comment') return newComment(tx, finding, acting, wanted);
  if (finding.status === 'pending')
    throw new Conflict('The finding is not confirmed yet; you can only comment on it.', 'finding_not_confirmed');
  if (wanted.act === 'close' && finding.closedBy !== null) return undefined;
  if (finding.status === 'closed') throw new Conflict('The finding is closed.', 'finding_closed');
  switch (wanted.act) {
    case 'acknowledge': {
      if (wanted.acknowledged === (finding.acknowledgedAt !== null)) return undefined;
      finding.acknowledgedAt = wanted.acknowledged ? now : null;
      finding.acknowledgedBy = wanted.acknowledged ? name : null;
      return { kind: wanted.acknowledged ? 'acknowledged' : 'unacknowledged' };
    }
    case 'close': {
      // What is failing now must recover before it can open a finding again.
      tx.assign(finding, { status: 'closed', closedAt: now, closedBy: name, isHeld: isAnyFailing(finding.sources) });
      return { kind: 'closed' };
    }
    case 'mute': {
      const { until } = wanted;
      if (until !== null) checkUntil(until, now);
      if ((until?.getTime() ?? null) === (finding.mutedUntil?.getTime() ?? null)) return undefined;
      finding.mutedUntil = until;
      return until === null ? { kind: 'unmuted' } : { kind: 'muted', until };
    }
    default: {
      if (wanted.userId === finding.assigneeUserId) return undefined;
      const assignee = wanted.userId === null ? null : await memberOf(tx, wanted.userId);
      finding.assigneeUserId = assignee?.userId ?? null;
      finding.assigneeName = assignee?.name ?? null;
      if (!assignee) return { kind: 'unassigned' };
      return { kind: 'assigned', assigneeUserId: assignee.userId, assigneeName: assignee.name };
    }
  }
}

/** Comments have no state to compare with, so a repetition is recognised by its key. */
async function newComment(
  tx: EntityManager,
  { id: findingId }: Finding,
  { actor }: Acting,
  { comment, idempotencyKey }: WantedAct & { act: 'comment' },
): Promise<Done | undefined> {
  if (idempotencyKey === undefined) return { kind: 'commented' };
  const id = uuidOf(`comment ${findingId} ${actor.credentialId ?? ''} ${idempotencyKey}`);
  const earlier = await tx.findOne(FindingAct, { id });
  if (!earlier) return { kind: 'commented', id };
  if (earlier.text === comment) return undefined;
  throw new Conflict('This Idempotency-Key was already used for a different request.', 'idempotency_key_reused');
}

function checkUntil(until: Date, now: Date): void {
  const path = ['body', 'until'];
  if (until <= now) throw InvalidRequest.at(path, 'Value should be in the future', until.toISOString());
  if (until.getTime() - now.getTime() > MAX_MUTE_MS)
    throw InvalidRequest.at(path, 'Value should be at most 90 days from now', until.toISOString());
}

/** Locked until the assignment is committed, so that nobody is assigned who is being removed. */
async function memberOf(tx: EntityManager, userId: string): Promise<Membership> {
  const member = await tx.findOne(Membership, { userId }, { lockMode: LockMode.PESSIMISTIC_READ });
  if (!member) throw InvalidRequest.at(['body', 'user_id'], 'Member not found in the team', userId);
  return member;
}

/** The name by which the team knows an actor. */
async function nameOf(em: EntityManager, { userId, credentialId }: Actor): Promise<string> {
  if (userId !== undefined) {
    const member = await em.findOne(Membership, { userId });
    if (member) return member.name;
  }
  const credential = credentialId === undefined ? null : await em.findOne(Credential, { id: credentialId });
  return credential ? `API key ${credential.name}` : 'somebody';
}
