/** Collects what is left of repositories that are no longer connected. */
import { join } from 'node:path';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import { repairEach } from '../../runs/index.ts';
import { Repository } from '../entities.ts';
import type { SyncDeps } from './sync.ts';

const BATCH = 20;

/**
 * Ends its place in the workspace, deletes the mirror, then the row: repeated after a kill at any point. Several workers may
 * do so at once. @returns how many rows it acted on
 */
export async function collectRemoved(deps: SyncDeps): Promise<number> {
  const { orm, log, workspaces, bareOf } = deps;
  const rows = await orm.em.fork().find(Repository, { integrationId: null }, { ...anyTeam, limit: BATCH });
  return repairEach(
    rows,
    async (row) => {
      const bare = bareOf(row);
      const workspace = workspaces.forTeam(row.teamId);
      const objects = join(bare.gitDir, 'objects');
      for (const mount of await workspace.mounts()) if (mount.objects === objects) await workspace.unmount(mount.path);
      await bare.remove();
      await forTeam(orm.em, row.teamId).nativeDelete(Repository, { id: row.id, integrationId: null });
    },
    {
      log,
      message: 'could not collect what is left of a repository',
      facts: ({ id: repositoryId }) => ({ repositoryId }),
    },
  );
}
