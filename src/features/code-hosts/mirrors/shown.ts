/** Where the team's workspace shows a mirror: below `repos`, by its name. */
import { join } from 'node:path';
import type { EntityManager } from '../../../db/orm.ts';
import { MIRRORS, WorkspaceError, type WorkspaceMount } from '../../workspace/index.ts';
import { Repository } from '../entities.ts';
import type { Mirror } from '../port.ts';
import type { SyncDeps } from './sync.ts';

type Deps = Pick<SyncDeps, 'workspaces' | 'clock' | 'log'>;
type Place = Pick<Mirror, 'gitDir'>;

const pathOf = (fullName: string): string => `${MIRRORS}/${fullName}`;
const objectsOf = ({ gitDir }: Place): string => join(gitDir, 'objects');

/** Shows a commit under the repository's present name, unless that name has no place or another's mirror is there. */
export async function show(
  deps: Deps,
  em: EntityManager,
  row: Repository,
  bare: Place,
  head: string | null,
): Promise<void> {
  const { id, teamId, fullName } = row;
  const path = pathOf(fullName);
  // It may have been renamed.
  await hide(deps, em, row, bare, head === null ? undefined : path);
  if (head === null) return;
  const first = await em.findOne(
    Repository,
    { fullName, integrationId: { $ne: null } },
    { fields: ['id'], orderBy: { createdAt: 'asc', id: 'asc' } },
  );
  if (first && first.id !== id) return;
  try {
    await deps.workspaces.forTeam(teamId).mount({ path, objects: objectsOf(bare), commit: head });
  } catch (error) {
    if (!(error instanceof WorkspaceError && (error.code === 'invalid_path' || error.code === 'clash'))) throw error;
    deps.log.info({ reason: error.message, repositoryId: id }, 'the workspace does not show a mirror');
  }
}

/**
 * Ends a mirror's places in the workspace. Another repository of the name is fetched next, and then shown.
 * @param kept the path of the one that stays
 */
export async function hide(
  { workspaces, clock }: Deps,
  em: EntityManager,
  { id, teamId }: Pick<Repository, 'id' | 'teamId'>,
  bare: Place,
  kept?: string,
): Promise<void> {
  const workspace = workspaces.forTeam(teamId);
  for (const { objects, path } of await workspace.mounts()) {
    if (objects !== objectsOf(bare) || path === kept) continue;
    const fullName = path.slice(pathOf('').length);
    const others = { fullName, id: { $ne: id }, integrationId: { $ne: null } };
    await em.nativeUpdate(Repository, others, { wantedAt: clock.now() });
    await workspace.unmount(path);
  }
}

/** Why the workspace does not show a mirror, in words; null if it does, or has nothing to show. Pure. */
export function whyHidden(
  { fullName, head }: Repository,
  bare: Place,
  mounts: readonly WorkspaceMount[],
): string | null {
  if (head === null || mounts.some(({ objects }) => objects === objectsOf(bare))) return null;
  return mounts.some(({ path }) => path === pathOf(fullName))
    ? 'The workspace shows another repository of this name, which was connected first.'
    : 'The workspace has no place for this name: it is too long, or within the path of another repository.';
}
