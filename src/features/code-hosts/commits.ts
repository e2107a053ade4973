/** Commits to the default branches of connected repositories, as changes that runs see beside what the host reports. */
import pMap from 'p-map';
import { forTeam } from '../../db/team-filter.ts';
import type { Orm } from '../../db/orm.ts';
import { GitError, GitStopped } from '../../platform/git/index.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Integration, LoadChanges } from '../integrations/index.ts';
import type { Change } from '../sources/index.ts';
import { Repository } from './entities.ts';
import { log } from './mirrors/log.ts';
import type { Mirror } from './port.ts';
import { directoriesOf, nameOf } from './tools/services.ts';

const MAX_REPOSITORIES = 200;
const MAX_COMMITS = 200;
const CONCURRENCY = 4;
const TIMEOUT_MS = 10_000;

export interface CommitsDeps {
  orm: Orm;
  log: Logger;
  mirrorOf(repository: Repository): Mirror;
}

/**
 * A service is a repository of its name, or a directory of its name in one. Only first parents: a merge is one change. What
 * a mirror cannot say is left out; the host's own changes are there anyway.
 */
export function commitChanges({ orm, log: logger, mirrorOf }: CommitsDeps): LoadChanges {
  return async (row, { from, to, service }, signal) => {
    const repositories = await forTeam(orm.em, row.teamId).find(
      Repository,
      { integrationId: row.id, head: { $ne: null } },
      { orderBy: { fullName: 'asc' }, limit: MAX_REPOSITORIES },
    );
    const changes = await pMap(
      repositories,
      async (repository): Promise<Change[]> => {
        try {
          return await changesOf(row, repository, mirrorOf(repository), { from, to, service }, signal);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof GitError || error instanceof GitStopped)) throw error;
          logger.warn({ err: error, repositoryId: repository.id }, 'the commits of a mirror could not be read');
          return [];
        }
      },
      { concurrency: CONCURRENCY },
    );
    return changes
      .flat()
      .toSorted((a, b) => a.at - b.at)
      .slice(-MAX_COMMITS);
  };
}

async function changesOf(
  { family }: Integration,
  repository: Repository,
  mirror: Mirror,
  { from, to, service }: { from: number; to: number; service?: string | undefined },
  signal: AbortSignal,
): Promise<Change[]> {
  const head = repository.head!;
  const isWhole = service === undefined || service === nameOf(repository);
  const paths = isWhole ? [] : await directoriesOf(mirror, head, service, signal);
  if (!isWhole && paths.length === 0) return [];
  const window = { since: Math.floor(from), until: Math.ceil(to) };
  const query = {
    range: [head],
    paths,
    ...window,
    firstParent: true,
    limit: MAX_COMMITS,
    timeoutMs: TIMEOUT_MS,
    signal,
  };
  const { commits } = await log(mirror, query);
  return commits
    .filter(({ at }) => at >= from && at < to)
    .map(({ id, at, author, subject }) => ({
      id: `${repository.fullName}:commit:${id}`,
      at,
      kind: 'commit',
      service: service ?? nameOf(repository),
      summary: subject,
      commit: id,
      author,
      url: `${repository.webUrl}${family === 'codehost-b' ? '/-' : ''}/commit/${id}`,
    }));
}
