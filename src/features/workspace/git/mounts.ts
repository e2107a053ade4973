/**
 * What is mounted in a workspace: one small file for each mount, replaced by renaming. Several processes may write at
 * once, and a killed one leaves a state from before or after its write.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ancestors, isMirrored, workspacePath } from '../path.ts';
import { MIRRORS, WorkspaceError, type WorkspaceMount } from '../port.ts';
import { GitError, ifThere, type GitOptions } from '../../../platform/git/index.ts';
import { id, isRevision, type Repository } from './repository.ts';

/** A file name has at most 255 bytes. */
const MAX_ENCODED = 240;

export interface Mounted extends WorkspaceMount {
  /** Id of the commit's tree. */
  tree: string;
}

const folderOf = (repository: Repository): string => join(repository.path, 'casebook', 'mounts');
const fileOf = (path: string): string => encodeURIComponent(path);

/** In the order of their paths; of nested ones only the outer one. */
export async function mountsOf(repository: Repository): Promise<Mounted[]> {
  const folder = folderOf(repository);
  const names = (await ifThere(readdir(folder))) ?? [];
  const read = names
    .filter((name) => name.startsWith(fileOf(`${MIRRORS}/`)))
    // It may have been unmounted since.
    .map((name) => ifThere(readFile(join(folder, name), 'utf8')));
  const mounts = (await Promise.all(read)).flatMap((text): Mounted[] => (text === undefined ? [] : [JSON.parse(text)]));
  const paths = new Set(mounts.map(({ path }) => path));
  return mounts
    .filter(({ path }) => !ancestors(path).some((above) => paths.has(above)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** @throws {WorkspaceError} as `WorkspacePort.mount` says. @returns whether the path shows something else now */
export async function addMount(repository: Repository, mount: WorkspaceMount, signal?: AbortSignal): Promise<boolean> {
  const { objects, commit } = mount;
  const path = mountPath(mount.path);
  if (!isAbsolute(objects) || /[\n\0]/u.test(objects)) throw new TypeError('Objects are in an absolute path');
  const others = await mountsOf(repository);
  const before = others.find((other) => other.path === path);
  if (before?.commit === commit && before.objects === objects) return false;
  const near = others.find((other) => other.path.startsWith(`${path}/`) || path.startsWith(`${other.path}/`));
  if (near) throw new WorkspaceError('clash', `${path} cannot be mounted: ${near.path} is`);
  const tree = await treeOf(repository, { objects, commit }, { signal });
  const mounted: Mounted = { path, objects, commit, tree };
  const folder = folderOf(repository);
  await mkdir(folder, { recursive: true });
  const beside = join(folder, `new-${randomUUID()}`);
  await writeFile(beside, JSON.stringify(mounted), { flush: true });
  await rename(beside, join(folder, fileOf(path)));
  return true;
}

/** @returns whether it was mounted */
export async function removeMount(repository: Repository, path: string): Promise<boolean> {
  return (await ifThere(rm(join(folderOf(repository), fileOf(mountPath(path)))).then(() => true))) ?? false;
}

function mountPath(path: string): string {
  const clean = workspacePath(path);
  if (!isMirrored(clean) || clean.split('/').length < 3 || fileOf(clean).length > MAX_ENCODED)
    throw new WorkspaceError('invalid_path', `${JSON.stringify(clean)} is not a path for a repository`);
  return clean;
}

async function treeOf(
  repository: Repository,
  { objects, commit }: Pick<WorkspaceMount, 'objects' | 'commit'>,
  options: GitOptions,
): Promise<string> {
  const missing = `${JSON.stringify(commit)} is not a commit of the repository`;
  if (!isRevision(commit)) throw new WorkspaceError('unknown_revision', missing);
  try {
    const env = { GIT_OBJECT_DIRECTORY: objects };
    return id(await repository.git(['rev-parse', '--verify', '--quiet', `${commit}^{tree}`], { ...options, env }));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new WorkspaceError('unknown_revision', missing, { cause: error });
  }
}
