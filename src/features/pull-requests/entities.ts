import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { creatorColumns, teamColumns, teamFilter } from '../../db/base.ts';
import { STATUSES } from './contract.ts';
import type { ChangeProblem } from './proposal/refused.ts';
import type { ProposedChange } from './proposal/schema.ts';

/**
 * A pull request that somebody asked for. It keeps the whole proposal and outlives the run that made it, as the pull
 * request at the host does.
 */
export const PullRequest = defineEntity({
  name: 'PullRequest',
  tableName: 'pull_requests',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'key'] }],
  indexes: [
    { properties: ['createdInConversationId'] },
    { properties: ['teamId', 'createdAt', 'id'] },
    {
      name: 'pull_requests_look_at_index',
      expression: `create index "pull_requests_look_at_index" on "pull_requests" ("look_at") where "look_at" is not null`,
    },
    {
      name: 'pull_requests_pending_index',
      expression: `create index "pull_requests_pending_index" on "pull_requests" ("updated_at") where "status" = 'pending'`,
    },
  ],
  properties: {
    ...teamColumns,
    ...creatorColumns,
    /** Follows from proposal, repository and base, so that a repeated request finds the row. */
    key: p.text(),
    /** What the proposal was made in: that conversation, and that call of `suggest_pr`. */
    origin: p.enum(['investigation', 'chat'] as const),
    createdInConversationId: p.uuid(),
    toolCallId: p.uuid(),
    /** Full name. */
    repository: p.text(),
    base: p.text(),
    title: p.text(),
    body: p.text(),
    change: p.json<ProposedChange>(),
    isDraft: p.boolean(),
    /** `casebook/KEY`. */
    branch: p.text(),
    status: p.enum(STATUSES),
    /** From 1; incremented when it is asked for again after a conflict or failure. */
    attempt: p.integer().default(1),
    /** The commit at the head of the branch; null until the host has it. */
    commit: p.text().strictNullable(),
    /** Of the host; null until it is open there. */
    number: p.integer().strictNullable(),
    url: p.text().strictNullable(),
    checks: p.enum(['none', 'pending', 'passing', 'failing'] as const).default('none'),
    review: p.enum(['none', 'approved', 'changes_requested'] as const).default('none'),
    /** On the base branch; null until merged. */
    mergeCommit: p.text().strictNullable(),
    /** What it waits for while pending; otherwise why it failed. */
    error: p.text().strictNullable(),
    /** Where the change does not apply. */
    conflicts: p.json<ChangeProblem[]>().strictNullable(),
    /** When Temporal accepted its workflow. */
    startedAt: p.datetime().strictNullable(),
    /** When its state is next read from the host; null: not before a webhook says so. */
    lookAt: p.datetime().strictNullable(),
    mergedAt: p.datetime().strictNullable(),
  },
});
export type PullRequest = InferEntity<typeof PullRequest>;
