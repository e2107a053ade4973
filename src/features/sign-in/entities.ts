import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';

/** What signs a browser in once. The token itself is shown once and not stored. */
export const SignInLink = defineEntity({
  name: 'SignInLink',
  tableName: 'sign_in_links',
  filters: teamFilter,
  properties: {
    ...teamColumns,
    /** HMAC-SHA256 of the token, hexadecimal. */
    hash: p.string().unique(),
    /** What the session may do; null: what the role of the user allows when the link is used. */
    scopes: p.array().nullable(),
    /** Whom the session acts for; null for nobody in particular. */
    userId: p.uuid().strictNullable(),
    /** The key that made it, also through a session. The link ends with it, and so does the session. */
    createdByKeyId: p.uuid().strictNullable(),
    /** Who made it. The link ends when they leave the team. */
    createdByUserId: p.uuid().strictNullable(),
    createdInSessionId: p.uuid().strictNullable(),
    expiresAt: p.datetime(),
    usedAt: p.datetime().nullable(),
    /** HMAC-SHA256 of what the browser called its attempt, hexadecimal: it may repeat the attempt, nobody else may. */
    attemptHash: p.string().nullable(),
    /** The session it was used for. */
    sessionId: p.uuid().nullable(),
  },
});
export type SignInLink = InferEntity<typeof SignInLink>;
