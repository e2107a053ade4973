import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { creatorColumns, creatorOf, teamColumns, teamFilter } from '../../db/base.ts';
import type { Actor } from '../../http/authenticate.ts';
import type { RunBudget, RunKind, RunLimit, RunStatus } from './contract.ts';

const OPEN = `("status" in ('processing', 'awaiting_approval'))`;

/**
 * One run of the agent loop. What it carries out has the same id: an investigation and a chat's turn are rows of their own
 * tables that extend this one; an instruction check's session is a row beside it.
 */
export const Run = defineEntity({
  name: 'Run',
  tableName: 'runs',
  inheritance: 'tpt',
  filters: teamFilter,
  indexes: [
    { properties: ['teamId', 'kind', 'createdAt', 'id'] },
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
    /** What is said in it; at most one run of a conversation is open. */
    conversationId: p.uuid(),
    status: p.enum(['processing', 'awaiting_approval', 'completed', 'failed', 'cancelled'] as const).$type<RunStatus>(),
    /** The budget or limit that ended it early, if one did. */
    limitReached: p.text().$type<RunLimit>().strictNullable(),
    /** Why it failed or was cancelled, in words. */
    explanation: p.text().strictNullable(),
    idempotencyKey: p.string().strictNullable(),
    /** Of the request that made it: a key that comes with another request is refused. */
    requestDigest: p.text().strictNullable(),
    ...creatorColumns,
    /** What the credential behind it grants: each tool call is checked against it. */
    scopes: p.array(),
    /** Tools that change something outside may be called. */
    sideEffects: p.boolean().default(false),
    /** What bounds it more narrowly than the configuration. */
    budget: p.json<Partial<RunBudget>>().strictNullable(),
    /** The run that asked for it. */
    parentRunId: p.uuid().strictNullable(),
    /** Null until Temporal acknowledged the start; the sweeper looks for such rows. */
    startedAt: p.datetime().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
    cancelRequestedAt: p.datetime().strictNullable(),
  },
});
export type Run = InferEntity<typeof Run>;

/** The columns of a run that nobody has started yet. */
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
