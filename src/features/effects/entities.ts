import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';

/**
 * A side effect outside of this row's transaction, or an operation whose repetitions get the same answer: once for each
 * key.
 */
export const Effect = defineEntity({
  name: 'Effect',
  tableName: 'effects',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'key'] }],
  indexes: [
    { properties: ['ownerId', 'createdAt'] },
    { properties: ['subjectId', 'createdAt'] },
    {
      name: 'effects_expires_at_index',
      expression: `create index "effects_expires_at_index" on "effects" ("expires_at") where "expires_at" is not null`,
    },
  ],
  properties: {
    ...teamColumns,
    /** The kind of effect: `notification`, `workspace_change`. */
    kind: p.text(),
    /**
     * Derived from the intent, so that every attempt finds the same row. Sent to receivers that accept idempotency
     * keys.
     */
    key: p.text(),
    /**
     * SHA-256 of the request, hexadecimal: a different request under the same key is refused. Empty: the key determines
     * the request.
     */
    digest: p.text().default(''),
    /** What every attempt must send identically, if it cannot be recomputed. */
    payload: p.json<unknown>().strictNullable(),
    /** `failed`: given up. `skipped`: decided against, never attempted. */
    status: p.enum(['pending', 'done', 'failed', 'skipped'] as const),
    /** The newest attempt's target, if it can change between attempts. */
    target: p.json<unknown>().strictNullable(),
    /** The outcome: ids at the receiver, or the answer that a repetition gets. */
    receipt: p.json<unknown>().strictNullable(),
    /** Incremented before each attempt. */
    attempts: p.integer().default(0),
    lastError: p.text().strictNullable(),
    /** Until then, by the database's clock, no other attempt starts. */
    leasedUntil: p.datetime().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
    /** The row with which it is deleted, in any table: an agent, a draft, a run. */
    ownerId: p.uuid().strictNullable(),
    /** Its subject, by which related effects are listed: a finding, a pull request. */
    subjectId: p.uuid().strictNullable(),
    /** When the key becomes free and the row is swept away; null: it lives as long as its owner. */
    expiresAt: p.datetime().strictNullable(),
  },
});
export type Effect = InferEntity<typeof Effect>;
