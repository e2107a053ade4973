import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { baseColumns, creatorColumns, teamColumns, teamFilter } from '../../db/base.ts';

/** A group that shares investigations, keys and settings. Everything else belongs to exactly one team. */
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

/** A user's membership in a team, with the name that the team uses: no other team learns it from the address. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  filters: teamFilter,
  uniques: [{ properties: ['teamId', 'userId'] }],
  properties: { ...teamColumns, userId: p.uuid(), role: p.enum(ROLES), name: p.string() },
});
export type Membership = InferEntity<typeof Membership>;

/** How a browser session was started. */
export const SIGN_IN_METHODS = ['api_key', 'link', 'oidc'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/**
 * `key`: a program's or person's, in a header. `session`: a browser's, in a cookie. `link`: signs a browser in once.
 * `satellite`: lets the team's satellites connect, and nothing more. `share`: opens one report, and nothing more.
 */
export const CREDENTIAL_KINDS = ['key', 'session', 'link', 'satellite', 'share'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/**
 * Authenticates calls or signs in. Its secret is shown once and not stored. It comes from the credential that created
 * it, and is revoked with it.
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
    /** For a session: its browser's User-Agent. */
    name: p.string(),
    /** The start of a key or satellite token, for recognition. */
    prefix: p.string(),
    /** HMAC-SHA256 of the secret, hexadecimal. */
    hash: p.string().unique(),
    /** null: whatever the user's role currently allows. */
    scopes: p.array().nullable(),
    /** Who it acts for; null for a program. */
    userId: p.uuid().nullable(),
    /** For a session. */
    signedInWith: p.enum(SIGN_IN_METHODS).nullable(),
    /** Sessions and links always have one; signing out sets it to now. */
    expiresAt: p.datetime().nullable(),
    /** To the minute. */
    lastUsedAt: p.datetime().nullable(),
    /** For a link. */
    usedAt: p.datetime().nullable(),
    /** HMAC-SHA256 of the attempt id of the browser that used a link: only that browser may repeat the attempt. */
    attemptHash: p.string().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export type Credential = InferEntity<typeof Credential>;
