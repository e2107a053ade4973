import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { creatorColumns, creatorOf, teamColumns, teamFilter } from '../../db/base.ts';
import type { Actor } from '../../http/authenticate.ts';
import type { RunBudget, RunKind, RunLimit, RunStatus } from './contract.ts';

const OPEN = `("status" in ('processing', 'awaiting_approval'))`;

/**
 * One run of the agent loop. It shares its id with what it carries out: investigations and chat turns have tables that
 * extend this one; an instruction check's session is a row beside it.
 */
export const Run = defineEntity({
  name: 'Run',
  tableName: 'runs',
  inheritance: 'tpt',
  filters: teamFilter,
  indexes: [
    { properties: ['teamId', 'kind', 'createdAt', 'id'] },
    { properties: ['conversationId'] },
    {
      name: 'runs_open_index',
      expression: `create index "runs_open_index" on "runs" ("kind", "created_at") where ${OPEN}`,
    },
    {
      name: 'runs_one_open_index',
      expression: `create unique index "runs_one_open_index" on "runs" ("conversation_id") where ${OPEN}`,
    },
  ],
  uniques: [{ properties: ['teamId', 'idempotencyKey', 'kind'] }],
  properties: {
    ...teamColumns,
    kind: p.enum(['investigation', 'chat', 'check'] as const).$type<RunKind>(),
    /** Its conversation, of which at most one run is open. */
    conversationId: p.uuid(),
    status: p.enum(['processing', 'awaiting_approval', 'completed', 'failed', 'cancelled'] as const).$type<RunStatus>(),
    /** The budget or limit that ended it early, if one did. */
    limitReached: p.text().$type<RunLimit>().strictNullable(),
    /** Why it failed or was cancelled, in words. */
    explanation: p.text().strictNullable(),
    /** A caller's, or one of our own: those contain a space, which the header must not. */
    idempotencyKey: p.string().strictNullable(),
    /** Digest of the request that created it; the same key with another request is refused. */
    requestDigest: p.text().strictNullable(),
    ...creatorColumns,
    /** What its credential grants; every tool call is checked against it. */
    scopes: p.array(),
    /** Whether tools with outside effects may be called. */
    sideEffects: p.boolean().default(false),
    /** Bounds that are narrower than the configured ones. */
    budget: p.json<Partial<RunBudget>>().strictNullable(),
    /** The run that started it. */
    parentRunId: p.uuid().strictNullable(),
    /** Null until Temporal acknowledged the start; the sweeper looks for such rows. */
    startedAt: p.datetime().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
    cancelRequestedAt: p.datetime().strictNullable(),
  },
});
export type Run = InferEntity<typeof Run>;

/** The columns of a run that has not started yet. */
export const newRun = <Kind extends RunKind>(kind: Kind, conversationId: string, actor: Actor) => ({
  teamId: actor.teamId,
  kind,
  conversationId,
  status: 'processing' as const,
  limitReached: null,
  explanation: null,
  idempotencyKey: null,
  requestDigest: null,
  ...creatorOf(actor),
  scopes: [...actor.scopes],
  budget: null,
  parentRunId: null,
  startedAt: null,
  finishedAt: null,
  cancelRequestedAt: null,
});

/** A person's decision on one tool call: asked for by its run, and used once. */
export const Approval = defineEntity({
  name: 'Approval',
  tableName: 'approvals',
  filters: teamFilter,
  indexes: [
    { properties: ['teamId', 'createdAt', 'id'] },
    { properties: ['conversationId'] },
    { properties: ['runId'] },
    {
      name: 'approvals_unsettled_index',
      expression: `create index "approvals_unsettled_index" on "approvals" ("created_at") where "status" = 'pending' or ("decided_at" is not null and "delivered_at" is null)`,
    },
  ],
  properties: {
    ...teamColumns,
    runId: p.uuid(),
    conversationId: p.uuid(),
    /** The kind of its run, which decides who may read it. */
    kind: p.text(),
    /** The call holds its tool, input and summary. */
    toolCallId: p.uuid().unique(),
    /** Of the call as it was shown; only that call is made. */
    digest: p.text(),
    /** The scope that deciding takes. */
    requires: p.text(),
    /** `expired`: nobody decided in time, the call came too late, or its run ended first. */
    status: p.enum(['pending', 'approved', 'declined', 'expired', 'used'] as const),
    expiresAt: p.datetime(),
    decidedAt: p.datetime().strictNullable(),
    decidedByCredentialId: p.uuid().strictNullable(),
    decidedByUserId: p.uuid().strictNullable(),
    usedAt: p.datetime().strictNullable(),
    /** The workflow that waits. */
    workflowId: p.text(),
    /** Null until Temporal acknowledged the signal; the sweeper looks for such rows. */
    deliveredAt: p.datetime().strictNullable(),
  },
});
export type Approval = InferEntity<typeof Approval>;
