import type { Room, RoomCore } from '../../room.ts';
import { createAuthenticator } from './authenticator.ts';
import { pepperFrom } from './credentials.ts';
import { Credential, Membership, Team, User } from './entities.ts';
import { createIdentityProvider } from './oidc/provider.ts';
import { identityEndpoints } from './routes/index.ts';
import { purgeSignIns } from './sessions.ts';

/** Anyone who wants to know what became of a session looks within a day. */
const SIGN_INS_KEPT_MS = 24 * 3_600_000;

export const identityRoom = {
  name: 'identity',
  endpoints: identityEndpoints,
  entities: [Team, User, Membership, Credential],
  build({ config, orm, clock, log, appUrl, secretKey, secrets, closing }: RoomCore) {
    const authenticator = createAuthenticator({ orm, pepper: pepperFrom(secretKey), clock, log });
    closing.defer(() => authenticator.idle());
    const provider = config.oidc && createIdentityProvider({ oidc: config.oidc, appUrl, clock });
    return { authenticator, signIn: { appUrl, provider, secrets } };
  },
  sweeps: [({ orm, clock }: RoomCore) => purgeSignIns(orm.em, new Date(clock.now().getTime() - SIGN_INS_KEPT_MS))],
} satisfies Room;
