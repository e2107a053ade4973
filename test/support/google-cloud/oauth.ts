/**
 * Google's OAuth server: consent with PKCE (RFC 6749, 7636), tokens for codes, refresh tokens and assertions of service
 * accounts (RFC 7523), and revocation (RFC 7009). Errors have Google's words.
 */
import { createHash, generateKeyPairSync, randomBytes, verify } from 'node:crypto';

export const GOOGLE_SCOPES = 'https://www.googleapis.com/auth/';
const TOKEN_SECONDS = 3_599;
/** What Google's clock and a client's may differ by. */
const SKEW_SECONDS = 300;
const MAX_ASSERTION_SECONDS = 3_600;

export interface OauthClient {
  clientId: string;
  clientSecret: string;
  redirectUris: string[];
}

/** The file that Google gives for a service account's key. */
export interface KeyFile {
  type: 'service_account';
  project_id: string;
  private_key_id: string;
  private_key: string;
  client_email: string;
  client_id: string;
  auth_uri: string;
  token_uri: string;
  universe_domain: string;
}

interface Grant {
  subject: string;
  scopes: string[];
  expiresAt: number;
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

export class GoogleOauth {
  readonly client: OauthClient = {
    clientId: '407408718192-casebook.apps.googleusercontent.com',
    clientSecret: 'GOCSPX-secret-of-the-client',
    redirectUris: ['http://127.0.0.1:3000/api/integrations/google/callback'],
  };
  /** The claims of the assertions that were accepted. */
  readonly assertions: Record<string, unknown>[] = [];
  /** Number of refresh tokens that were exchanged. */
  refreshes = 0;
  /** Consent is denied. */
  denies = false;
  /** No refresh token is accepted any more, as after a week of an app in testing, or a change of password. */
  refusesRefresh = false;
  /** A refresh token is good once, and brings the next one: not as Google does, but as many others do. */
  rotates = false;
  readonly #now: () => number;
  readonly #tokenUrls: () => string[];
  readonly #keys = new Map<string, { id: string; key: string }>();
  readonly #codes = new Map<string, { challenge: string; redirectUri: string; scopes: string[]; offline: boolean }>();
  readonly #refreshTokens = new Map<string, string[]>();
  readonly #grants = new Map<string, Grant>();

  /** @param tokenUrls what an assertion may have as its audience */
  constructor(now: () => number, tokenUrls: () => string[]) {
    this.#now = now;
    this.#tokenUrls = tokenUrls;
  }

  /** A new service account with a key. */
  createServiceAccount(project: string, name = 'reader'): KeyFile {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const email = `${name}@${project}.iam.gserviceaccount.com`;
    const id = randomBytes(20).toString('hex');
    this.#keys.set(email, { id, key: publicKey });
    return {
      type: 'service_account',
      project_id: project,
      private_key_id: id,
      private_key: privateKey,
      client_email: email,
      client_id: '103402350174950174023',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: 'https://oauth2.googleapis.com/token',
      universe_domain: 'googleapis.com',
    };
  }

  deleteServiceAccount(email: string): void {
    this.#keys.delete(email);
  }

  /** A token of a user, without the flow. */
  issue(scopes: readonly string[]): string {
    return this.#grant('user', [...scopes]);
  }

  /** Forgets every token that was issued. */
  revokeAll(): void {
    this.#grants.clear();
    this.#refreshTokens.clear();
  }

  scopesOf(token: string): string[] | undefined {
    const grant = this.#grants.get(token);
    return grant && grant.expiresAt > this.#now() ? grant.scopes : undefined;
  }

  /** `GET /o/oauth2/v2/auth`: the user has consented, or denied. */
  authorize(query: URLSearchParams): OauthAnswer {
    const redirectUri = query.get('redirect_uri') ?? '';
    if (query.get('client_id') !== this.client.clientId)
      return refuse('invalid_client', 'The OAuth client was not found.', 401);
    if (!this.client.redirectUris.includes(redirectUri)) return refuse('redirect_uri_mismatch', 'Bad Request');
    const challenge = query.get('code_challenge') ?? '';
    const back = new URL(redirectUri);
    const state = query.get('state');
    if (state !== null) back.searchParams.set('state', state);
    const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean);
    const problem =
      (query.get('response_type') !== 'code' && 'unsupported_response_type') ||
      (scopes.length === 0 && 'invalid_scope') ||
      ((query.get('code_challenge_method') !== 'S256' || challenge.length !== 43) && 'invalid_request') ||
      (this.denies && 'access_denied');
    if (problem) {
      back.searchParams.set('error', problem);
      return { status: 302, location: back.href };
    }
    const code = `4/0${randomBytes(24).toString('base64url')}`;
    this.#codes.set(code, { challenge, redirectUri, scopes, offline: query.get('access_type') === 'offline' });
    back.searchParams.set('code', code);
    back.searchParams.set('scope', scopes.join(' '));
    return { status: 302, location: back.href };
  }

  /** `POST /token` */
  token(form: URLSearchParams): OauthAnswer {
    const allowed = ALLOWED[form.get('grant_type') ?? ''];
    if (!allowed) return refuse('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type') ?? ''}`);
    const unknown = [...form.keys()].find((name) => !allowed.includes(name));
    if (unknown !== undefined)
      return refuse('invalid_request', `Parameter not allowed for this message type: ${unknown}`);
    if (form.has('assertion')) return this.#exchangeAssertion(form.get('assertion')!);
    if (form.get('client_id') !== this.client.clientId)
      return refuse('invalid_client', 'The OAuth client was not found.', 401);
    if (form.get('client_secret') !== this.client.clientSecret) return refuse('invalid_client', 'Unauthorized', 401);
    return form.get('grant_type') === 'refresh_token' ? this.#refresh(form) : this.#exchangeCode(form);
  }

  /** `POST /revoke`: of a service account's token, or of any token of the user, and with it all that the user consented to. */
  revoke(token: string): OauthAnswer {
    const subject = this.#refreshTokens.has(token) ? 'user' : this.#grants.get(token)?.subject;
    if (subject === undefined) return refuse('invalid_token', 'Token expired or revoked');
    if (subject !== 'user') this.#grants.delete(token);
    else {
      this.#refreshTokens.clear();
      for (const [key, grant] of this.#grants) if (grant.subject === subject) this.#grants.delete(key);
    }
    return { status: 200, body: {} };
  }

  #exchangeCode(form: URLSearchParams): OauthAnswer {
    const code = form.get('code') ?? '';
    const issued = this.#codes.get(code);
    this.#codes.delete(code);
    if (!issued) return refuse('invalid_grant', 'Malformed auth code.');
    if (form.get('redirect_uri') !== issued.redirectUri) return refuse('redirect_uri_mismatch', 'Bad Request');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (challenge !== issued.challenge) return refuse('invalid_grant', 'Invalid code verifier.');
    const refresh = issued.offline ? `1//${randomBytes(32).toString('base64url')}` : undefined;
    if (refresh !== undefined) this.#refreshTokens.set(refresh, issued.scopes);
    return this.#answer(this.#grant('user', issued.scopes), issued.scopes, refresh);
  }

  #refresh(form: URLSearchParams): OauthAnswer {
    const token = form.get('refresh_token') ?? '';
    const scopes = this.#refreshTokens.get(token);
    if (!scopes || this.refusesRefresh) return refuse('invalid_grant', 'Token has been expired or revoked.');
    this.refreshes += 1;
    if (!this.rotates) return this.#answer(this.#grant('user', scopes), scopes);
    this.#refreshTokens.delete(token);
    const next = `1//${randomBytes(32).toString('base64url')}`;
    this.#refreshTokens.set(next, scopes);
    return this.#answer(this.#grant('user', scopes), scopes, next);
  }

  #exchangeAssertion(assertion: string): OauthAnswer {
    const parts = assertion.split('.');
    const [header, claims] = parts.slice(0, 2).map(decode);
    if (parts.length !== 3 || !header || !claims) return refuse('invalid_grant', 'Bad Request');
    const account = this.#keys.get(String(claims['iss']));
    if (!account) return refuse('invalid_grant', 'Invalid grant: account not found');
    const signature = Buffer.from(parts[2]!, 'base64url');
    const isSigned =
      header['alg'] === 'RS256' &&
      (header['kid'] === undefined || header['kid'] === account.id) &&
      verify('sha256', Buffer.from(parts.slice(0, 2).join('.')), account.key, signature);
    if (!isSigned) return refuse('invalid_grant', 'Invalid JWT Signature.');
    if (!this.#tokenUrls().includes(String(claims['aud'])))
      return refuse(
        'invalid_grant',
        `Invalid JWT: Failed audience check. The right audience is ${this.#tokenUrls()[0]}`,
      );
    const [iat, exp, now] = [Number(claims['iat']), Number(claims['exp']), this.#now() / 1000];
    if (!(Math.abs(now - iat) < SKEW_SECONDS && exp > now && exp - iat <= MAX_ASSERTION_SECONDS))
      return refuse(
        'invalid_grant',
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      );
    const scopes = typeof claims['scope'] === 'string' ? claims['scope'].split(' ') : [''];
    if (!scopes.every((scope) => /^https:\/\/www\.googleapis\.com\/auth\/[a-z.-]+$/u.test(scope)))
      return refuse('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    this.assertions.push(claims);
    return this.#answer(this.#grant(String(claims['iss']), scopes));
  }

  #grant(subject: string, scopes: string[]): string {
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    this.#grants.set(token, { subject, scopes, expiresAt: this.#now() + TOKEN_SECONDS * 1000 });
    return token;
  }

  #answer(token: string, scopes?: string[], refresh?: string): OauthAnswer {
    return {
      status: 200,
      body: {
        access_token: token,
        expires_in: TOKEN_SECONDS,
        token_type: 'Bearer',
        ...(scopes && { scope: scopes.join(' ') }),
        ...(refresh !== undefined && { refresh_token: refresh }),
      },
    };
  }
}

const CLIENT = ['grant_type', 'client_id', 'client_secret'];
const ALLOWED: Record<string, string[]> = {
  authorization_code: [...CLIENT, 'code', 'redirect_uri', 'code_verifier'],
  refresh_token: [...CLIENT, 'refresh_token', 'scope'],
  'urn:ietf:params:oauth:grant-type:jwt-bearer': ['grant_type', 'assertion'],
};

function decode(part: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
