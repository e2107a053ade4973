/** Collects what is left of repositories that are no longer connected. */
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import { repairEach } from '../../runs/index.ts';
import { Repository } from '../entities.ts';
import { hide } from './shown.ts';
import type { SyncDeps } from './sync.ts';

const BATCH = 20;

/**
 * Ends its place in the workspace, deletes the mirror, then the row: repeated after a kill at any point. Several workers may
 * do so at once. @returns how many rows it acted on
 */
export async function collectRemoved(deps: SyncDeps): Promise<number> {
  const { orm, log, bareOf } = deps;
  const rows = await orm.em.fork().find(Repository, { integrationId: null }, { ...anyTeam, limit: BATCH });
  return repairEach(
    rows,
    async (row) => {
      const bare = bareOf(row);
      const em = forTeam(orm.em, row.teamId);
      await hide(deps, em, row, bare);
      await bare.remove();
      await em.nativeDelete(Repository, { id: row.id, integrationId: null });
    },
    {
      log,
      message: 'could not collect what is left of a repository',
      facts: ({ id: repositoryId }) => ({ repositoryId }),
    },
  );
}
