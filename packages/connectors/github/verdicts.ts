/** What GitHub's words for checks, reviews and runs amount to. */
import type { HostPullRequest, HostRun } from '../shared/code-host/port.ts';

/** Of a run or a job. `requested`, `waiting` and `pending` come before `queued` or between jobs. */
export function statusOf(status: string | null): HostRun['status'] {
  if (status === 'completed') return 'completed';
  return status === 'in_progress' ? 'running' : 'queued';
}

const CONCLUSIONS: Record<string, HostRun['conclusion']> = {
  success: 'success',
  failure: 'failure',
  timed_out: 'failure',
  startup_failure: 'failure',
  cancelled: 'cancelled',
  skipped: 'skipped',
};

export const conclusionOf = (conclusion: string | null): HostRun['conclusion'] =>
  conclusion === null ? null : (CONCLUSIONS[conclusion] ?? 'other');

export interface CheckRun {
  status: string;
  conclusion: string | null;
}

const PASSED = new Set(['success', 'neutral', 'skipped']);

/**
 * Check runs and commit statuses together, as GitHub's own pages and client combine them.
 * @param statuses the last state of each context
 */
export function checksOf(runs: readonly CheckRun[], statuses: readonly string[]): HostPullRequest['checks'] {
  const each = [
    ...runs.map(({ status, conclusion }) => {
      // A stale run was given up by GitHub without a verdict.
      if (status !== 'completed' || conclusion === null || conclusion === 'stale') return 'pending';
      return PASSED.has(conclusion) ? 'passing' : 'failing';
    }),
    ...statuses.map((state) => (state === 'success' ? 'passing' : state === 'pending' ? 'pending' : 'failing')),
  ];
  return (['failing', 'pending', 'passing'] as const).find((verdict) => each.includes(verdict)) ?? 'none';
}

export interface Review {
  state: string;
  user: { id: number } | null;
}

const DECISIONS = new Set(['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']);

/** Each reviewer's last decision counts. @param reviews oldest first */
export function reviewOf(reviews: readonly Review[]): HostPullRequest['review'] {
  const last = new Map<number | undefined, string>();
  for (const { state, user } of reviews) if (DECISIONS.has(state)) last.set(user?.id, state);
  const decisions = [...last.values()];
  if (decisions.includes('CHANGES_REQUESTED')) return 'changes_requested';
  return decisions.includes('APPROVED') ? 'approved' : 'none';
}
