/** A real authorization server (oidc-provider) for an MCP server: registration, PKCE, resource indicators, rotation. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider, type Configuration } from 'oidc-provider';
import { addressOf } from './address.ts';

export interface McpAuthorizationServer {
  issuer: string;
  /** Clients that have registered. */
  registered: string[];
  /** Number of refresh tokens that were exchanged. */
  refreshes: number;
  /** No refresh token is accepted any more. */
  refusesRefresh: boolean;
  /** Number of grants that were revoked. */
  revocations: number;
  /** What the browser brings back from the consent page. */
  consent(authorizationUrl: string): Promise<{ code: string; state: string; iss: string }>;
  /** Whether a token is for this resource, and good. */
  accepts(token: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** @param options.resource the MCP server's URL, the only resource that tokens are for */
export async function startMcpAuthorizationServer(options: {
  resource: () => string;
  accessTokenSeconds?: number;
}): Promise<McpAuthorizationServer> {
  const { resource, accessTokenSeconds = 3_600 } = options;
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${addressOf(server).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const configuration: Configuration = {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', use: 'sig', alg: 'RS256' }] },
    clientAuthMethods: ['none'],
    scopes: ['openid', 'offline_access', 'tools'],
    responseTypes: ['code'],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, asked) => {
          if (asked !== resource()) throw new Error(`an unknown resource: ${asked}`);
          return { scope: 'tools', audience: asked, accessTokenFormat: 'opaque', accessTokenTTL: accessTokenSeconds };
        },
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    ttl: { AuthorizationCode: 60, Grant: 3_600, Interaction: 60, Session: 60, RefreshToken: 3_600 },
  };
  const provider = new Provider(issuer, configuration);
  const self: McpAuthorizationServer = {
    issuer,
    registered: [],
    refreshes: 0,
    refusesRefresh: false,
    revocations: 0,
    async consent(authorizationUrl) {
      const jar = new Map<string, string>();
      let target = new URL(authorizationUrl);
      for (let hop = 0; hop < 20; hop++) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(target, { redirect: 'manual', headers: { cookie } });
        for (const line of response.headers.getSetCookie()) {
          const [pair = ''] = line.split(';');
          const at = pair.indexOf('=');
          jar.set(pair.slice(0, at), pair.slice(at + 1));
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(`${response.status} ${await response.text()}`);
        target = new URL(location, target);
        const code = target.searchParams.get('code');
        const [state = '', iss = ''] = ['state', 'iss'].map((name) => target.searchParams.get(name) ?? '');
        if (code !== null && target.origin !== issuer) return { code, state, iss };
        if (target.origin !== issuer) throw new Error(`the provider refused: ${target.search}`);
      }
      throw new Error('too many redirects');
    },
    async accepts(token) {
      const found = await provider.AccessToken.find(token);
      return found?.isValid === true && found.aud === resource();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  provider.on('registration_create.success', (_ctx, client) => void self.registered.push(client.clientId));
  provider.use(async (ctx, next) => {
    if (ctx.path === '/token' && self.refusesRefresh && ctx.method === 'POST') {
      ctx.status = 400;
      ctx.body = { error: 'invalid_grant', error_description: 'The consent was revoked.' };
      return;
    }
    await next();
  });
  provider.on('grant.revoked', () => void self.revocations++);
  provider.on('grant.success', (ctx) => {
    if (ctx.oidc.params?.['grant_type'] === 'refresh_token') self.refreshes++;
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const interact = async (): Promise<void> => {
      const { params, prompt, session, grantId } = await provider.interactionDetails(request, response);
      if (prompt.name === 'login') {
        await provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
        return;
      }
      const grant =
        (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
        new provider.Grant({ accountId: session!.accountId, clientId: String(params['client_id']) });
      grant.addOIDCScope('openid offline_access tools');
      grant.addResourceScope(resource(), 'tools');
      await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
    };
    void (request.url?.startsWith('/interaction/') ? interact() : handle(request, response));
  });
  return self;
}
