import type { z } from 'zod';
import type { Principal } from '../../http/authenticate.ts';
import { presentUser, type ApiKey, type User } from '../teams/index.ts';
import type { SessionListItem } from './schemas.ts';

/** The key that a session was signed in with. */
export const keyOf = ({ signedInWith, createdByKeyId }: ApiKey): string | null =>
  signedInWith === 'api_key' ? (createdByKeyId ?? null) : null;

/** @throws {TypeError} for a row that is no session */
export function endOf({ expiresAt, signedInWith }: ApiKey) {
  if (expiresAt == null || signedInWith == null) throw new TypeError('A session has an end and a way it began.');
  return { expires_at: expiresAt.toISOString(), signed_in_with: signedInWith };
}

export const presentSession = (
  session: ApiKey,
  user: User | null,
  asking: Principal,
): z.input<typeof SessionListItem> => ({
  id: session.id,
  browser: session.name,
  user: user && presentUser(user),
  api_key_id: keyOf(session),
  scopes: session.scopes,
  current: session.id === asking.sessionId,
  created_at: session.createdAt.toISOString(),
  last_used_at: session.lastUsedAt?.toISOString() ?? null,
  ...endOf(session),
});
