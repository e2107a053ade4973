import type { Room } from '../../room.ts';
import { Credential, Membership, SignInLink, Team, User } from './entities.ts';
import { identityEndpoints } from './routes/index.ts';
export { createAuthenticator, type ApiKeyAuthenticator } from './authenticator.ts';
export { pepperFrom } from './credentials.ts';
export { Credential, Membership, SignInLink, Team, User };
export { createOperatorLink, linkUrl } from './links.ts';
export { localPath } from './local-path.ts';
export { createIdentityProvider, type IdentityProvider } from './oidc/provider.ts';
export type { IdentityDeps } from './routes/deps.ts';
export { ROLE_SCOPES, SCOPES, type Scope } from './scopes.ts';
export { purgeSignIns } from './sessions.ts';
export { addAdminKey, bootstrapFirstTeam, type Bootstrap } from './teams.ts';

export const identityRoom = {
  name: 'identity',
  endpoints: identityEndpoints,
  entities: [Team, User, Membership, Credential, SignInLink],
} satisfies Room;
