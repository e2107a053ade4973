import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../../db/base.ts';

/** A read-only link to a report. Its token, label, origin and end are those of the credential with the same id. */
export const InvestigationShare = defineEntity({
  name: 'InvestigationShare',
  tableName: 'investigation_shares',
  filters: teamFilter,
  properties: {
    ...teamColumns,
    investigationId: p.uuid().index(),
    /** How often it was opened. */
    opened: p.integer(),
    lastOpenedAt: p.datetime().strictNullable(),
  },
});
export type InvestigationShare = InferEntity<typeof InvestigationShare>;
