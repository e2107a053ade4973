/** Signs in people with an account at the organisation's identity provider: OpenID Connect, through openid-client. */
import * as client from 'openid-client';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { OidcConfig } from '../configuration.ts';
import { SignInFailed } from './errors.ts';
import type { Flow } from './flow.ts';

/** What the provider knows about a person. */
export interface Identity {
  /** Undefined unless the provider has verified that it is theirs. */
  verifiedEmail: string | undefined;
}

export interface IdentityProvider {
  /** Its name for people. */
  name: string;
  /**
   * @param to where the person ends up
   * @returns where to send the browser, and what to keep until it returns
   * @throws {SignInFailed} `provider_unavailable`
   */
  begin(to: string): Promise<{ url: string; flow: Flow }>;
  /**
   * @param search the query with which the browser returned
   * @throws {SignInFailed}
   */
  finish(search: string, flow: Flow): Promise<Identity>;
}

const TIMEOUT_SECONDS = 10;
const CLOCK_TOLERANCE_SECONDS = 30;
/** Endpoints rarely change; keys are refreshed automatically. */
const REDISCOVER_MS = 3_600_000;

/**
 * @param options.appUrl where people reach the web app; the provider must know `{appUrl}/api/sign-in/oidc/callback`
 */
export function createIdentityProvider(options: { oidc: OidcConfig; appUrl: string; clock: Clock }): IdentityProvider {
  const { oidc, appUrl, clock } = options;
  const redirectUri = `${appUrl}/api/sign-in/oidc/callback`;
  let known: { configuration: Promise<client.Configuration>; until: number } | undefined;

  /** On the first sign-in, and again until it succeeds: a provider outage breaks nothing else. */
  const discovered = async (): Promise<client.Configuration> => {
    const now = clock.now().getTime();
    if (!known || known.until <= now) known = { configuration: discover(oidc), until: now + REDISCOVER_MS };
    const current = known;
    try {
      return await current.configuration;
    } catch (error) {
      if (known === current) known = undefined;
      throw new SignInFailed('provider_unavailable', error);
    }
  };

  return {
    name: oidc.name,
    async begin(to) {
      const configuration = await discovered();
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        to,
      };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, flow };
    },
    async finish(search, flow) {
      const configuration = await discovered();
      try {
        const tokens = await client.authorizationCodeGrant(configuration, new URL(redirectUri + search), {
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          pkceCodeVerifier: flow.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new TypeError('There is no ID token.');
        // Many providers reveal the address only to a request with the access token.
        const asks = claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
        return identityOf(asks ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims);
      } catch (error) {
        throw new SignInFailed(codeOf(error), error);
      }
    },
  };
}

function discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<client.Configuration> {
  const authentication: client.ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    // The default of a provider that does not say (OpenID Connect Discovery 1.0, section 3).
    const authenticate =
      !methods || methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    authenticate(clientSecret)(server, ...rest);
  };
  return client.discovery(
    new URL(issuer),
    clientId,
    { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    authentication,
    {
      timeout: TIMEOUT_SECONDS,
      execute: [
        // The specification is satisfied that the token came over TLS from the provider; we are not.
        client.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
      [client.customFetch]: reaching,
    },
  );
}

class Unreachable extends Error {
  override name = 'Unreachable';
}

/** Distinguishes a provider that is down from one that refuses. */
async function reaching(url: string, options: client.CustomFetchOptions): Promise<Response> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same options, under the library's own name
  const response = await fetch(url, options as RequestInit).catch((cause: unknown) => {
    throw new Unreachable('The identity provider does not answer.', { cause });
  });
  if (response.status >= 500) throw new Unreachable(`The identity provider answers ${response.status}.`);
  return response;
}

function codeOf(error: unknown): 'provider_unavailable' | 'access_denied' | 'sign_in_failed' {
  if (error instanceof client.AuthorizationResponseError) {
    if (error.error === 'access_denied') return 'access_denied';
    return error.error === 'temporarily_unavailable' ? 'provider_unavailable' : 'sign_in_failed';
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof Unreachable) return 'provider_unavailable';
  return 'sign_in_failed';
}

/** ASCII only: `toLowerCase` maps some other letters to Latin ones. */
const Address = z
  .string()
  .max(254)
  .regex(/^[!-~]+@[!-~]+$/);

function identityOf(claims: Record<string, unknown>): Identity {
  const email = claims['email_verified'] === true ? Address.safeParse(claims['email']) : undefined;
  return { verifiedEmail: email?.success ? email.data.toLowerCase() : undefined };
}
