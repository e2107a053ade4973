/** Changes of pull requests' rows, each of which their followers hear of. */
import { raw } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
import { stateEvent } from '../runs/index.ts';
import type { PullRequestRef, PullRequestStatus } from './contract.ts';
import type { PullRequestDeps } from './deps.ts';
import { PullRequest } from './entities.ts';

type Shown =
  | 'status'
  | 'commit'
  | 'number'
  | 'url'
  | 'title'
  | 'isDraft'
  | 'checks'
  | 'review'
  | 'mergeCommit'
  | 'error'
  | 'conflicts'
  | 'mergedAt'
  | 'lookAt';
export type Changes = Partial<Pick<PullRequest, Shown>>;

/** The stream of a pull request's changes. */
export const pullRequestStream = (id: string): string => `pull-request:${id}`;

export const readRow = (em: EntityManager, id: string): Promise<PullRequest | null> =>
  em.fork().findOne(PullRequest, { id });

/**
 * Changes a row if it still has one of these statuses, and notifies its followers. A follower that misses the event,
 * because of a crash in between, sees the row as it is when it next reads it.
 * @returns the row as stored afterwards; null if there is none
 */
export async function change(
  { orm, events, clock }: Pick<PullRequestDeps, 'orm' | 'events' | 'clock'>,
  { pullRequestId: id, teamId }: PullRequestRef,
  from: readonly PullRequestStatus[],
  changes: Changes,
): Promise<PullRequest | null> {
  const em = forTeam(orm.em, teamId);
  const updated = await em.nativeUpdate(
    PullRequest,
    { id, status: { $in: [...from] } },
    { ...changes, revision: raw('revision + 1'), updatedAt: clock.now() },
  );
  const row = await readRow(em, id);
  if (row && updated > 0) await events.append(pullRequestStream(id), [changeEvent(row)]);
  return row;
}

/** Equal for equal revisions, whoever appends it. */
export const changeEvent = ({ id, revision, status, number, checks, review }: PullRequest) =>
  stateEvent('pull_request.changed', `revision:${revision}`, { id, revision, status, number, checks, review });
