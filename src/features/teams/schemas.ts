import { z } from 'zod';
import { nameField as name } from '../../http/fields.ts';
import { ROLES } from './entities.ts';
import { SCOPES } from './scopes.ts';

const id = z.uuid();
const time = z.iso.datetime();
const role = z.enum(ROLES);
const scope = z.enum(SCOPES);

export const TeamResponse = z.object({ id, name: z.string(), created_at: time }).meta({ id: 'TeamResponse' });

export const TeamListResponse = z.object({ teams: z.array(TeamResponse) }).meta({ id: 'TeamListResponse' });

export const TeamUpdateRequest = z.object({ name }).meta({ id: 'TeamUpdateRequest' });

export const TeamCreateRequest = z
  .object({ name, admin_email: z.email().max(254), admin_name: name })
  .meta({ id: 'TeamCreateRequest' });

export const MemberResponse = z
  .object({ user_id: id, email: z.string(), name: z.string(), role, joined_at: time })
  .meta({ id: 'MemberResponse' });

export const MemberListResponse = z.object({ members: z.array(MemberResponse) }).meta({ id: 'MemberListResponse' });

export const MemberAddRequest = z
  .object({ email: z.email().max(254), name, role: role.default('member') })
  .meta({ id: 'MemberAddRequest' });

export const MemberRemovedResponse = z
  .object({ user_id: id, removed: z.literal(true) })
  .meta({ id: 'MemberRemovedResponse' });

export const ApiKeyResponse = z
  .object({
    id,
    name: z.string(),
    prefix: z.string().meta({ description: 'How the key begins.' }),
    scopes: z.array(z.string()),
    user_id: id.nullable().meta({ description: 'Whom the key acts for; null for a program.' }),
    created_by_key_id: id.nullable(),
    created_at: time,
    last_used_at: time.nullable().meta({ description: 'To the minute.' }),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'ApiKeyResponse' });

export const ApiKeyListResponse = z.object({ api_keys: z.array(ApiKeyResponse) }).meta({ id: 'ApiKeyListResponse' });

export const ApiKeyCreateRequest = z
  .object({ name, scopes: z.array(scope).min(1).max(SCOPES.length), user_id: id.optional() })
  .meta({ id: 'ApiKeyCreateRequest' });

export const ApiKeyCreatedResponse = z
  .object({ ...ApiKeyResponse.shape, api_key: z.string().meta({ description: 'Shown this once.' }) })
  .meta({ id: 'ApiKeyCreatedResponse' });

export const TeamCreatedResponse = z
  .object({ team: TeamResponse, api_key: ApiKeyCreatedResponse })
  .meta({ id: 'TeamCreatedResponse' });

export const UserResponse = z.object({ id, email: z.string(), name: z.string() }).meta({ id: 'UserResponse' });

export const CurrentUserResponse = z
  .object({
    user: UserResponse.nullable().meta({ description: 'Null when the key belongs to a program.' }),
    role: role.nullable(),
    team: TeamResponse,
    api_key_id: id,
    scopes: z.array(z.string()),
  })
  .meta({ id: 'CurrentUserResponse' });
