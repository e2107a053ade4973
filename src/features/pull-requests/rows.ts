/** Changes of pull requests' rows. */
import type { EntityManager } from '../../db/orm.ts';
import { forTeam } from '../../db/team-filter.ts';
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

export const readRow = (em: EntityManager, id: string): Promise<PullRequest | null> =>
  em.fork().findOne(PullRequest, { id });

/**
 * Changes a row if it still has one of these statuses.
 * @returns the row as stored afterwards; null if there is none
 */
export async function change(
  { orm, clock }: Pick<PullRequestDeps, 'orm' | 'clock'>,
  { pullRequestId: id, teamId }: PullRequestRef,
  from: readonly PullRequestStatus[],
  changes: Changes,
): Promise<PullRequest | null> {
  const em = forTeam(orm.em, teamId);
  const where = { id, status: { $in: [...from] } };
  await em.nativeUpdate(PullRequest, where, { ...changes, updatedAt: clock.now() });
  return readRow(em, id);
}
