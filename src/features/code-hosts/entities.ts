import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';

/**
 * A repository of one of a team's code hosts, and its mirror. Rows come and go with what the host lists: whatever
 * outlives them keeps the full name.
 */
export const Repository = defineEntity({
  name: 'Repository',
  tableName: 'repositories',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'integrationId', 'hostId'] }],
  indexes: [{ properties: ['teamId', 'fullName'] }, { properties: ['dueAt'] }],
  properties: {
    ...teamColumns,
    /** Null once the host is disconnected or no longer lists it: what is left of it is to be collected. */
    integrationId: p.uuid().strictNullable(),
    /** The host's own id, which survives a renaming. */
    hostId: p.text(),
    /** `owner/name`, with the host's capitals; on GitLab an owner may be `group/subgroup`. */
    fullName: p.text(),
    defaultBranch: p.text(),
    /** Over HTTPS, without a credential. */
    cloneUrl: p.text(),
    webUrl: p.text(),
    isPrivate: p.boolean(),
    isArchived: p.boolean(),
    /** The host's id of the webhook that was registered for it. */
    webhookId: p.text().strictNullable(),
    /** The commit of the default branch in the mirror. */
    head: p.text().strictNullable(),
    /** When something last asked for the newest commits; the mirror has them if `syncedAt` is later. */
    wantedAt: p.datetime().strictNullable(),
    /** When the last successful fetch began. */
    syncedAt: p.datetime().strictNullable(),
    /** When it is next compared with its host, whether or not a webhook came. */
    dueAt: p.datetime(),
    /** Why the mirror is not there or not up to date, in words. */
    error: p.text().strictNullable(),
    /** Of the mirror. */
    sizeBytes: p.bigint('number').strictNullable(),
  },
});
export type Repository = InferEntity<typeof Repository>;
