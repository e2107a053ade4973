/** Opens pull requests on request: commits the row, starts its workflow, and waits a while for the host. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CodeHostError } from '@casebook/connectors';
import { creatorOf } from '../../db/base.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { Actor } from '../../http/authenticate.ts';
import { NotFound } from '../../http/errors.ts';
import { Chat } from '../chats/index.ts';
import type { Repository } from '../code-hosts/index.ts';
import { Investigation } from '../investigations/index.ts';
import type { PullRequestDeps } from './deps.ts';
import { PullRequest } from './entities.ts';
import { changeConflicts, isArchived, noSuchBranch, nothingProposed } from './errors.ts';
import { launch } from './launch.ts';
import { applyChange } from './proposal/apply.ts';
import { findProposal, type FoundProposal } from './proposal/find.ts';
import { ChangeRefused } from './proposal/refused.ts';
import { gitOf } from './proposal/suggestion.ts';
import { readRow } from './rows.ts';

const POLL_MS = 200;
const KEY_DIGITS = 12;

/** What the caller may choose differently from the proposal. */
export interface OpenOptions {
  repository?: string;
  base?: string;
  draft: boolean;
}

/**
 * Opens the pull request that an investigation recommends.
 * @param em bound to the actor's team
 * @returns the row, once it is no longer pending or `waitMs` have passed; an earlier request's, if it is the same one
 * @throws {NotFound} for an unknown investigation or repository; {InvalidRequest} without a proposal; {Conflict} when the
 *   change does not apply to its base any more
 */
export async function openFromInvestigation(
  deps: PullRequestDeps,
  em: EntityManager,
  actor: Actor,
  { investigationId, ...options }: OpenOptions & { investigationId: string },
  signal: AbortSignal,
): Promise<PullRequest> {
  const investigation = await em.findOne(Investigation, { id: investigationId });
  if (!investigation) throw new NotFound('Investigation not found.');
  const proposal = await findProposal(em, investigationId, investigation.report?.recommendedPr?.toolCallId);
  if (!proposal) throw nothingProposed('investigation_id', investigationId);
  return open(deps, em, actor, { origin: 'investigation', conversationId: investigationId, proposal, options }, signal);
}

/** Opens a pull request that a chat suggests, by default the newest. See {@link openFromInvestigation}. */
export async function openFromChat(
  deps: PullRequestDeps,
  em: EntityManager,
  actor: Actor,
  { chatId, toolCallId, ...options }: OpenOptions & { chatId: string; toolCallId?: string },
  signal: AbortSignal,
): Promise<PullRequest> {
  if (!(await em.findOne(Chat, { id: chatId }))) throw new NotFound('Chat not found.');
  const proposal = await findProposal(em, chatId, toolCallId);
  if (!proposal)
    throw toolCallId === undefined ? nothingProposed('chat_id', chatId) : nothingProposed('tool_call_id', toolCallId);
  return open(deps, em, actor, { origin: 'chat', conversationId: chatId, proposal, options }, signal);
}

interface Wanted {
  origin: PullRequest['origin'];
  conversationId: string;
  proposal: FoundProposal;
  options: OpenOptions;
}

async function open(
  deps: PullRequestDeps,
  em: EntityManager,
  actor: Actor,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<PullRequest> {
  const { proposal, options } = wanted;
  const repository = await deps.codeHosts.find(em, options.repository ?? proposal.suggestion.repository);
  const base = options.base ?? proposal.suggestion.base;
  const key = keyOf(proposal.toolCallId, repository, base);
  const earlier = await em.fork().findOne(PullRequest, { key });
  if (!earlier || mayBeRepeated(earlier)) {
    if (repository.isArchived) throw isArchived(repository.fullName);
    await assertApplies(deps, repository, base, proposal, signal);
  }
  const row = earlier
    ? await openAgain(deps, em, earlier, options.draft)
    : await commit(em, actor, wanted, { repository, base, key });
  if (row.status === 'pending' && row.startedAt === null) await launch(deps, row);
  const settled = await untilSettled(deps, em, row, signal);
  if (settled.status === 'conflict') throw changeConflicts(base, settled.conflicts ?? []);
  return settled;
}

/** Equal for equal requests; what it decides is at the host, so it names the proposal and where it goes. */
const keyOf = (toolCallId: string, { fullName }: Repository, base: string): string =>
  createHash('sha256').update(`${toolCallId} ${fullName.toLowerCase()} ${base}`).digest('hex').slice(0, KEY_DIGITS);

const mayBeRepeated = ({ status }: PullRequest): boolean => status === 'conflict' || status === 'failed';

/** So that a conflict is reported at once, without a row; the workflow checks again on what the host has by then. */
async function assertApplies(
  { codeHosts }: PullRequestDeps,
  repository: Repository,
  base: string,
  { change }: FoundProposal,
  signal: AbortSignal,
): Promise<void> {
  const mirror = codeHosts.mirrorOf(repository);
  try {
    await applyChange(gitOf(mirror), await mirror.head(base), change, signal);
  } catch (error) {
    if (error instanceof ChangeRefused) throw changeConflicts(base, error.problems);
    if (error instanceof CodeHostError && error.reason === 'not_found') throw noSuchBranch(base);
    throw error;
  }
}

async function commit(
  em: EntityManager,
  actor: Actor,
  { origin, conversationId, proposal, options }: Wanted,
  { repository, base, key }: { repository: Repository; base: string; key: string },
): Promise<PullRequest> {
  const { suggestion, change, toolCallId } = proposal;
  const rows = em.fork();
  const row = rows.create(PullRequest, {
    teamId: actor.teamId,
    ...creatorOf(actor),
    key,
    origin,
    createdInConversationId: conversationId,
    toolCallId,
    repository: repository.fullName,
    base,
    title: suggestion.title,
    body: suggestion.body,
    change,
    isDraft: options.draft,
    branch: `casebook/${key}`,
    status: 'pending',
    commit: null,
    number: null,
    url: null,
    mergeCommit: null,
    error: null,
    conflicts: null,
    startedAt: null,
    lookAt: null,
    mergedAt: null,
  });
  try {
    await rows.flush();
    return row;
  } catch (error) {
    // Concurrent requests for the same one: the other was faster.
    const winner = await em.fork().findOne(PullRequest, { key });
    if (!winner) throw error;
    return winner;
  }
}

/** After a conflict or failure it begins anew, with the same branch. */
async function openAgain(
  { clock }: PullRequestDeps,
  em: EntityManager,
  row: PullRequest,
  isDraft: boolean,
): Promise<PullRequest> {
  if (!mayBeRepeated(row)) return row;
  const { id, attempt } = row;
  await em.nativeUpdate(
    PullRequest,
    { id, attempt, status: row.status },
    {
      status: 'pending',
      attempt: attempt + 1,
      // The branch may have been deleted since.
      commit: null,
      isDraft,
      error: null,
      conflicts: null,
      startedAt: null,
      updatedAt: clock.now(),
    },
  );
  return em.fork().findOneOrFail(PullRequest, { id });
}

/** @returns the row when it is no longer pending, or when the time is up */
async function untilSettled(
  { waitMs }: PullRequestDeps,
  em: EntityManager,
  row: PullRequest,
  signal: AbortSignal,
): Promise<PullRequest> {
  const end = performance.now() + waitMs;
  let current = row;
  while (current.status === 'pending' && performance.now() < end) {
    await sleep(POLL_MS, undefined, { signal });
    current = (await readRow(em, row.id)) ?? current;
  }
  return current;
}
