/** A real OpenID provider (oidc-provider) on the loopback interface, where whoever comes is signed in as told. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Provider, type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider';

export interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who comes next: the claims about them; undefined declines. */
  account: { email?: string; email_verified?: boolean | string } | undefined;
  /** What was asked, by path. */
  requests: string[];
  /** Changes what the token endpoint answers. */
  tamper: ((answer: { id_token: string }) => { id_token: string }) | undefined;
  /** Answers everything with 503 from now on. */
  isDown: boolean;
  stop(): Promise<void>;
}

/**
 * @param options.redirectUri of the client `casebook`, and of the client `other`
 * @param options.isClaimsInToken whether the ID token holds the address; otherwise it is asked for
 */
export async function startTestProvider(options: {
  redirectUri: string;
  authentication?: 'client_secret_basic' | 'client_secret_post';
  isClaimsInToken?: boolean;
}): Promise<TestProvider> {
  const { redirectUri, authentication = 'client_secret_basic', isClaimsInToken = false } = options;
  const server = createServer();
  await listen(server, 0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const issuer = `http://127.0.0.1:${address.port}`;
  const clientSecret = `secret+of/the=client ${randomBytes(16).toString('hex')}`;
  const client = { redirect_uris: [redirectUri], token_endpoint_auth_method: authentication };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const configuration: Configuration = {
    adapter: memory(),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', use: 'sig', alg: 'RS256' }] },
    clients: [
      { client_id: 'casebook', client_secret: clientSecret, ...client },
      { client_id: 'other', client_secret: 'secret-of-the-other', ...client },
    ],
    clientAuthMethods: [authentication],
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: !isClaimsInToken,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: async (_ctx, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...JSON.parse(Buffer.from(id, 'hex').toString()) }),
    }),
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  };
  const provider = new Provider(issuer, configuration);
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path === '/token' && test.tamper && ctx.status === 200) ctx.body = test.tamper(ctx.body);
  });
  const handle = provider.callback();
  const test: TestProvider = {
    issuer,
    clientId: 'casebook',
    clientSecret,
    account: {},
    requests: [],
    tamper: undefined,
    isDown: false,
    async stop() {
      server.closeAllConnections();
      if (server.listening) await once(server.close(), 'close');
    },
  };
  const interact = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { params, prompt, session } = await provider.interactionDetails(req, res);
    if (!test.account) {
      const declined = { error: 'access_denied', error_description: '<script>alert(1)</script>' };
      return provider.interactionFinished(req, res, declined);
    }
    const accountId = Buffer.from(JSON.stringify(test.account)).toString('hex');
    if (prompt.name === 'login') return provider.interactionFinished(req, res, { login: { accountId } });
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope']));
    return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  };
  server.on('request', (req, res) => {
    const path = new URL(req.url ?? '/', issuer).pathname;
    test.requests.push(path);
    if (test.isDown) res.writeHead(503).end();
    else if (path.startsWith('/interaction/')) void interact(req, res);
    else void handle(req, res);
  });
  return test;
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/** What a provider remembers, of one provider alone. */
function memory(): (name: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
  return (name) => {
    const keyOf = (id: string): string => `${name} ${id}`;
    const find = async (id: string) => stored.get(keyOf(id));
    return {
      find,
      findByUid: async (uid) => [...stored.values()].find((payload) => payload.uid === uid),
      findByUserCode: async () => undefined,
      upsert: async (id, payload) => void stored.set(keyOf(id), payload),
      destroy: async (id) => void stored.delete(keyOf(id)),
      async consume(id) {
        const payload = await find(id);
        if (payload) payload['consumed'] = Math.floor(Date.now() / 1_000);
      },
      async revokeByGrantId(grantId) {
        for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
      },
    };
  };
}
