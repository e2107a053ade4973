/** Lines of text files, found by `git grep`. */
import { directoryPath } from '../path.ts';
import { WorkspaceError, type SearchMatch, type SearchOptions } from '../port.ts';
import { expandedSize, hasBackReference } from './pattern.ts';
import type { Repository } from './repository.ts';
import { GitError } from '../../../platform/git/index.ts';

/** Default timeout of a search. */
export const SEARCH_TIMEOUT_MS = 5_000;
const MAX_PATTERN = 500;
/** Limit of a pattern with its intervals expanded; the matcher's memory grows with it. */
const MAX_EXPANDED = 5_000;
const OUTPUT_BYTES = 4 * 1_048_576;
const LINE_BYTES = 400;
const BEFORE_MATCH_BYTES = 120;
const NEWLINE = 0x0a;

/** @throws {WorkspaceError} when the pattern is invalid or takes longer than `timeoutMs` */
export async function searchFiles(
  repository: Repository,
  pattern: string,
  options: SearchOptions,
  timeoutMs: number,
): Promise<{ matches: SearchMatch[]; truncated: boolean }> {
  const { at, flags = '', limit, signal } = options;
  const path = directoryPath(options.path ?? '.');
  checkPattern(pattern, flags);
  const args = ['grep', '--no-color', '-n', '-z', '--column', '-I', flags.includes('F') ? '-F' : '-E'];
  for (const flag of ['i', 'w']) if (flags.includes(flag)) args.push(`-${flag}`);
  args.push('-m', String(limit + 1), '-e', pattern, at, '--', ...(path === '' ? [] : [path]));
  try {
    const { stdout, cut } = await repository.git(args, {
      timeoutMs,
      maxBytes: OUTPUT_BYTES,
      cut: true,
      accept: [1],
      signal,
    });
    const matches = parseMatches(stdout, at.length + 1, limit + 1);
    return { matches: matches.slice(0, limit), truncated: cut || matches.length > limit };
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'timeout')
      throw new WorkspaceError(
        'timeout',
        `The search took longer than ${timeoutMs / 1_000} s; use a simpler pattern or a narrower path`,
      );
    const problem = error instanceof GitError ? /^fatal: -e option, '.*': (.+)$/mu.exec(error.stderr)?.[1] : undefined;
    if (problem === undefined) throw error;
    throw new WorkspaceError('invalid', `Not a POSIX extended regular expression: ${problem}`);
  }
}

function checkPattern(pattern: string, flags: string): void {
  if (!/^(?!.*(.).*\1)[iwF]*$/u.test(flags))
    throw new WorkspaceError('invalid', 'Search flags are i, w and F, each at most once');
  if (pattern === '' || pattern.length > MAX_PATTERN)
    throw new WorkspaceError('invalid', `A pattern has 1 to ${MAX_PATTERN} characters`);
  if (/[\0\n]/u.test(pattern) || !pattern.isWellFormed())
    throw new WorkspaceError('invalid', 'A pattern matches within one line: it must not contain line breaks or NUL');
  if (flags.includes('F')) return;
  if (hasBackReference(pattern))
    throw new WorkspaceError('invalid', 'A pattern cannot refer back to what a group matched, as \\1 would');
  if (expandedSize(pattern) > MAX_EXPANDED)
    throw new WorkspaceError(
      'invalid',
      'The repetitions of the pattern multiply to a number that is too large; use smaller ones',
    );
}

/** `REVISION:PATH NUL LINE NUL COLUMN NUL TEXT newline`; drops an incomplete match at the end. */
function parseMatches(output: Buffer, prefix: number, most: number): SearchMatch[] {
  const matches: SearchMatch[] = [];
  let from = 0;
  while (matches.length < most) {
    const afterPath = output.indexOf(0, from);
    const afterLine = output.indexOf(0, afterPath + 1);
    const afterColumn = output.indexOf(0, afterLine + 1);
    const end = output.indexOf(NEWLINE, afterColumn + 1);
    if (afterPath < 0 || afterLine < 0 || afterColumn < 0 || end < 0) break;
    const column = Number(output.toString('latin1', afterLine + 1, afterColumn));
    matches.push({
      path: output.toString('utf8', from + prefix, afterPath),
      line: Number(output.toString('latin1', afterPath + 1, afterLine)),
      text: shown(output.subarray(afterColumn + 1, end), column - 1),
    });
    from = end + 1;
  }
  return matches;
}

/**
 * The line, or the surroundings of the match if it is long. Cutting within a character leaves a replacement character.
 */
function shown(line: Buffer, match: number): string {
  if (line.length <= LINE_BYTES) return line.toString('utf8');
  const from = Math.max(0, match - BEFORE_MATCH_BYTES);
  const to = Math.min(line.length, from + LINE_BYTES);
  const part = line.toString('utf8', from, to).replaceAll(/^\ufffd+|\ufffd+$/gu, '');
  return `${from > 0 ? '…' : ''}${part}${to < line.length ? '…' : ''}`;
}
