/**
 * How a client gets a credential for an MCP server (specification, "Authorization"): the server's protected resource
 * metadata (RFC 9728), its authorization server's (RFC 8414), and a client registered there (RFC 7591).
 */
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  registerClient,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { QueryError } from '@casebook/connectors';
import { describeError } from './errors.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Where consent for an MCP server is given. */
export interface McpAuthorization {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint?: string;
  registration_endpoint?: string;
  /** Whether it names itself beside each code (RFC 9207). */
  authorization_response_iss_parameter_supported?: boolean;
  /** The resource that tokens are for (RFC 8707). */
  resource: string;
  /** Scopes to ask for, separated by spaces; undefined: the server says none. */
  scope?: string;
}

/**
 * Finds out where consent for a server is given.
 * @param challenge the server's `WWW-Authenticate`, if it sent one
 * @param fetch makes the requests; it decides where they may go
 * @throws {QueryError} when the server does not say, or wants a flow without PKCE
 */
export async function discoverAuthorization(
  url: string,
  challenge: string | undefined,
  fetch: Fetch,
): Promise<McpAuthorization> {
  try {
    const resourceMetadataUrl = parameterOf(challenge, 'resource_metadata');
    const resource = await discoverOAuthProtectedResourceMetadata(
      url,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      fetch,
    );
    const [issuer] = resource.authorization_servers ?? [];
    if (issuer === undefined) throw new Error('its metadata names no authorization server');
    if (!covers(resource.resource, url)) throw new Error(`its metadata is of another resource, ${resource.resource}`);
    const server = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
    if (!server) throw new Error(`${issuer} has no metadata of an authorization server`);
    if (new URL(server.issuer).href !== new URL(issuer).href)
      throw new Error(`the metadata of ${issuer} is another server's, ${server.issuer}`);
    if (!server.code_challenge_methods_supported?.includes('S256'))
      throw new Error('its authorization server has no PKCE with S256');
    const scope = parameterOf(challenge, 'scope') ?? resource.scopes_supported?.join(' ');
    return {
      issuer: server.issuer,
      authorization_endpoint: server.authorization_endpoint,
      token_endpoint: server.token_endpoint,
      ...(server.registration_endpoint && { registration_endpoint: server.registration_endpoint }),
      ...('revocation_endpoint' in server &&
        server.revocation_endpoint && { revocation_endpoint: server.revocation_endpoint }),
      ...('authorization_response_iss_parameter_supported' in server &&
        server.authorization_response_iss_parameter_supported === true && {
          authorization_response_iss_parameter_supported: true,
        }),
      resource: resource.resource,
      ...(scope !== undefined && scope !== '' && { scope }),
    };
  } catch (error) {
    throw new QueryError(
      'failed',
      `The server wants a credential, and does not say where to get one: ${describeError(error)}.`,
      { cause: error },
    );
  }
}

/**
 * Registers Casebook as a client of an authorization server.
 * @throws {QueryError} when it registers nobody, or not us
 */
export async function registerAt(
  { registration_endpoint, ...server }: McpAuthorization,
  redirectUri: string,
  fetch: Fetch,
): Promise<{ client_id: string; client_secret?: string }> {
  if (registration_endpoint === undefined)
    throw new QueryError(
      'bad_request',
      'Its authorization server registers no clients by itself: give a client_id that it knows.',
    );
  try {
    const registered = await registerClient(server.issuer, {
      metadata: { ...server, registration_endpoint, response_types_supported: ['code'] },
      clientMetadata: {
        client_name: 'Casebook',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        ...(server.scope !== undefined && { scope: server.scope }),
      },
      fetchFn: fetch,
    });
    const { client_id, client_secret } = registered;
    return { client_id, ...(client_secret !== undefined && { client_secret }) };
  } catch (error) {
    throw new QueryError('failed', `Its authorization server does not register Casebook: ${describeError(error)}.`, {
      cause: error,
    });
  }
}

/** A parameter of a challenge (RFC 9110, 11.6.1), quoted or not. */
function parameterOf(challenge: string | undefined, name: string): string | undefined {
  const found = new RegExp(String.raw`(?:^|[\s,])${name}=(?:"([^"]*)"|([^\s,]+))`, 'iu').exec(challenge ?? '');
  return found?.[1] ?? found?.[2];
}

/** Whether a resource includes a URL: its origin, and its path or one above (MCP, "Resource Parameter Implementation"). */
function covers(resource: string, url: string): boolean {
  const [whole, part] = [URL.parse(resource), new URL(url)];
  return whole?.origin === part.origin && `${part.pathname}/`.startsWith(`${whole.pathname.replace(/\/$/u, '')}/`);
}
