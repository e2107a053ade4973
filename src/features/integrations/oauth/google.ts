/** Google's authorization server, and what is asked of it. */
import type { IntegrationSettings } from '../configuration.ts';
import type { Secrets } from '../vault.ts';
import type { AuthorizationServer, OAuthClient } from './client.ts';

/** Read-only, one for each API that the tools use. */
const SCOPES = [
  'https://www.googleapis.com/auth/logging.read',
  'https://www.googleapis.com/auth/monitoring.read',
  'https://www.googleapis.com/auth/trace.readonly',
  'https://www.googleapis.com/auth/cloud-platform.read-only',
];

/** @param base the operator's address in place of Google's, which has several hosts */
export function googleServer({
  vendors: { googleOauthUrl: base },
}: IntegrationSettings['integrations']): AuthorizationServer {
  const at = (usual: string, path: string): string => new URL(path, base ?? usual).href;
  return {
    issuer: base ?? 'https://accounts.google.com',
    authorization_endpoint: at('https://accounts.google.com', '/o/oauth2/v2/auth'),
    token_endpoint: at('https://oauth2.googleapis.com', '/token'),
    revocation_endpoint: at('https://oauth2.googleapis.com', '/revoke'),
  };
}

/** A refresh token comes with the first consent only, unless consent is asked for again. */
export const GOOGLE_CONSENT = { scope: SCOPES.join(' '), access_type: 'offline', prompt: 'consent' };

/** The server and client with which these secrets were obtained. */
export const authorizationOf = (settings: IntegrationSettings['integrations'], held: Secrets) => ({
  server: googleServer(settings),
  client: {
    client_id: String(held['client_id']),
    ...(held['client_secret'] !== undefined && { client_secret: String(held['client_secret']) }),
  } satisfies OAuthClient,
  parameters: {},
});
