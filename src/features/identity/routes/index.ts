import { oidcEndpoints } from '../oidc/routes.ts';
import { apiKeyEndpoints } from './api-keys.ts';
import { memberEndpoints } from './members.ts';
import { sessionEndpoints } from './session.ts';
import { sessionsEndpoints } from './sessions.ts';
import { teamEndpoints } from './teams.ts';

export const identityEndpoints = [
  ...teamEndpoints,
  ...memberEndpoints,
  ...apiKeyEndpoints,
  ...sessionEndpoints,
  ...sessionsEndpoints,
  ...oidcEndpoints,
];
