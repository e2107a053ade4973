/** The browser's session cookie, and what keeps other sites from using it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { Forbidden } from './errors.ts';

/** Whether browsers reach the app over TLS only, so that cookies can be restricted to TLS. */
const isSecure = (appUrl: string | undefined): boolean => /^https:/i.test(appUrl ?? '');

/** With this prefix, a browser accepts the cookie only from this host over TLS: no sibling domain can plant one. */
export const cookieName = (name: string, appUrl: string | undefined): string =>
  isSecure(appUrl) ? `__Host-${name}` : name;

const SESSION = 'casebook_session';

/** Every value of a cookie in a request. Names are compared literally; values are not decoded. */
export function cookieValues(header: string | undefined, name: string): string[] {
  if (header === undefined) return [];
  return header.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals > 0 && pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });
}

/** The session secrets in a request; more than one if someone planted another. */
export const sessionSecrets = (headers: Context['req']['headers'], appUrl: string | undefined): string[] =>
  cookieValues(headers.cookie, cookieName(SESSION, appUrl));

/**
 * A `Set-Cookie` header for a cookie that is invisible to scripts and absent from other sites' requests, links aside.
 * @param cookie.maxAgeSeconds 0 makes the browser forget it
 * @param appUrl determines the name and `Secure`
 */
export function setCookie(
  cookie: { name: string; value: string; maxAgeSeconds: number },
  appUrl: string | undefined,
): string {
  const { name, value, maxAgeSeconds } = cookie;
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure(appUrl) ? '; Secure' : ''}`;
  return `${cookieName(name, appUrl)}=${value}; ${attributes}`;
}

export const sessionCookie = (secret: string, maxAgeSeconds: number, appUrl: string | undefined): string =>
  setCookie({ name: SESSION, value: secret, maxAgeSeconds }, appUrl);

export const clearedSessionCookie = (appUrl: string | undefined): string => sessionCookie('', 0, appUrl);

/** The value a page must send in `X-CSRF-Token`: the session's owner can derive it, other sites cannot. */
export const csrfTokenOf = (sessionSecret: string): string =>
  createHmac('sha256', sessionSecret).update('casebook csrf').digest('base64url');

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

const isSafe = (method: string): boolean => SAFE.has(method);

/**
 * For a request that a cookie authenticates, or that asks for one.
 * @throws {Forbidden} `csrf` when a page of another origin sent it
 */
export function refuseForeignPages(ctx: Context, appUrl: string | undefined): void {
  const { origin, host } = ctx.req.headers;
  const site = ctx.req.headers['sec-fetch-site'];
  const foreign = site === 'cross-site' || (origin !== undefined && !isOwnOrigin(origin, host ?? '', appUrl));
  if (foreign) throw new Forbidden('Cross-origin requests are not allowed.', 'csrf');
}

/** The web app's origin, or the one this request used (a development machine has several names). */
function isOwnOrigin(origin: string, host: string, appUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const given = new URL(origin);
  if (appUrl !== undefined && given.origin === new URL(appUrl).origin) return true;
  // Over TLS, only TLS origins are ours.
  if (isSecure(appUrl) && given.protocol !== 'https:') return false;
  return /^https?:$/.test(given.protocol) && host !== '' && given.host === normalHost(host, given.protocol);
}

/** A host as `URL` normalises it: without the scheme's default port. */
const normalHost = (host: string, protocol: string): string | undefined =>
  URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : undefined;

/**
 * For a request that a session cookie authenticates.
 * @throws {Forbidden} `csrf` when it may change something and does not come from our own page
 */
export function refuseForgery(ctx: Context, sessionSecret: string, appUrl: string | undefined): void {
  if (isSafe(ctx.method)) return;
  refuseForeignPages(ctx, appUrl);
  const given = Buffer.from(ctx.get('X-CSRF-Token'));
  const expected = Buffer.from(csrfTokenOf(sessionSecret));
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new Forbidden('X-CSRF-Token must carry the token from GET /api/session.', 'csrf');
}
