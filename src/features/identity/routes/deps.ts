import type { Config } from '../../../config.ts';
import type { ApiDeps } from '../../../http/deps.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import type { SecretBox } from '../../../platform/secrets.ts';
import type { Scopes } from '../../../room.ts';
import type { IdentitySettings } from '../configuration.ts';
import type { ApiKeyAuthenticator } from '../authenticator.ts';
import type { IdentityProvider } from '../oidc/provider.ts';

export interface IdentityDeps extends ApiDeps {
  config: Config & IdentitySettings;
  authenticator: ApiKeyAuthenticator;
  /** Those of all rooms. */
  scopes: Scopes;
  signIn: {
    /** Where people reach the web app, without a trailing slash. */
    appUrl: string;
    /** Undefined if none is configured. */
    provider?: IdentityProvider;
    /** Seals what a browser keeps while it is at the identity provider. */
    secrets: SecretBox;
  };
}

export const endpoint = endpointFor<IdentityDeps>();
