import type { Scopes } from '../../room.ts';
import type { Role } from './entities.ts';

/** `team:admin` includes everything within its team, `system:admin` everything (see `grants` in http/authenticate.ts). */
export const IDENTITY_SCOPES = {
  'team:read': { allows: 'See the members', forMembers: true },
  'team:admin': { allows: 'Everything within the team' },
  'system:admin': { allows: 'Everything in every team' },
} satisfies Scopes;

/** The scopes of a person who signs in as themselves. */
export const scopesOfRole = (role: Role, scopes: Scopes): string[] =>
  role === 'admin' ? ['team:admin'] : Object.keys(scopes).filter((name) => scopes[name]?.forMembers);
