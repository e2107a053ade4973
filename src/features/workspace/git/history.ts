/** The commits of the branch, as people see them. */
import { directoryPath, isMirrored } from '../path.ts';
import { WorkspaceError, type ChangedPath, type CommitChange, type CommitInfo, type FileHistory } from '../port.ts';
import { BRANCH, type Repository } from './repository.ts';
import { REQUEST_TRAILER, TRAILER } from './refs.ts';

/** Each followed by NUL: id, first parent, author, time in Unix seconds, message. */
const FORMAT = '--format=%H%x00%P%x00%an%x00%at%x00%B%x00';
/** Paths of one commit that are told. */
const MAX_PATHS = 500;
const KINDS: Record<string, ChangedPath['change']> = { A: 'added', D: 'deleted' };

/** The commits that changed a path, the newest first. */
export async function historyOf(
  repository: Repository,
  path: string,
  { before, limit, signal }: { before?: string; limit: number; signal?: AbortSignal },
): Promise<FileHistory> {
  const clean = directoryPath(path);
  if (isMirrored(clean))
    throw new WorkspaceError('read_only', 'The history of a mirrored repository is kept by its code host');
  const start = before === undefined ? [BRANCH] : ['--skip=1', before];
  const args = ['log', '-z', FORMAT, `--max-count=${limit + 1}`, ...start, '--', ...(clean === '' ? [] : [clean])];
  const commits = parse((await repository.git(args, { signal })).stdout).map(({ info }) => info);
  return { commits: commits.slice(0, limit), truncated: commits.length > limit };
}

/**
 * The commits after one, the oldest first.
 * @param options.until the last one; by default the newest of the branch
 * @returns undefined when there are more than `limit`, or the branch does not contain the commit
 */
export async function commitsSince(
  repository: Repository,
  after: string,
  { until = BRANCH, limit, signal }: { until?: string; limit: number; signal?: AbortSignal },
): Promise<CommitChange[] | undefined> {
  const isContained = ['merge-base', '--is-ancestor', after, until];
  const { code } = await repository.git(isContained, { accept: [1, 128], signal });
  return code === 0 ? newCommits(repository, after, { until, limit, signal }) : undefined;
}

/** {@link commitsSince} a commit that is known to be in the branch. */
export async function newCommits(
  repository: Repository,
  after: string,
  { until = BRANCH, limit, signal }: { until?: string; limit: number; signal?: AbortSignal },
): Promise<CommitChange[] | undefined> {
  const what = ['-z', '--reverse', '--no-renames', '--name-status', FORMAT, `--max-count=${limit + 1}`];
  const { stdout } = await repository.git(['log', ...what, `${after}..${until}`], { signal });
  const commits = parse(stdout);
  if (commits.length > limit) return undefined;
  return commits.map(({ info, parent, paths }) => ({
    ...info,
    parent,
    paths: paths.slice(0, MAX_PATHS),
    truncated: paths.length > MAX_PATHS,
  }));
}

interface Parsed {
  info: CommitInfo;
  parent: string;
  paths: Pick<ChangedPath, 'path' | 'change'>[];
}

/** With `-z`, NUL also ends each commit and each name; the first status comes after a line break. */
function parse(output: Buffer): Parsed[] {
  const fields = output.toString('utf8').split('\0');
  const commits: Parsed[] = [];
  for (let at = 0; at + 5 < fields.length; at++) {
    const [id = '', parents = '', author = '', seconds = '', message = ''] = fields.slice(at, at + 5);
    at += 5;
    const paths: Parsed['paths'] = [];
    while (at + 1 < fields.length && /^\n?[A-Z]$/u.test(fields[at + 1] ?? '')) {
      paths.push({ change: KINDS[fields[at + 1]?.trim() ?? ''] ?? 'modified', path: fields[at + 2] ?? '' });
      at += 2;
    }
    const info = { commit: id, author, at: new Date(Number(seconds) * 1_000), message: withoutTrailers(message) };
    commits.push({ info, parent: parents.split(' ')[0] ?? '', paths });
  }
  return commits;
}

/** The message without the lines that Casebook added for itself. */
function withoutTrailers(message: string): string {
  return message
    .split('\n')
    .filter((line) => !OWN_LINES.some((name) => line.startsWith(`${name}: `)))
    .join('\n')
    .trim();
}

const OWN_LINES = [TRAILER, REQUEST_TRAILER];
