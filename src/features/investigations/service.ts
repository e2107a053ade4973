import { randomUUID } from 'node:crypto';
import { LockMode, type FilterQuery, type Loaded } from '@mikro-orm/core';
import { likeLiteral } from '../../db/text-search.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { Actor } from '../../http/authenticate.ts';
import { Conflict, NotFound } from '../../http/errors.ts';
import {
  cancelRun,
  commitOnce,
  conversationStream,
  isOpen,
  launchRun,
  messageEvent,
  newRun,
  OPEN,
  requestDigest,
  type RunServiceDeps,
} from '../runs/index.ts';
import { Conversation, Message } from '../transcripts/index.ts';
import type { InvestigationStatus, InvestigationTrigger } from './contract.ts';
import { Investigation } from './entities.ts';
import { investigationRuns } from './kind.ts';
import { openingMessage } from './prompt.ts';
import type { OutcomeDeps } from './run.ts';

export type InvestigationServiceDeps = OutcomeDeps & RunServiceDeps<Investigation>;

interface NewInvestigation {
  /** Set if it must be known before the row exists. */
  id?: string;
  query: string;
  idempotencyKey?: string;
  rerunOfId?: string;
  /** Default: the person or program that asks. */
  trigger?: InvestigationTrigger;
  /** The run that asks for it. */
  parentRunId?: string;
  /** Called in the transaction that commits a new one; throwing rolls it back. */
  admit?: (tx: EntityManager) => Promise<void>;
}

/**
 * Commits an investigation and launches its workflow; the sweeper launches what Temporal does not accept: nothing
 * accepted is lost.
 * @param em bound to the actor's team
 * @returns the new investigation, or the earlier one with the same idempotency key
 * @throws {Conflict} if the idempotency key was used with another request
 */
export async function startInvestigation(
  deps: InvestigationServiceDeps,
  em: EntityManager,
  actor: Actor,
  wanted: NewInvestigation,
): Promise<Investigation> {
  const request = { key: wanted.idempotencyKey, digest: requestDigest(wanted.query) };
  const investigation = await commitOnce(em, 'investigation', request, (tx) =>
    commitInvestigation(deps, tx, actor, wanted),
  );
  // Not awaited: whoever is queued behind it must not wait for Temporal, and a failed start is repeated.
  if (investigation.startedAt === null && isOpen(investigation.status)) void launchRun(deps, investigation);
  return investigation;
}

/**
 * Creates the rows of an investigation without starting it; the caller starts the workflow afterwards, or leaves that
 * to the sweeper.
 * @param em in a transaction, bound to the actor's team
 */
export async function commitInvestigation(
  deps: Pick<InvestigationServiceDeps, 'clock'>,
  em: EntityManager,
  actor: Actor,
  wanted: NewInvestigation,
): Promise<Investigation> {
  await wanted.admit?.(em);
  const { id = randomUUID() } = wanted;
  const { teamId } = actor;
  em.create(Conversation, {
    id,
    teamId,
    kind: 'investigation',
    opening: openingMessage(wanted.query, deps.clock.now()),
    plan: [],
    result: null,
  });
  const investigation = em.create(Investigation, {
    id,
    ...newRun('investigation', id, actor),
    query: wanted.query,
    idempotencyKey: wanted.idempotencyKey ?? null,
    requestDigest: requestDigest(wanted.query),
    parentRunId: wanted.parentRunId ?? null,
    trigger: wanted.trigger ?? (actor.userId === undefined ? 'api' : 'person'),
    rerunOfId: wanted.rerunOfId ?? null,
    alertSummary: null,
    investigationText: null,
    report: null,
    coverage: null,
    traits: null,
    judgement: null,
    judgedAt: null,
    judgedByCredentialId: null,
    judgedByUserId: null,
  });
  await em.flush();
  return investigation;
}

/** @throws {NotFound} if the team has no such investigation */
export async function getInvestigation(em: EntityManager, id: string): Promise<Investigation> {
  const investigation = await em.findOne(Investigation, { id });
  if (!investigation) throw investigationNotFound();
  return investigation;
}

/** An investigation without its long texts. */
export type InvestigationRow = Loaded<Investigation, never, '*', 'report' | 'investigationText'>;

export interface InvestigationPage {
  items: InvestigationRow[];
  total: number;
}

/**
 * Newest first.
 * @param wanted.page 1-based
 * @param wanted.search text to find in the query or the finding, ignoring case
 */
export async function listInvestigations(
  em: EntityManager,
  wanted: { page: number; count: number; status?: InvestigationStatus; search?: string },
): Promise<InvestigationPage> {
  const where: FilterQuery<Investigation> = { kind: 'investigation' };
  if (wanted.status) where.status = wanted.status === 'processing' ? { $in: OPEN } : wanted.status;
  if (wanted.search) {
    const containing = { $ilike: `%${likeLiteral(wanted.search)}%` };
    where.$or = [{ query: containing }, { alertSummary: containing }];
  }
  const [items, total] = await em.findAndCount(Investigation, where, {
    orderBy: { createdAt: 'desc', id: 'desc' },
    limit: wanted.count,
    offset: (wanted.page - 1) * wanted.count,
    exclude: ['report', 'investigationText'],
  });
  return { items, total };
}

/**
 * Cancels a running investigation, including its tools. Idempotent.
 * @throws {Conflict} if it has already completed or failed
 */
export async function cancelInvestigation(
  deps: InvestigationServiceDeps,
  em: EntityManager,
  id: string,
): Promise<Investigation> {
  const investigation = await getInvestigation(em, id);
  if (investigation.status === 'cancelled') return investigation;
  if (!isOpen(investigation.status)) throw alreadyFinished(investigation.status);
  await cancelRun(deps, investigationRuns, em, investigation);
  return investigation;
}

/**
 * Adds a person's message to a running investigation; its next model turn reads it.
 * @throws {Conflict} if it has already ended
 */
export async function addMessage(
  deps: InvestigationServiceDeps,
  em: EntityManager,
  id: string,
  text: string,
): Promise<{ messageId: string; createdAt: Date }> {
  const message = await em.transactional(async (tx) => {
    // Recording the end takes these locks too: either it waits and sees this message, or this waits and sees the end.
    const lockMode = LockMode.PESSIMISTIC_READ;
    await tx.findOne(Conversation, { id }, { lockMode });
    const investigation = await tx.findOne(Investigation, { id }, { lockMode });
    if (!investigation) throw investigationNotFound();
    if (!isOpen(investigation.status)) throw alreadyFinished(investigation.status);
    return tx.create(Message, { teamId: investigation.teamId, conversationId: id, text, deliveredStep: null });
  });
  const notSignalled = (error: unknown): void =>
    // It is stored: the next turn reads and announces it, and the run does not end before that.
    deps.log.warn({ err: error, investigationId: id }, 'a stored message could not be announced at once');
  await deps.events.append(conversationStream(id), [messageEvent(message)]).catch(notSignalled);
  await deps.launcher.messageAdded(id, message.id).catch(notSignalled);
  return { messageId: message.id, createdAt: message.createdAt };
}

/** Asks the same question again, as a new investigation. */
export async function rerunInvestigation(
  deps: InvestigationServiceDeps,
  em: EntityManager,
  actor: Actor,
  id: string,
): Promise<Investigation> {
  const { query } = await getInvestigation(em, id);
  return startInvestigation(deps, em, actor, { query, rerunOfId: id, trigger: 'rerun' });
}

const investigationNotFound = (): NotFound => new NotFound('Investigation not found.');

const alreadyFinished = (status: string): Conflict =>
  new Conflict(
    `The investigation is ${status}; it can no longer be changed. Rerun it to ask again.`,
    'already_finished',
  );
