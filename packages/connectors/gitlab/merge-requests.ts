/** GitLab's merge requests as the port's pull requests. Pure. */
import { z } from 'zod';
import type { HostPullRequest } from '../shared/code-host/port.ts';

/** What marks a draft in its title: https://docs.gitlab.com/user/project/merge_requests/drafts/ */
const DRAFT = /^(?:\s*(?:\[draft\]|\(draft\)|draft:)\s*)+/iu;

export const mergeRequest = z.object({
  iid: z.number().int(),
  web_url: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  source_branch: z.string(),
  target_branch: z.string(),
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  draft: z.boolean().default(false),
  /** Null if the source branch is gone. */
  sha: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
  merged_at: z.string().nullish(),
  author: z.object({ username: z.string() }).nullish(),
  detailed_merge_status: z.string().nullish(),
  head_pipeline: z.object({ status: z.string() }).nullish(),
});
type MergeRequest = z.output<typeof mergeRequest>;

export const approvals = z.object({ approved_by: z.array(z.unknown()).default([]) });

export const draftTitle = (title: string, isDraft: boolean): string => {
  const bare = title.replace(DRAFT, '');
  return isDraft ? `Draft: ${bare}` : bare;
};

/** Fast-forwarded, a merge request has no commit of its own: its head is on the target branch. */
export const mergeCommitOf = (found: MergeRequest): string | null =>
  found.state === 'merged' ? (found.merge_commit_sha ?? found.squash_commit_sha ?? found.sha ?? null) : null;

const CHECKS: Readonly<Record<string, HostPullRequest['checks']>> = {
  success: 'passing',
  failed: 'failing',
  canceled: 'failing',
  canceling: 'failing',
  skipped: 'none',
};

const checksOf = ({ head_pipeline: pipeline }: MergeRequest): HostPullRequest['checks'] =>
  pipeline ? (CHECKS[pipeline.status] ?? 'pending') : 'none';

function reviewOf(found: MergeRequest, { approved_by }: z.output<typeof approvals>): HostPullRequest['review'] {
  if (found.detailed_merge_status === 'requested_changes') return 'changes_requested';
  return approved_by.length > 0 ? 'approved' : 'none';
}

export const pullRequestOf = (found: MergeRequest, approved: z.output<typeof approvals>): HostPullRequest => ({
  number: found.iid,
  url: found.web_url,
  title: found.draft ? draftTitle(found.title, false) : found.title,
  body: found.description ?? '',
  head: found.source_branch,
  base: found.target_branch,
  // Locked while it is being merged.
  state: found.state === 'opened' || found.state === 'locked' ? 'open' : found.state,
  isDraft: found.draft,
  headCommit: found.sha ?? '',
  mergeCommit: mergeCommitOf(found),
  checks: checksOf(found),
  review: reviewOf(found, approved),
});
