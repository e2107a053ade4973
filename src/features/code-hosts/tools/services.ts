/** Where the code of a service is: a repository of its name, or a directory of its name in one. */
import { untilReachable } from '../../../db/reach.ts';
import type { Repository } from '../entities.ts';
import type { Mirror } from '../port.ts';
import { CodeProblem, copied, type CodeCall } from './code-tool.ts';

/** Without the owner. */
export const nameOf = ({ fullName }: Pick<Repository, 'fullName'>): string =>
  fullName.slice(fullName.lastIndexOf('/') + 1);

const TREE_BYTES = 8 * 1_048_576;
const MAX_DIRECTORIES = 10;
const MAX_NAMED = 20;

export interface ServicePlace {
  repository: Repository;
  /** Directories of the service; empty: the whole repository is it. */
  directories: string[];
}

/** @throws {CodeProblem} when no repository has it, or several do */
export async function findService(call: CodeCall, service: string): Promise<ServicePlace> {
  const { codeHosts, em, signal } = call;
  const repositories = await untilReachable(() => codeHosts.list(em), signal);
  const isSame = (name: string): boolean => name.toLowerCase() === service.toLowerCase();
  const named = repositories.filter((one) => isSame(nameOf(one)));
  if (named.length === 1) return { repository: named[0]!, directories: [] };
  if (named.length > 1) throw ambiguous(service, named);
  const found: ServicePlace[] = [];
  for (const repository of repositories) {
    if (repository.syncedAt === null || repository.head === null) continue;
    const directories = await directoriesOf(copied(codeHosts, repository), repository.head, service, signal);
    if (directories.length > 0) found.push({ repository, directories });
  }
  if (found.length > 1)
    throw ambiguous(
      service,
      found.map(({ repository }) => repository),
    );
  if (found[0]) return found[0];
  throw new CodeProblem(`No connected repository is called ${service}, and none has a directory of that name.`, {
    repositories: repositories.slice(0, MAX_NAMED).map(({ fullName }) => fullName),
  });
}

const ambiguous = (service: string, some: readonly Repository[]): CodeProblem =>
  new CodeProblem(`Several repositories have a service ${service}: name one with repository, and a path.`, {
    repositories: some.slice(0, MAX_NAMED).map(({ fullName }) => fullName),
  });

/** The outermost directories of a commit that have the service's name, in any case. */
export async function directoriesOf(
  mirror: Pick<Mirror, 'git'>,
  commit: string,
  service: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const { stdout } = await mirror.git(['ls-tree', '-r', '-d', '-z', '--name-only', commit], {
    maxBytes: TREE_BYTES,
    cut: true,
    signal,
  });
  const wanted = service.toLowerCase();
  const named = stdout
    .toString('utf8')
    .split('\0')
    .filter((path) => path.slice(path.lastIndexOf('/') + 1).toLowerCase() === wanted);
  const outer = named.filter((path) => !named.some((other) => path.startsWith(`${other}/`)));
  return outer.toSorted((a, b) => a.split('/').length - b.split('/').length).slice(0, MAX_DIRECTORIES);
}
