import type { Context } from 'koa';
import { Forbidden, Unauthorized } from './errors.ts';
import type { ApiDeps } from './deps.ts';
import { addressOf } from './rate-limit/address.ts';
import { refuseForgery, sessionSecrets } from './session-cookie.ts';

/** Who is calling: the key, its team, and what it may do. */
export interface Principal {
  /** Of a session that was signed in with an API key: that key. Of any other session: the session itself. */
  apiKeyId: string;
  /** The browser's session, where it is one that calls. */
  sessionId?: string;
  teamId: string;
  /** The user the key was made for; absent for a key of a program. */
  userId?: string;
  scopes: readonly string[];
}

/** On whose behalf something is done: a caller, or what a run has stored of the one who asked for it. */
export interface Requester {
  teamId: string;
  apiKeyId?: string;
  userId?: string;
  scopes: readonly string[];
}

/** An API key comes in a header, the secret of a session in a cookie: neither is taken for the other. */
export type SecretKind = 'key' | 'session';

/** Turns a secret into a principal. Implemented by the identity room. */
export interface Authenticator {
  /** @returns the principal, or undefined when the secret is unknown, expired or revoked */
  verify(secret: string, kind: SecretKind): Promise<Principal | undefined>;
  /** The principal of a secret that was verified a moment ago; never asks the database. */
  cached(secret: string, kind: SecretKind): Principal | undefined;
  /** Whether the secret was good when this process last looked; never asks the database. */
  recognises(secret: string, kind: SecretKind): boolean;
  /** When a secret expired that was looked up a moment ago and would be good otherwise; never asks the database. */
  expiredAt(secret: string, kind: SecretKind): Date | undefined;
}

/** Which header carries the key. */
export type Credential = 'x-api-key' | 'bearer';

export interface ApiKeyAuth {
  kind: 'api-key';
  /** All of these are required. */
  scopes: readonly string[];
  /** The headers that are accepted, in the order they are documented. The cookie of a session always is. */
  via: readonly Credential[];
}

export type Auth = 'none' | ApiKeyAuth;

/**
 * The endpoint needs an API key with all of these scopes, in `X-API-Key` or `Authorization: Bearer`.
 * Restrict the header with {@link apiKeyVia} where the interface names one.
 */
export const apiKey = (...scopes: string[]): ApiKeyAuth => ({ kind: 'api-key', scopes, via: ['x-api-key', 'bearer'] });

/** Like {@link apiKey}, with the key accepted in one header only. */
export const apiKeyVia = (via: Credential, ...scopes: string[]): ApiKeyAuth => ({
  kind: 'api-key',
  scopes,
  via: [via],
});

/** `system:admin` grants everything; `team:admin` everything within the team, that is all but `system:` scopes. */
export function grants(granted: readonly string[], required: string): boolean {
  if (granted.includes(required) || granted.includes('system:admin')) return true;
  return granted.includes('team:admin') && !required.startsWith('system:');
}

/**
 * For what only the handler knows to be needed.
 * @throws {Forbidden} when the caller has none of the scopes
 */
export function requireOneOf({ scopes: granted }: Pick<Principal, 'scopes'>, ...scopes: string[]): void {
  if (scopes.some((scope) => grants(granted, scope))) return;
  throw new Forbidden(`The API key lacks the scope ${scopes.join(' or ')}.`, 'insufficient_scope');
}

/** No secret of ours comes near it; what is longer is not worth hashing. */
const LONGEST_SECRET = 512;

/**
 * The key of a request, from the accepted headers.
 * @throws {Unauthorized} when it is absent, malformed, or two different keys are given
 */
export function credentialOf(headers: Context['req']['headers'], via: readonly Credential[]): string {
  const found: string[] = [];
  const apiKeyHeader = headers['x-api-key'];
  if (via.includes('x-api-key') && typeof apiKeyHeader === 'string' && apiKeyHeader !== '') found.push(apiKeyHeader);
  if (via.includes('bearer') && headers.authorization !== undefined) {
    const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization)?.[1];
    if (bearer === undefined) throw new Unauthorized('The Authorization header must have the form "Bearer API_KEY".');
    found.push(bearer);
  }
  const [key, other] = found;
  if (key === undefined) throw new Unauthorized(`An API key is required in ${describeVia(via)}.`);
  if (other !== undefined && other !== key) throw new Unauthorized('Two different API keys were given.');
  if (key.length > LONGEST_SECRET) throw new Unauthorized('The API key is not valid.');
  return key;
}

const describeVia = (via: readonly Credential[]): string =>
  via.map((name) => (name === 'bearer' ? 'the Authorization header (Bearer)' : 'the X-API-Key header')).join(' or ');

/** What a request is authenticated with. */
interface Given {
  secret: string;
  kind: SecretKind;
}

const hasKeyHeader = ({ 'x-api-key': apiKey, authorization }: Context['req']['headers']): boolean =>
  apiKey !== undefined || /^bearer\b/i.test(authorization ?? '');

/** The key in a header, or where there is none the session in the cookie. */
function givenBy(ctx: Context, auth: ApiKeyAuth, { config: { appUrl } }: ApiDeps): Given {
  const { headers } = ctx.req;
  const [secret, another] = hasKeyHeader(headers) ? [] : sessionSecrets(headers, appUrl);
  if (secret === undefined) return { secret: credentialOf(headers, auth.via), kind: 'key' };
  // One of them was planted, and nobody can say which.
  if (another !== undefined || secret.length > LONGEST_SECRET) throw sessionOver();
  return { secret, kind: 'session' };
}

/**
 * The browser keeps its cookie: by the time it has this answer it may have signed in anew, in another tab, and would lose
 * that session; and of two cookies it would keep the one that was planted.
 */
const sessionOver = (): Unauthorized => new Unauthorized('The session is over. Sign in again.');

/**
 * The caller of a request, for an endpoint with this kind of authentication.
 * @throws {Unauthorized} 401, {@link Forbidden} 403, {TooManyRequests} 429
 */
export async function authenticate(ctx: Context, auth: ApiKeyAuth, deps: ApiDeps): Promise<Principal> {
  const given = givenBy(ctx, auth, deps);
  const { secret, kind } = given;
  const principal = deps.authenticator.cached(secret, kind) ?? (await verify(ctx, given, deps));
  if (kind === 'session') refuseForgery(ctx, secret, deps.config.appUrl);
  for (const scope of auth.scopes) {
    if (!grants(principal.scopes, scope)) {
      throw new Forbidden(`The API key lacks the scope ${scope}.`, 'insufficient_scope', {
        headers: {
          'WWW-Authenticate': `Bearer realm="casebook", error="insufficient_scope", scope="${auth.scopes.join(' ')}"`,
        },
      });
    }
  }
  return principal;
}

/**
 * Whether the caller of a request that is answered for a long time would still be let in.
 * @throws what the look-up of the key throws: then nobody knows
 */
export async function mayStay(ctx: Context, auth: Auth, deps: ApiDeps): Promise<boolean> {
  if (auth === 'none') return true;
  const { secret, kind } = givenBy(ctx, auth, deps);
  const principal = await deps.authenticator.verify(secret, kind);
  return principal !== undefined && auth.scopes.every((scope) => grants(principal.scopes, scope));
}

/**
 * Looks up a secret that somebody may be guessing. An address that keeps failing is refused before its secret is looked
 * up, unless it is one that was good before: guessing costs the database nothing, and customers behind the same address
 * are not locked out.
 * @param lookUp finds what the secret is for
 * @returns what was found; undefined, and counted, when there is nothing
 * @throws {TooManyRequests}
 */
export async function unlessGuessing<T>(
  ctx: Context,
  { failedAuthLimiter }: ApiDeps,
  lookUp: () => Promise<T | undefined>,
  isKnown = false,
): Promise<T | undefined> {
  const address = addressOf(ctx);
  if (!isKnown) return failedAuthLimiter.attempt(address, lookUp);
  const found = await lookUp();
  if (found === undefined) await failedAuthLimiter.count(address);
  return found;
}

async function verify(ctx: Context, { secret, kind }: Given, deps: ApiDeps): Promise<Principal> {
  const { authenticator } = deps;
  const isKnown = authenticator.recognises(secret, kind);
  const principal = await unlessGuessing(ctx, deps, () => authenticator.verify(secret, kind), isKnown);
  if (principal) return principal;
  if (kind === 'session') throw sessionOver();
  throw keyNotValid(authenticator.expiredAt(secret, kind));
}

/** For a key that nobody knows, or that has expired. */
export function keyNotValid(expiredAt?: Date): Unauthorized {
  const detail = expiredAt ? `The API key expired at ${expiredAt.toISOString()}.` : 'The API key is not valid.';
  return new Unauthorized(detail, {
    headers: { 'WWW-Authenticate': 'Bearer realm="casebook", error="invalid_token"' },
  });
}
