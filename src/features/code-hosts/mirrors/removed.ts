/** Collects what is left of repositories that are no longer connected. */
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import { ifThere } from '../../../platform/git/index.ts';
import { isUuid } from '../../../platform/uuid.ts';
import { repairEach } from '../../runs/index.ts';
import { Repository } from '../entities.ts';
import { hide } from './shown.ts';
import type { SyncDeps } from './sync.ts';

const BATCH = 20;
/** No fetch takes as long. */
const ORPHAN_MS = 3_600_000;

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

/**
 * Deletes mirrors that have no row: a fetch may bring one back while its repository is collected. Whatever makes a young one
 * may still be at it.
 */
export async function collectOrphans({ directory, ...deps }: SyncDeps): Promise<void> {
  const before = deps.clock.now().getTime() - ORPHAN_MS;
  for (const teamId of await entriesOf(directory)) {
    if (!isUuid(teamId)) continue;
    const em = forTeam(deps.orm.em, teamId);
    const folder = join(directory, teamId);
    const names = await entriesOf(folder);
    const rows = await em.find(Repository, {}, { fields: ['id'] });
    const known = new Set(rows.map(({ id }) => `${id}.git`));
    for (const name of names) {
      const path = join(folder, name);
      const seen = known.has(name) ? undefined : await ifThere(stat(path));
      if (seen === undefined || seen.mtimeMs > before) continue;
      const id = basename(name, '.git');
      await hide(deps, em, { id, teamId }, { gitDir: path });
      await rm(path, { recursive: true, force: true });
    }
  }
}

const entriesOf = async (folder: string): Promise<string[]> => (await ifThere(readdir(folder))) ?? [];
