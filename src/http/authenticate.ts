import type { Context } from 'koa';
import { Forbidden, TooManyRequests, Unauthorized } from './errors.ts';
import type { ApiDeps } from './deps.ts';
import { addressOf } from './rate-limit/address.ts';

/** Who is calling: the key, its team, and what it may do. */
export interface Principal {
  apiKeyId: string;
  teamId: string;
  /** The user the key was made for; absent for a key of a program. */
  userId?: string;
  scopes: readonly string[];
}

/** Turns a credential into a principal. Implemented by the teams room. */
export interface Authenticator {
  /** @returns the principal, or undefined when the key is unknown or revoked */
  verify(apiKey: string): Promise<Principal | undefined>;
  /** The principal of a key that was verified a moment ago; never asks the database. */
  cached(apiKey: string): Principal | undefined;
  /** Whether the key was good when this process last looked; never asks the database. */
  recognises(apiKey: string): boolean;
}

/** Which header carries the key. */
export type Credential = 'x-api-key' | 'bearer';

export interface ApiKeyAuth {
  kind: 'api-key';
  /** All of these are required. */
  scopes: readonly string[];
  /** The headers that are accepted, in the order they are documented. */
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

/** No key of ours comes near it; what is longer is not worth hashing. */
const LONGEST_KEY = 512;

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
  if (key.length > LONGEST_KEY) throw new Unauthorized('The API key is not valid.');
  return key;
}

const describeVia = (via: readonly Credential[]): string =>
  via.map((name) => (name === 'bearer' ? 'the Authorization header (Bearer)' : 'the X-API-Key header')).join(' or ');

/**
 * The caller of a request, for an endpoint with this kind of authentication.
 * An address that keeps failing is refused before its key is looked up, unless the key is one that was good before:
 * guessing costs the database nothing, and customers behind the same address are not locked out.
 * @throws {Unauthorized} 401, {@link Forbidden} 403, {@link TooManyRequests} 429
 */
export async function authenticate(ctx: Context, auth: ApiKeyAuth, deps: ApiDeps): Promise<Principal> {
  const key = credentialOf(ctx.req.headers, auth.via);
  const principal = deps.authenticator.cached(key) ?? (await verify(ctx, key, deps));
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
  const principal = await deps.authenticator.verify(credentialOf(ctx.req.headers, auth.via));
  return principal !== undefined && auth.scopes.every((scope) => grants(principal.scopes, scope));
}

async function verify(ctx: Context, key: string, deps: ApiDeps): Promise<Principal> {
  const address = addressOf(ctx);
  const blocked = deps.authenticator.recognises(key) ? undefined : await deps.failedAuthLimiter.exhausted(address);
  if (blocked) throw new TooManyRequests(blocked.retryAfterSeconds, 'Too many failed authentications.');
  const principal = await deps.authenticator.verify(key);
  if (principal) return principal;
  await deps.failedAuthLimiter.take(address);
  throw new Unauthorized('The API key is not valid.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="casebook", error="invalid_token"' },
  });
}
