import type { z } from 'zod';
import type { PullRequest } from './entities.ts';
import type { CreatePRResponse, PullRequestResponse } from './schemas.ts';

const follow = (id: string): string => `/api/pull-requests/${id}`;

/** What `POST` answers. */
export function presentCreated(row: PullRequest): z.input<typeof CreatePRResponse> {
  const { id, status, url, number, repository, branch, base, isDraft: draft, error } = row;
  return { status, pull_request_id: id, url, number, repository, branch, base, draft, error, follow: follow(id) };
}

export function presentPullRequest(row: PullRequest): z.input<typeof PullRequestResponse> {
  const { origin, createdInConversationId: conversation } = row;
  return {
    ...presentCreated(row),
    title: row.title,
    commit: row.commit,
    checks: row.checks,
    review: row.review,
    merge_commit: row.mergeCommit,
    merged_at: row.mergedAt?.toISOString() ?? null,
    conflicts: row.conflicts ?? [],
    investigation_id: origin === 'investigation' ? conversation : null,
    chat_id: origin === 'chat' ? conversation : null,
    tool_call_id: row.toolCallId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
