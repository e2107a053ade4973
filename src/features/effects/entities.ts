import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';

/** Something done outside of this row's transaction, or to be answered alike when it is asked for again: once for each key. */
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
    /** What sort of effect: `notification`, `workspace_change`. */
    kind: p.text(),
    /** Follows from what is wanted, so that every attempt finds the same row. Sent to receivers that take an idempotency key. */
    key: p.text(),
    /** SHA-256 of the request, hexadecimal: another request under the same key is refused. Empty: the key says it all. */
    digest: p.text().default(''),
    /** What every attempt must send alike, where that cannot be worked out again. */
    payload: p.json<unknown>().strictNullable(),
    /** `failed`: given up. `skipped`: decided against, never attempted. */
    status: p.enum(['pending', 'done', 'failed', 'skipped'] as const),
    /** Where the newest attempt went, where that can change between attempts. */
    target: p.json<unknown>().strictNullable(),
    /** What came of it: ids at the receiver, or the answer that a repetition gets. */
    receipt: p.json<unknown>().strictNullable(),
    /** Counted before they are made. */
    attempts: p.integer().default(0),
    lastError: p.text().strictNullable(),
    /** Until then, by the database's clock, nobody else attempts it. */
    leasedUntil: p.datetime().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
    /** The row with which it is deleted, of whatever table: an agent, a draft, a run. */
    ownerId: p.uuid().strictNullable(),
    /** What it is about, by which the effects of one thing are listed: a finding, a pull request. */
    subjectId: p.uuid().strictNullable(),
    /** When the key may be used anew and the row is swept away; null: it stays as long as its owner. */
    expiresAt: p.datetime().strictNullable(),
  },
});
export type Effect = InferEntity<typeof Effect>;
