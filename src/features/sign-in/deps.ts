import { endpointFor } from '../../http/endpoint.ts';
import type { SecretBox } from '../../platform/secrets/index.ts';
import type { TeamsDeps } from '../teams/index.ts';
import type { IdentityProvider } from './oidc/provider.ts';

export interface SignInDeps extends TeamsDeps {
  signIn: {
    /** Where people reach the web app, without a trailing slash. */
    appUrl: string;
    /** Undefined where none is configured. */
    provider?: IdentityProvider;
    /** Seals what a browser keeps while it is at the identity provider. */
    secrets: SecretBox;
  };
}

export const endpoint = endpointFor<SignInDeps>();
