import { randomUUID } from 'node:crypto';
import { p } from '@mikro-orm/core';

/**
 * Columns every table has. The application generates ids as random UUIDs, so a row's id is known before it is stored.
 */
export const baseColumns = {
  id: p
    .uuid()
    .primary()
    .onCreate(() => randomUUID()),
  createdAt: p.datetime().onCreate(() => new Date()),
  updatedAt: p
    .datetime()
    .onCreate(() => new Date())
    .onUpdate(() => new Date()),
};

/** Columns of a table that records who created its rows. */
export const creatorColumns = {
  /** The key, or the session if no key was used; null if no caller created the row. */
  createdByCredentialId: p.uuid().strictNullable(),
  /** The user that credential acted for; null for a program. */
  createdByUserId: p.uuid().strictNullable(),
};

/** The creator columns of a row this actor creates; without an actor, those of a row without a creator. */
export const creatorOf = ({ credentialId, userId }: { credentialId?: string; userId?: string } = {}) => ({
  createdByCredentialId: credentialId ?? null,
  createdByUserId: userId ?? null,
});

/** Columns of a table whose rows belong to one team; use together with {@link teamFilter}. */
export const teamColumns = { ...baseColumns, teamId: p.uuid().index() };

/**
 * The entity filter that keeps teams apart. It is on by default and has no default team: a query through an entity
 * manager that was not bound to a team by `forTeam` fails instead of reading every team's rows.
 */
export const teamFilter = {
  team: { name: 'team', cond: (args: { teamId: string }) => ({ teamId: args.teamId }), default: true },
};
