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
  },
});
export type User = InferEntity<typeof User>;

export const ROLES = ['admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** That a user is in a team, and what the team calls them: another team learns no name from an address. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'userId'] }],
  properties: { ...teamColumns, userId: p.uuid(), role: p.enum(ROLES), name: p.string() },
});
export type Membership = InferEntity<typeof Membership>;

/** What a browser's session was made from. */
export const SIGN_IN_METHODS = ['api_key', 'link', 'oidc'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/**
 * `key`: of a program or a person, in a header. `session`: of a browser, in a cookie. `link`: signs a browser in once.
 * `satellite`: lets satellites of the team connect, and nothing more.
 */
export const CREDENTIAL_KINDS = ['key', 'session', 'link', 'satellite'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/**
 * What somebody calls with, or signs in with. Its secret is shown once and not stored. It came from the credential that
 * made it, and is revoked with that one.
 */
export const Credential = defineEntity({
  name: 'Credential',
  tableName: 'credentials',
  filters: teamFilter,
  indexes: [
    { properties: ['createdByCredentialId'] },
    {
      name: 'credentials_expires_at_index',
      expression: `create index "credentials_expires_at_index" on "credentials" ("expires_at") where "kind" <> 'key'`,
    },
  ],
  properties: {
    ...teamColumns,
    ...creatorColumns,
    kind: p.enum(CREDENTIAL_KINDS),
    /** Of a session: what its browser calls itself. */
    name: p.string(),
    /** How a key, or the token of satellites, begins, to recognise it by. */
    prefix: p.string(),
    /** HMAC-SHA256 of the secret, hexadecimal. */
    hash: p.string().unique(),
    /** Null: what the role of the user allows, at each moment. */
    scopes: p.array().nullable(),
    /** Whom it acts for; null for a program. */
    userId: p.uuid().nullable(),
    /** Of a session. */
    signedInWith: p.enum(SIGN_IN_METHODS).nullable(),
    /** Sessions and links always have one; a session that is signed out has reached it. */
    expiresAt: p.datetime().nullable(),
    /** To the minute. */
    lastUsedAt: p.datetime().nullable(),
    /** Of a link. */
    usedAt: p.datetime().nullable(),
    /** HMAC-SHA256 of what the browser that used a link called its attempt: it may repeat the attempt, nobody else may. */
    attemptHash: p.string().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export type Credential = InferEntity<typeof Credential>;
