import type { z } from 'zod';
import type { ApiKey, Membership, Team, User } from './entities.ts';
import type { ApiKeyResponse, MemberResponse, TeamResponse, UserResponse } from './schemas.ts';

const iso = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

export const presentTeam = ({ id, name, createdAt }: Team): z.input<typeof TeamResponse> => ({
  id,
  name,
  created_at: createdAt.toISOString(),
});

export const presentUser = ({ id, email, name }: User): z.input<typeof UserResponse> => ({ id, email, name });

export const presentMember = (membership: Membership, user: User): z.input<typeof MemberResponse> => ({
  user_id: user.id,
  email: user.email,
  name: user.name,
  role: membership.role,
  joined_at: membership.createdAt.toISOString(),
});

export const presentApiKey = (key: ApiKey): z.input<typeof ApiKeyResponse> => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  user_id: key.userId ?? null,
  created_by_key_id: key.createdByKeyId ?? null,
  created_at: key.createdAt.toISOString(),
  last_used_at: iso(key.lastUsedAt),
  revoked_at: iso(key.revokedAt),
});
