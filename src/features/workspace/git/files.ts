/** The files of any bare repository, such as a mirror: read-only, and without mounts. */
import type { GitFiles } from '../port.ts';
import { diffOf } from './diff.ts';
import { listEntries, readFile } from './entries.ts';
import { atRevisions, explained, type Repository } from './repository.ts';
import { searchFiles, SEARCH_TIMEOUT_MS } from './search.ts';

/**
 * @param given.path the bare repository
 * @param given.git runs Git in it, as `runGit` does
 * @param options.searchTimeoutMs 5 s by default
 */
export function gitFiles(
  given: Repository,
  { searchTimeoutMs = SEARCH_TIMEOUT_MS }: { searchTimeoutMs?: number } = {},
): GitFiles {
  const repository = explained(given);
  return {
    list: (path, options) => atRevisions(repository, [options.at], () => listEntries(repository, path, options)),
    read: (path, options) => atRevisions(repository, [options.at], () => readFile(repository, path, options)),
    search: (pattern, options) =>
      atRevisions(repository, [options.at], () => searchFiles(repository, pattern, options, searchTimeoutMs)),
    diff: (from, to, { signal } = {}) =>
      atRevisions(repository, [from, to], () => diffOf(repository, from, to, signal)),
  };
}
