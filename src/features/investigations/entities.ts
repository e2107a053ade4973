import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { creatorColumns, teamColumns, teamFilter } from '../../db/base.ts';
import type { InvestigationStatus, RunLimit } from './contract.ts';
import type { CheckedReport } from './report/schema.ts';

/** A question about a production problem, and in the end its answer. */
export const Investigation = defineEntity({
  name: 'Investigation',
  tableName: 'investigations',
  filters: teamFilter,
  indexes: [
    { properties: ['teamId', 'createdAt', 'id'] },
    { properties: ['status', 'createdAt'] },
    {
      name: 'investigations_search_index',
      expression: `create index "investigations_search_index" on "investigations" using gin (to_tsvector('simple', "query" || ' ' || coalesce("alert_summary", '')))`,
    },
  ],
  uniques: [{ properties: ['teamId', 'idempotencyKey'] }],
  properties: {
    ...teamColumns,
    query: p.text(),
    status: p.enum(['processing', 'completed', 'failed', 'cancelled'] as const).$type<InvestigationStatus>(),
    alertSummary: p.text().strictNullable(),
    investigationText: p.text().strictNullable(),
    report: p.json<CheckedReport>().strictNullable(),
    /** The budget or limit that ended the run early, if one did. */
    limitReached: p.text().$type<RunLimit>().strictNullable(),
    /** Why the run failed or was cancelled, in words. */
    explanation: p.text().strictNullable(),
    idempotencyKey: p.string().strictNullable(),
    ...creatorColumns,
    rerunOfId: p.uuid().strictNullable(),
    /** Null until Temporal acknowledged the start; the sweeper looks for such rows. */
    startedAt: p.datetime().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
    cancelRequestedAt: p.datetime().strictNullable(),
  },
});
export type Investigation = InferEntity<typeof Investigation>;
