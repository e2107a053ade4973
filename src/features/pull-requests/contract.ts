/** Shared by the API, the workflow and its activities: ids and small plain JSON only. */

/** The workflow type, as exported from `workflows/index.ts`. */
export const PULL_REQUEST_WORKFLOW = 'pullRequest';

/** Derived from the row's id, so a repeated start is harmless. */
export const pullRequestWorkflowId = (id: string): string => `pull-request-${id}`;

export interface PullRequestRef {
  pullRequestId: string;
  teamId: string;
}

export interface PullRequestWorkflowInput extends PullRequestRef {
  /** How long an outage or a limit of the host is waited for, seconds. */
  outageSeconds: number;
}

/**
 * `pending` until it is open at the host. `conflict`: the change does not apply to its base any more. `failed`: the host
 * refused it. Both can be asked for again.
 */
export const STATUSES = ['pending', 'open', 'merged', 'closed', 'conflict', 'failed'] as const;
export type PullRequestStatus = (typeof STATUSES)[number];

/** The row's status afterwards; `gone` if there is no row. */
export interface PullRequestStep {
  status: PullRequestStatus | 'gone';
}
