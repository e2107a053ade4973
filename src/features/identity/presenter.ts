import type { z } from 'zod';
import type { Principal } from '../../http/authenticate.ts';
import type { Credential, Team } from './entities.ts';
import type { Member } from './members.ts';
import type { ApiKeyResponse, MemberResponse, SessionListItem, TeamResponse, UserResponse } from './schemas.ts';
import type { ListedSession } from './sessions.ts';

const iso = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

export const presentTeam = ({ id, name, createdAt }: Team): z.input<typeof TeamResponse> => ({
  id,
  name,
  created_at: createdAt.toISOString(),
});

export const presentUser = ({ membership: { name }, user: { id, email } }: Member): z.input<typeof UserResponse> => ({
  id,
  email,
  name,
});

export const presentMember = ({ membership, user }: Member): z.input<typeof MemberResponse> => ({
  user_id: user.id,
  email: user.email,
  name: membership.name,
  role: membership.role,
  joined_at: membership.createdAt.toISOString(),
});

export const presentApiKey = (key: Credential): z.input<typeof ApiKeyResponse> => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes ?? [],
  user_id: key.userId ?? null,
  created_by_key_id: key.createdByCredentialId ?? null,
  created_at: key.createdAt.toISOString(),
  expires_at: iso(key.expiresAt),
  last_used_at: iso(key.lastUsedAt),
  revoked_at: iso(key.revokedAt),
});

/** The key that started a session. */
export const keyOf = ({ signedInWith, createdByCredentialId }: Credential): string | null =>
  signedInWith === 'api_key' ? (createdByCredentialId ?? null) : null;

/** @throws {TypeError} for a row that is not a session */
export function endOf({ expiresAt, signedInWith }: Credential) {
  if (expiresAt == null || signedInWith == null) throw new TypeError('A session has an end and a way it began.');
  return { expires_at: expiresAt.toISOString(), signed_in_with: signedInWith };
}

export const presentSession = (
  { session, member, scopes }: ListedSession,
  asking: Principal,
): z.input<typeof SessionListItem> => ({
  id: session.id,
  browser: session.name,
  user: member ? presentUser(member) : null,
  api_key_id: keyOf(session),
  scopes: [...scopes],
  current: session.id === asking.sessionId,
  created_at: session.createdAt.toISOString(),
  last_used_at: session.lastUsedAt?.toISOString() ?? null,
  ...endOf(session),
});
