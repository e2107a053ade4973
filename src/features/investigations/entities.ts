import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Run } from '../runs/index.ts';
import { TRIGGERS } from './contract.ts';
import type { Coverage } from './coverage/compute.ts';
import type { CheckedReport } from './report/schema.ts';
import type { Traits } from './similar/traits.ts';

/** A question about a production problem and, in the end, its answer. */
export const Investigation = defineEntity({
  name: 'Investigation',
  tableName: 'investigations',
  extends: Run,
  indexes: [
    {
      name: 'investigations_search_index',
      expression: `create index "investigations_search_index" on "investigations" using gin (to_tsvector('simple', "query" || ' ' || coalesce("alert_summary", '')))`,
    },
  ],
  properties: {
    query: p.text(),
    alertSummary: p.text().strictNullable(),
    investigationText: p.text().strictNullable(),
    report: p.json<CheckedReport>().strictNullable(),
    /** What was asked and what answered; null until it has ended. */
    coverage: p.json<Coverage>().nullable(),
    trigger: p.enum(TRIGGERS),
    rerunOfId: p.uuid().strictNullable(),
    /** What similar ones are found by; null until it has ended. */
    traits: p.json<Traits>().strictNullable(),
    /** Whether people found its report right. */
    judgement: p.enum(['right', 'wrong'] as const).strictNullable(),
    judgedAt: p.datetime().strictNullable(),
    judgedByCredentialId: p.uuid().strictNullable(),
    judgedByUserId: p.uuid().strictNullable(),
  },
});
export type Investigation = InferEntity<typeof Investigation>;
