export { pepperFrom } from './api-key.ts';
export { createAuthenticator, type ApiKeyAuthenticator } from './authenticator.ts';
export { addAdminKey, bootstrapFirstTeam, type Bootstrap } from './bootstrap.ts';
export { ApiKey, Membership, Team, User } from './entities.ts';
export { teamsEndpoints, type TeamsDeps } from './routes.ts';
export { SCOPES, type Scope } from './scopes.ts';
