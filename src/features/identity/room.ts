import type { Room, RoomCore, Scopes } from '../../room.ts';
import { createAuthenticator } from './authenticator.ts';
import { configuration, type IdentitySettings } from './configuration.ts';
import { pepperFrom } from './credentials.ts';
import { Credential, Membership, Team, User } from './entities.ts';
import { createIdentityProvider } from './oidc/provider.ts';
import { oidcEndpoints } from './oidc/routes.ts';
import { apiKeyEndpoints } from './routes/api-keys.ts';
import { memberEndpoints } from './routes/members.ts';
import { sessionEndpoints } from './routes/session.ts';
import { sessionsEndpoints } from './routes/sessions.ts';
import { teamEndpoints } from './routes/teams.ts';
import { purgeSignIns } from './sessions.ts';

/** Ended ones stay known for 30 days: whoever still opens an ended link is not taken for somebody who guesses. */
const SIGN_INS_KEPT_MS = 30 * 24 * 3_600_000;

/** `team:admin` includes everything within its team, `system:admin` everything (see `grants` in http/authenticate.ts). */
const IDENTITY_SCOPES = {
  'team:read': { allows: 'See the members', forMembers: true },
  'team:admin': { allows: 'Full access to this team' },
  'system:admin': { allows: 'Full access to all teams' },
} satisfies Scopes;

/** @param others the scopes of all other rooms */
export function identityRoom(others: Scopes) {
  const scopes = { ...others, ...IDENTITY_SCOPES };
  return {
    name: 'identity',
    endpoints: [
      ...teamEndpoints,
      ...memberEndpoints,
      ...apiKeyEndpoints(scopes),
      ...sessionEndpoints,
      ...sessionsEndpoints,
      ...oidcEndpoints,
    ],
    entities: [Team, User, Membership, Credential],
    scopes: IDENTITY_SCOPES,
    configuration,
    build({ config, orm, clock, log, appUrl, secretKeys, secrets, closing }: RoomCore & { config: IdentitySettings }) {
      const authenticator = createAuthenticator({ orm, pepper: pepperFrom(secretKeys), scopes, clock, log });
      closing.defer(() => authenticator.idle());
      const provider = config.oidc && createIdentityProvider({ oidc: config.oidc, appUrl, clock });
      return { authenticator, scopes, signIn: { appUrl, provider, secrets } };
    },
    sweeps: [({ orm, clock }: RoomCore) => purgeSignIns(orm.em, new Date(clock.now().getTime() - SIGN_INS_KEPT_MS))],
  } satisfies Room;
}
