import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { baseColumns, creatorColumns, teamColumns, teamFilter } from '../../db/base.ts';

/** Whoever shares investigations, keys and settings. Everything else belongs to exactly one team. */
export const Team = defineEntity({
  name: 'Team',
  tableName: 'teams',
  properties: { ...baseColumns, name: p.string() },
});
export type Team = InferEntity<typeof Team>;

/** A person; may be a member of several teams. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    ...baseColumns,
    /** In lower case. */
    email: p.string().unique(),
    name: p.string(),
  },
});
export type User = InferEntity<typeof User>;

export const ROLES = ['admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** That a user is in a team. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'userId'] }],
  properties: { ...teamColumns, userId: p.uuid(), role: p.enum(ROLES) },
});
export type Membership = InferEntity<typeof Membership>;

/** What a browser's session was made from. */
export const SIGN_IN_METHODS = ['api_key', 'link', 'oidc'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** A credential of a team: an API key, or the session of a browser. The secret itself is shown once and not stored. */
export const Credential = defineEntity({
  name: 'Credential',
  tableName: 'credentials',
  filters: teamFilter,
  indexes: [
    { properties: ['createdByCredentialId'] },
    {
      name: 'credentials_expires_at_index',
      expression: `create index "credentials_expires_at_index" on "credentials" ("expires_at") where "kind" = 'session'`,
    },
  ],
  properties: {
    ...teamColumns,
    kind: p.enum(['key', 'session'] as const).default('key'),
    /** Of a session: what its browser calls itself. */
    name: p.string(),
    /** How the key begins, to recognise it by. */
    prefix: p.string(),
    /** HMAC-SHA256 of the key, hexadecimal. */
    hash: p.string().unique(),
    scopes: p.array(),
    /** Whom the key acts for; null for a program. */
    userId: p.uuid().nullable(),
    /** A session ends with the key that made it. */
    ...creatorColumns,
    /** Of a session. */
    signedInWith: p.enum(SIGN_IN_METHODS).nullable(),
    /** Sessions always have one. */
    expiresAt: p.datetime().nullable(),
    /** To the minute. */
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export type Credential = InferEntity<typeof Credential>;

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
    /** The link ends with the key that made it, also through a session, and when its maker leaves the team. */
    ...creatorColumns,
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
