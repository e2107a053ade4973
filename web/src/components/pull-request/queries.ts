/** Suggested changes, and the pull requests that were opened from them. */
import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';

export type PullRequest = Schema<'PullRequestResponse'>;
/** A checked change, from a report or a result of `suggest_pr`. */
export type Suggestion = Omit<Schema<'RecommendedPullRequest'>, 'evidence'>;

/** What the change was suggested in. */
export type Origin = { investigation_id: string } | { chat_id: string };

const PENDING_MS = 2_000;
/** Of a result of `suggest_pr`, whose diff is bounded. */
const RESULT_CHARACTERS = 1_000_000;

/** Opened from it, the newest first; followed while any may still change. */
export const pullRequestsQuery = (origin: Origin) =>
  queryOptions({
    queryKey: ['pull-requests', origin],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/pull-requests', { params: { query: { ...origin, count: 50 } }, signal })),
    refetchInterval: ({ state: { data, error } }) => {
      const items = data?.items ?? [];
      if (error === null && items.some(({ status }) => status === 'pending')) return PENDING_MS;
      return pollMs(
        error,
        items.some(({ status }) => status === 'open'),
      );
    },
  });

export const branchesQuery = (repository: string) =>
  queryOptions({
    queryKey: ['pull-requests', 'branches', repository],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/create-pr/branches', { params: { query: { repo: repository } }, signal })),
    staleTime: 60_000,
  });

/** The change that a call of `suggest_pr` has checked; null if the call failed. It never changes. */
export const suggestionQuery = (toolId: string) =>
  queryOptions({
    queryKey: ['pull-requests', 'suggestion', toolId],
    queryFn: async ({ signal }): Promise<Suggestion | null> => {
      const query = { offset: 0, limit: RESULT_CHARACTERS };
      const params = { path: { tool_id: toolId }, query };
      const { content } = await dataOf(api.GET('/api/tool-results/{tool_id}', { params, signal }));
      return suggestionIn(toolId, content ?? '');
    },
    staleTime: Infinity,
  });

/** @returns null for anything but a suggestion */
export function suggestionIn(toolId: string, content: string): Suggestion | null {
  try {
    const result: unknown = JSON.parse(content);
    if (!isSuggestion(result)) return null;
    return { reverts: null, diff_truncated: false, ...result, tool_call_id: toolId };
  } catch {
    // An error, or not the whole of it.
    return null;
  }
}

/** What the tool leaves out where it does not apply. */
type Optional = 'reverts' | 'diff_truncated';
type Stored = Omit<Suggestion, 'tool_call_id' | Optional> & Partial<Pick<Suggestion, Optional>>;

function isSuggestion(result: unknown): result is Stored {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'suggested_pull_request';
}

/** @throws {ApiError} 409 `change_conflicts` when the base has moved */
export function openPullRequest(origin: Origin, { tool_call_id }: Suggestion, base: string, draft: boolean) {
  const choice = { base, draft };
  return 'chat_id' in origin
    ? dataOf(api.POST('/api/create-pr/from-chat', { body: { ...origin, tool_call_id, ...choice } }))
    : dataOf(api.POST('/api/create-pr/from-investigation', { body: { ...origin, ...choice } }));
}
