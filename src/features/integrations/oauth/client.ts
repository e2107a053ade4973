/** The authorization code flow with PKCE (RFC 7636) as an OAuth client, through openid-client. */
import * as oauth from 'openid-client';
import { OutboundError, type Outbound } from '../../../platform/outbound/index.ts';
import type { Secrets } from '../vault.ts';

/** Where an authorization server has its endpoints. */
export interface AuthorizationServer {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint?: string | undefined;
  /** Whether it names itself beside each code. */
  authorization_response_iss_parameter_supported?: boolean | undefined;
}

export interface OAuthClient {
  client_id: string;
  /** Absent for a public client. */
  client_secret?: string | undefined;
}

/** As the vault keeps them; `expires_at` in unix ms, absent if the server does not say. */
export interface Tokens extends Record<string, string | number> {
  access_token: string;
}

/** The server refused: the person's consent, the code, or the refresh token is not good. */
export class OAuthRefused extends Error {
  override name = 'OAuthRefused';
}

/** The server did not answer, or not as an authorization server does. */
export class OAuthUnavailable extends Error {
  override name = 'OAuthUnavailable';
}

const TIMEOUT_SECONDS = 8;

function configurationOf(server: AuthorizationServer, client: OAuthClient, outbound: Outbound): oauth.Configuration {
  const authentication =
    client.client_secret === undefined ? oauth.None() : oauth.ClientSecretPost(client.client_secret);
  const configuration = new oauth.Configuration({ ...server }, client.client_id, undefined, authentication);
  configuration.timeout = TIMEOUT_SECONDS;
  configuration[oauth.customFetch] = (url, { body, headers, method, signal }) =>
    outbound.fetch(url, {
      method,
      headers,
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      ...(signal && { signal }),
    });
  // The outbound guard decides where plain http may go.
  oauth.allowInsecureRequests(configuration);
  return configuration;
}

export interface Consent {
  /** Where the person gives it. */
  url: string;
  /** What the browser brings back. */
  state: string;
  /** Of PKCE; kept until the code comes back. */
  verifier: string;
}

/** @param parameters `scope`, `redirect_uri`, and what else the server takes */
export async function askConsent(
  server: AuthorizationServer,
  client: OAuthClient,
  parameters: Record<string, string>,
  outbound: Outbound,
): Promise<Consent> {
  const state = oauth.randomState();
  const verifier = oauth.randomPKCECodeVerifier();
  const url = oauth.buildAuthorizationUrl(configurationOf(server, client, outbound), {
    ...parameters,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, state, verifier };
}

/**
 * Exchanges a code for tokens.
 * @param parameters `resource`, if the server takes it
 * @throws {OAuthRefused}, {OAuthUnavailable}
 */
export async function redeem(
  server: AuthorizationServer,
  client: OAuthClient,
  {
    code,
    verifier,
    redirectUri,
    iss,
  }: { code: string; verifier: string; redirectUri: string; iss?: string | undefined },
  parameters: Record<string, string>,
  outbound: Outbound,
): Promise<Tokens> {
  const back = new URL(redirectUri);
  back.searchParams.set('code', code);
  // A code of another server is not sent to this one (RFC 9207). The state was compared before.
  if (iss === undefined ? server.authorization_response_iss_parameter_supported === true : iss !== server.issuer)
    throw new OAuthRefused('The code comes from another authorization server.');
  return tokensFrom(
    oauth.authorizationCodeGrant(
      configurationOf({ ...server, authorization_response_iss_parameter_supported: false }, client, outbound),
      back,
      { pkceCodeVerifier: verifier, idTokenExpected: false },
      { redirect_uri: redirectUri, ...parameters },
    ),
  );
}

/**
 * Renews an access token.
 * @throws {OAuthRefused} when the consent was revoked
 * @throws {OAuthUnavailable}
 */
export async function renew(
  server: AuthorizationServer,
  client: OAuthClient,
  refreshToken: string,
  parameters: Record<string, string>,
  outbound: Outbound,
): Promise<Tokens> {
  const grant = oauth.refreshTokenGrant(configurationOf(server, client, outbound), refreshToken, parameters);
  // A server that does not rotate refresh tokens sends none: the old one stays good.
  return { refresh_token: refreshToken, ...(await tokensFrom(grant)) };
}

/** Revokes a token at the server (RFC 7009), if it can. @throws {OAuthRefused}, {OAuthUnavailable} */
export async function revoke(
  server: AuthorizationServer,
  client: OAuthClient,
  { refresh_token, access_token }: Secrets,
  outbound: Outbound,
): Promise<void> {
  const token = refresh_token ?? access_token;
  if (server.revocation_endpoint === undefined || token === undefined) return;
  try {
    await translated(oauth.tokenRevocation(configurationOf(server, client, outbound), String(token)));
  } catch (error) {
    // As Google says of one that is no good any more; others just say yes.
    if (
      error instanceof Error &&
      error.cause instanceof oauth.ResponseBodyError &&
      error.cause.error === 'invalid_token'
    )
      return;
    throw error;
  }
}

async function tokensFrom(
  grant: Promise<{ access_token: string; refresh_token?: string; expires_in?: number }>,
): Promise<Tokens> {
  const { access_token, refresh_token, expires_in } = await translated(grant);
  return {
    access_token,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(expires_in !== undefined && { expires_at: Date.now() + expires_in * 1_000 }),
  };
}

async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // Neither the token nor what the server says besides is repeated.
    if (error instanceof oauth.ResponseBodyError && error.status < 500 && error.status !== 429)
      throw new OAuthRefused(`The authorization server refused: ${error.error}.`, { cause: error });
    if (error instanceof OutboundError) throw new OAuthUnavailable(error.message, { cause: error });
    const reason = error instanceof oauth.ResponseBodyError ? ` (${error.status})` : '';
    throw new OAuthUnavailable(`The authorization server did not answer as one does${reason}.`, { cause: error });
  }
}
