import type { Context } from 'koa';
import { Forbidden, Unauthorized } from './errors.ts';
import type { ApiDeps } from './deps.ts';
import { addressOf } from './rate-limit/limit.ts';
import { refuseForgery, sessionSecrets } from './session-cookie.ts';

/** Who acts: a caller, or a run on a caller's behalf. */
export interface Actor {
  teamId: string;
  /** The key or, without one, the session; absent if nobody asked. */
  credentialId?: string;
  /** The person; absent for a program. */
  userId?: string;
  scopes: readonly string[];
}

/** An actor that calls the API. */
export interface Principal extends Actor {
  /** The API key a session was signed in with; otherwise the session itself. */
  credentialId: string;
  /** The browser session, if the request came from one. */
  sessionId?: string;
}

/** The actor behind a row, from its creator columns and granted scopes. */
export const actorOf = (row: {
  teamId: string;
  createdByCredentialId: string | null;
  createdByUserId: string | null;
  scopes: readonly string[];
}): Actor => ({
  teamId: row.teamId,
  credentialId: row.createdByCredentialId ?? undefined,
  userId: row.createdByUserId ?? undefined,
  scopes: row.scopes,
});

/** API keys come in a header, session secrets in a cookie; neither is accepted in place of the other. */
export type SecretKind = 'key' | 'session';

/** Resolves a secret to a principal. Implemented by the identity room. */
export interface Authenticator {
  /** @returns the principal, or undefined when the secret is unknown, expired or revoked */
  verify(secret: string, kind: SecretKind): Promise<Principal | undefined>;
  /** The principal of a recently verified secret; never queries the database. */
  cached(secret: string, kind: SecretKind): Principal | undefined;
  /** Whether the secret was valid when this process last checked; never queries the database. */
  recognises(secret: string, kind: SecretKind): boolean;
  /** When a recently looked-up, otherwise valid secret expired; never queries the database. */
  expiredAt(secret: string, kind: SecretKind): Date | undefined;
}

/** The header that carries the key. */
export type Credential = 'x-api-key' | 'bearer';

export interface ApiKeyAuth {
  kind: 'api-key';
  /** All of them are required. */
  scopes: readonly string[];
  /** Accepted headers, in documentation order. A session cookie is always accepted. */
  via: readonly Credential[];
}

export type Auth = 'none' | ApiKeyAuth;

/**
 * Requires an API key with all of these scopes, in `X-API-Key` or `Authorization: Bearer`. Use {@link apiKeyVia} where
 * the interface prescribes one header.
 */
export const apiKey = (...scopes: string[]): ApiKeyAuth => ({ kind: 'api-key', scopes, via: ['x-api-key', 'bearer'] });

/** Like {@link apiKey}, but accepts the key in one header only. */
export const apiKeyVia = (via: Credential, ...scopes: string[]): ApiKeyAuth => ({
  kind: 'api-key',
  scopes,
  via: [via],
});

/**
 * `system:admin` grants everything; `team:admin` grants everything within the team, that is, all scopes but `system:`.
 */
export function grants(granted: readonly string[], required: string): boolean {
  if (granted.includes(required) || granted.includes('system:admin')) return true;
  return granted.includes('team:admin') && !required.startsWith('system:');
}

/**
 * For requirements that only the handler knows.
 * @throws {Forbidden} when the caller has none of the scopes
 */
export function requireOneOf({ scopes: granted }: Pick<Principal, 'scopes'>, ...scopes: string[]): void {
  if (scopes.some((scope) => grants(granted, scope))) return;
  throw new Forbidden(`The API key lacks the scope ${scopes.join(' or ')}.`, 'insufficient_scope');
}

/** Far longer than any of our secrets; anything longer is not worth hashing. */
const MAX_SECRET_LENGTH = 512;

/**
 * Reads the key from the accepted headers.
 * @throws {Unauthorized} when it is missing or malformed, or when two different keys are given
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
  if (key.length > MAX_SECRET_LENGTH) throw new Unauthorized('The API key is not valid.');
  return key;
}

const describeVia = (via: readonly Credential[]): string =>
  via.map((name) => (name === 'bearer' ? 'the Authorization header (Bearer)' : 'the X-API-Key header')).join(' or ');

/** What a request authenticates with. */
interface Given {
  secret: string;
  kind: SecretKind;
}

const hasKeyHeader = ({ 'x-api-key': apiKey, authorization }: Context['req']['headers']): boolean =>
  apiKey !== undefined || /^bearer\b/i.test(authorization ?? '');

/** The key in a header, else the session in the cookie. */
function givenBy(ctx: Context, auth: ApiKeyAuth, { config: { appUrl } }: ApiDeps): Given {
  const { headers } = ctx.req;
  const [secret, another] = hasKeyHeader(headers) ? [] : sessionSecrets(headers, appUrl);
  if (secret === undefined) return { secret: credentialOf(headers, auth.via), kind: 'key' };
  // Another site planted one of them, and we cannot tell which.
  if (another !== undefined || secret.length > MAX_SECRET_LENGTH) throw sessionOver();
  return { secret, kind: 'session' };
}

/**
 * Leave the cookie alone. The browser may have signed in again in another tab by now and would lose that session; and
 * of two cookies it would keep the planted one.
 */
const sessionOver = (): Unauthorized => new Unauthorized('The session has ended. Sign in again.');

/**
 * Authenticates the caller of a request as the endpoint demands.
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
 * For a long-running request: whether its caller would still be let in. It keeps the secret and not the request.
 * @returns rejects with whatever looking the key up throws; the answer is then unknown
 */
export function stayCheck(ctx: Context, auth: Auth, deps: ApiDeps): () => Promise<boolean> {
  if (auth === 'none') return async () => true;
  const { secret, kind } = givenBy(ctx, auth, deps);
  return async () => {
    const principal = await deps.authenticator.verify(secret, kind);
    return principal !== undefined && auth.scopes.every((scope) => grants(principal.scopes, scope));
  };
}

/**
 * Looks up a secret that may be a guess. An address that keeps failing is refused before the look-up, unless its secret
 * was valid recently: guessing costs the database nothing, and customers behind the same address are not locked out.
 * @param lookUp resolves the secret
 * @returns the result; undefined, and counted as a failure, if there is none
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

/** Thrown for an unknown or expired key. */
export function keyNotValid(expiredAt?: Date): Unauthorized {
  const detail = expiredAt ? `The API key expired at ${expiredAt.toISOString()}.` : 'The API key is not valid.';
  return new Unauthorized(detail, {
    headers: { 'WWW-Authenticate': 'Bearer realm="casebook", error="invalid_token"' },
  });
}
