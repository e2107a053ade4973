import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../../db/base.ts';
import type { AgentTold } from './port.ts';

/** Something that agents were told from outside, once for each key: a repetition finds it here. */
export const MonitoringTrigger = defineEntity({
  name: 'MonitoringTrigger',
  tableName: 'monitoring_triggers',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'key'] }],
  indexes: [{ properties: ['receivedAt'] }],
  properties: {
    ...teamColumns,
    /** What a repetition has in common with it. */
    key: p.text(),
    kind: p.enum(['alert', 'deploy', 'check_now'] as const),
    /** What agents know it by: one that was told already leaves a repetition out. */
    triggerId: p.uuid(),
    /** Tells another request under the same key from a repetition. */
    digest: p.text(),
    /** What was reported, for people. */
    details: p.json<Record<string, unknown>>().default('{}'),
    receivedAt: p.datetime(),
    /** Whom it was told; null until it was told at all. */
    told: p.json<AgentTold[]>().strictNullable(),
  },
});
export type MonitoringTrigger = InferEntity<typeof MonitoringTrigger>;
