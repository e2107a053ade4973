import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';

export type Entry = Schema<'WorkspaceEntry'>;
export type WorkspaceFile = Schema<'WorkspaceFile'>;

const HISTORY_PAGE = 30;

/** Everything that changes with a commit. */
export const WORKSPACE = ['workspace'] as const;

/** One level of a directory. @param path `.` for the root */
export const treeQuery = (path: string) =>
  queryOptions({
    queryKey: [...WORKSPACE, 'tree', path],
    queryFn: ({ signal }) => dataOf(api.GET('/api/workspace/tree', { params: { query: { path } }, signal })),
    refetchInterval: ({ state }) => pollMs(state.error, false),
  });

/** @param at a commit, for the file as it was then */
export const fileQuery = (path: string, at?: string) =>
  queryOptions({
    queryKey: [...WORKSPACE, 'file', path, at],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/workspace/file', { params: { query: { path, ...(at !== undefined && { at }) } }, signal })),
    ...(at !== undefined && { staleTime: Infinity }),
  });

export const searchQuery = (pattern: string, flags: string) =>
  queryOptions({
    queryKey: [...WORKSPACE, 'search', pattern, flags],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/workspace/search', { params: { query: { pattern, flags } }, signal })),
    retry: false,
  });

export const historyQuery = (path: string) =>
  infiniteQueryOptions({
    queryKey: [...WORKSPACE, 'history', path],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/api/workspace/history', {
          params: { query: { path, limit: HISTORY_PAGE, ...(pageParam !== '' && { before: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ commits, truncated }) => (truncated ? commits.at(-1)?.id : undefined),
  });

/**
 * Writes a file.
 * @param base the id of the content it is based on; null for a file that must not exist yet
 * @throws {ApiError} 412 when it has another content by now
 */
export const writeFile = (path: string, content: string, base: string | null) =>
  dataOf(
    api.PUT('/api/workspace/file', {
      params: { query: { path }, header: base === null ? { 'if-none-match': '*' } : { 'if-match': `"${base}"` } },
      body: { content },
    }),
  );

export const deletePath = (path: string, base?: string) =>
  dataOf(
    api.DELETE('/api/workspace/file', {
      params: { query: { path }, ...(base !== undefined && { header: { 'if-match': `"${base}"` } }) },
    }),
  );
