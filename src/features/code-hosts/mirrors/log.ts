/** The commits of a repository, as Git lists them. */
import type { GitOptions, GitResult } from '../../../platform/git/index.ts';

interface Repository {
  git(args: readonly string[], options?: GitOptions): Promise<GitResult>;
}

export interface Commit {
  id: string;
  parents: string[];
  /** When it was committed, unix seconds. */
  at: number;
  author: string;
  /** The first line of the message. */
  subject: string;
  /** What it changed, compared to its first parent; empty unless asked for. */
  files: { change: string; path: string }[];
}

export interface LogQuery {
  /** Commits to begin with; `^ID` leaves out what it has. Full ids. */
  range: readonly string[];
  /** Literal. */
  paths?: readonly string[];
  /** Unix seconds, of the commit. */
  since?: number;
  until?: number;
  /** Part of the author's name or address, in any case. */
  author?: string;
  /** Part of the message, in any case. */
  message?: string;
  /** Text that the commit added or removed. */
  text?: string;
  /** Along first parents only: what came to the branch, rather than how it was made. */
  firstParent?: boolean;
  withFiles?: boolean;
  skip?: number;
  limit: number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** No field is ever empty, so that empty ones between them mean nothing. */
const FORMAT = '--format=%x00%H%x00P%P%x00T%ct%x00A%an%x00S%s%x00';
const MAX_BYTES = 16 * 1_048_576;

/** The newest first. @throws as `runGit` */
export async function log(repository: Repository, query: LogQuery): Promise<{ commits: Commit[]; truncated: boolean }> {
  const { range, paths = [], since, until, author, message, text, firstParent, withFiles, skip, limit } = query;
  const args = [
    'log',
    '-z',
    '--no-color',
    FORMAT,
    `--max-count=${limit + 1}`,
    '--fixed-strings',
    '--regexp-ignore-case',
  ];
  if (firstParent) args.push('--first-parent');
  if (since !== undefined) args.push(`--since=${isoOf(since)}`);
  if (until !== undefined) args.push(`--until=${isoOf(until)}`);
  if (author !== undefined) args.push(`--author=${author}`);
  if (message !== undefined) args.push(`--grep=${message}`);
  if (text !== undefined) args.push(`-S${text}`);
  if (skip !== undefined && skip > 0) args.push(`--skip=${skip}`);
  if (withFiles) args.push('--name-status', '--no-renames', '--diff-merges=first-parent');
  args.push(...range, '--', ...paths);
  const { timeoutMs, signal } = query;
  const options = { maxBytes: MAX_BYTES, cut: true, signal, ...(timeoutMs !== undefined && { timeoutMs }) };
  const { stdout, cut } = await repository.git(args, options);
  const commits = parse(stdout.toString('utf8'));
  return { commits: commits.slice(0, limit), truncated: cut || commits.length > limit };
}

const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** A status of files is a letter; so what looks like an id begins a commit. */
function parse(output: string): Commit[] {
  const fields = output
    .split('\0')
    .map((field) => field.replace(/^\n/u, ''))
    .filter(Boolean);
  const commits: Commit[] = [];
  for (let index = 0; index < fields.length;) {
    const field = fields[index]!;
    if (/^[0-9a-f]{40}$/u.test(field)) {
      const [parents = '', at = '', author = '', subject = ''] = fields
        .slice(index + 1, index + 5)
        .map((it) => it.slice(1));
      commits.push({
        id: field,
        parents: parents.split(' ').filter(Boolean),
        at: Number(at),
        author,
        subject,
        files: [],
      });
      index += 5;
    } else {
      commits.at(-1)?.files.push({ change: field, path: fields[index + 1] ?? '' });
      index += 2;
    }
  }
  return commits;
}
