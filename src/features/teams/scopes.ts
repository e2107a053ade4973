/**
 * What an API key may do. `team:admin` includes everything within its team, `system:admin` everything
 * (see `grants` in http/authenticate.ts). A room that comes later adds its scopes here.
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
