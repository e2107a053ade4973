/** With which server and client the tokens of an integration were obtained. */
import { z } from 'zod';
import type { McpAuthorization } from '@casebook/mcp';
import type { IntegrationSettings } from '../configuration.ts';
import type { Target } from '../connections.ts';
import type { AuthorizationServer, OAuthClient } from './client.ts';
import { gitlabServer } from './gitlab.ts';
import { googleServer } from './google.ts';

const stored = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  resource: z.string(),
});

export const serverOf = ({
  issuer,
  authorization_endpoint,
  token_endpoint,
  revocation_endpoint,
  authorization_response_iss_parameter_supported: namesItself,
}: z.output<typeof stored> | McpAuthorization): AuthorizationServer => ({
  issuer,
  authorization_endpoint,
  token_endpoint,
  ...(revocation_endpoint !== undefined && { revocation_endpoint }),
  ...(namesItself === true && { authorization_response_iss_parameter_supported: true }),
});

/** The OAuth client that is kept among the secrets. */
export const clientOf = ({ client_id, client_secret }: Target['secrets']): OAuthClient => ({
  client_id: String(client_id),
  ...(client_secret !== undefined && { client_secret: String(client_secret) }),
});

/** `parameters`: what a request for tokens has besides; an MCP server's tokens are for that resource alone (RFC 8707). */
export function authorizationOf(
  house: IntegrationSettings['integrations'],
  { family, settings, secrets }: Pick<Target, 'family' | 'settings' | 'secrets'>,
): { server: AuthorizationServer; client: OAuthClient; parameters: Record<string, string> } {
  const client = clientOf(secrets);
  if (family === 'codehost-b') {
    const { url, redirect_uri } = settings;
    return { server: gitlabServer(String(url)), client, parameters: { redirect_uri: String(redirect_uri) } };
  }
  if (family !== 'mcp') return { server: googleServer(house), client, parameters: {} };
  const { resource, ...server } = stored.parse(settings['authorization']);
  return { server: serverOf({ ...server, resource }), client, parameters: { resource } };
}
