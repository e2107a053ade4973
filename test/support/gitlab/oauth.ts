/**
 * GitLab's OAuth server (https://docs.gitlab.com/api/oauth2/): consent with PKCE, and refresh tokens of which each works
 * once. A refresh ends the access token and the refresh token that came before, and wants the redirect again.
 */
import { createHash, randomBytes } from 'node:crypto';

const TOKEN_SECONDS = 7_200;

export interface GitLabToken {
  user: string;
  scopes: string[];
  expiresAt: number;
  isRevoked: boolean;
  refresh: string;
  redirectUri: string;
}

export interface OauthAnswer {
  status: number;
  body?: object;
  location?: string;
}

const refuse = (error: string, description: string, status = 400): OauthAnswer => ({
  status,
  body: { error, error_description: description },
});

const INVALID_CLIENT = refuse(
  'invalid_client',
  'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  401,
);
const INVALID_GRANT = refuse(
  'invalid_grant',
  'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
);

export class GitLabOauth {
  readonly client = {
    id: 'b5840a6e5d9b4c9f8f1e',
    secret: 'gloas-secret-of-the-application',
    redirectUris: ['http://127.0.0.1:3000/integrations/callback'],
  };
  /** Who gives consent. */
  user = 'ann';
  /** Consent is denied. */
  denies = false;
  /** Refreshes that succeeded. */
  refreshes = 0;
  /** By access token. */
  readonly tokens = new Map<string, GitLabToken>();
  readonly #codes = new Map<string, { challenge: string; redirectUri: string; scopes: string[] }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A token without the flow. */
  issue(scopes = ['api'], user = this.user): string {
    return this.#grant(user, scopes, this.client.redirectUris[0]!).access;
  }

  /** The person revokes consent. */
  revokeAll(): void {
    for (const token of this.tokens.values()) token.isRevoked = true;
  }

  /** All that are good now. */
  live(): string[] {
    return [...this.tokens].filter(([, { isRevoked }]) => !isRevoked).map(([access]) => access);
  }

  /** `GET /oauth/authorize` */
  authorize(query: URLSearchParams): OauthAnswer {
    const redirectUri = query.get('redirect_uri') ?? '';
    const isKnown = query.get('client_id') === this.client.id && this.client.redirectUris.includes(redirectUri);
    if (!isKnown) return refuse('invalid_client', 'Client authentication failed due to unknown client', 401);
    const back = new URL(redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    const challenge = query.get('code_challenge') ?? '';
    const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean);
    const problem =
      (query.get('response_type') !== 'code' && 'unsupported_response_type') ||
      (scopes.some((scope) => !['api', 'read_user', 'read_api'].includes(scope)) && 'invalid_scope') ||
      ((query.get('code_challenge_method') !== 'S256' || challenge.length !== 43) && 'invalid_request') ||
      (this.denies && 'access_denied');
    if (problem) {
      back.searchParams.set('error', problem);
      return { status: 302, location: back.href };
    }
    const code = randomBytes(32).toString('hex');
    this.#codes.set(code, { challenge, redirectUri, scopes });
    back.searchParams.set('code', code);
    return { status: 302, location: back.href };
  }

  /** `POST /oauth/token` */
  token(form: URLSearchParams): OauthAnswer {
    if (!this.#isClient(form)) return INVALID_CLIENT;
    const type = form.get('grant_type');
    if (type === 'refresh_token') return this.#refresh(form);
    if (type !== 'authorization_code')
      return refuse(
        'unsupported_grant_type',
        'The authorization grant type is not supported by the authorization server.',
      );
    const code = form.get('code') ?? '';
    const issued = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!issued || form.get('redirect_uri') !== issued.redirectUri || challenge !== issued.challenge)
      return INVALID_GRANT;
    return this.#answer(this.#grant(this.user, issued.scopes, issued.redirectUri));
  }

  /** `POST /oauth/revoke`: of an access token or a refresh token, and with it of the other. */
  revoke(form: URLSearchParams): OauthAnswer {
    if (!this.#isClient(form)) return { ...INVALID_CLIENT, status: 403 };
    const token = form.get('token') ?? '';
    for (const [access, grant] of this.tokens) if (access === token || grant.refresh === token) grant.isRevoked = true;
    return { status: 200, body: {} };
  }

  #refresh(form: URLSearchParams): OauthAnswer {
    const found = [...this.tokens.values()].find(({ refresh }) => refresh === form.get('refresh_token'));
    if (!found || found.isRevoked || form.get('redirect_uri') !== found.redirectUri) return INVALID_GRANT;
    found.isRevoked = true;
    this.refreshes += 1;
    return this.#answer(this.#grant(found.user, found.scopes, found.redirectUri));
  }

  #isClient(form: URLSearchParams): boolean {
    return form.get('client_id') === this.client.id && form.get('client_secret') === this.client.secret;
  }

  #grant(user: string, scopes: string[], redirectUri: string) {
    const access = randomBytes(32).toString('hex');
    const expiresAt = this.#now() + TOKEN_SECONDS * 1000;
    const token = { user, scopes, redirectUri, expiresAt, isRevoked: false, refresh: randomBytes(32).toString('hex') };
    this.tokens.set(access, token);
    return { access, ...token };
  }

  #answer({ access, refresh, scopes }: Pick<GitLabToken, 'refresh' | 'scopes'> & { access: string }): OauthAnswer {
    return {
      status: 200,
      body: {
        access_token: access,
        token_type: 'Bearer',
        expires_in: TOKEN_SECONDS,
        refresh_token: refresh,
        scope: scopes.join(' '),
        created_at: Math.floor(this.#now() / 1000),
      },
    };
  }
}
