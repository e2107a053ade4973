import type { Role } from './entities.ts';

/**
 * The scopes of API keys. `team:admin` includes everything within its team, `system:admin` everything (see `grants` in
 * http/authenticate.ts). New rooms add their scopes here.
 */
export const SCOPES = [
  'investigations:read',
  'investigations:write',
  'chats:read',
  'chats:write',
  'chats:act',
  'workspace:read',
  'workspace:write',
  'satellites:read',
  'satellites:query',
  'satellites:act',
  'satellites:write',
  'monitoring:read',
  'monitoring:write',
  'monitoring:trigger',
  'team:read',
  'team:admin',
  'system:admin',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The scopes of a person who signs in as themselves, by role. Acting on the outside world is for admins. */
export const ROLE_SCOPES = {
  admin: ['team:admin'],
  member: [
    'investigations:read',
    'investigations:write',
    'chats:read',
    'chats:write',
    'workspace:read',
    'workspace:write',
    'satellites:read',
    'satellites:query',
    'monitoring:read',
    'monitoring:write',
    'monitoring:trigger',
    'team:read',
  ],
} as const satisfies Record<Role, readonly Scope[]>;
