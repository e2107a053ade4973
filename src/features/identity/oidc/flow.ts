/** What a browser keeps while it is at the identity provider: sealed, so that it can be neither read nor forged. */
import type { Context } from 'koa';
import { z } from 'zod';
import { cookieName, cookieValues, setCookie } from '../../../http/session-cookie.ts';
import { SecretError, type SecretBox } from '../../../platform/secrets.ts';

const Flow = z.object({
  /** Ties the response to this browser. */
  state: z.string(),
  /** Ties the ID token to this sign-in. */
  nonce: z.string(),
  /** Of PKCE. */
  verifier: z.string(),
  /** Where the person ends up. */
  to: z.string(),
});
export type Flow = z.infer<typeof Flow>;

const Sealed = z.object({ flow: Flow, until: z.number() });

const COOKIE = 'casebook_sign_in';
const CONTEXT = 'sign-in through the identity provider';
const LASTS_SECONDS = 600;

interface Kept {
  secrets: SecretBox;
  /** As configured; determines the cookie's name. */
  appUrl: string | undefined;
  now: Date;
}

/** @returns a `Set-Cookie` header */
export function keepFlow(flow: Flow, { secrets, appUrl, now }: Kept): string {
  const until = now.getTime() + LASTS_SECONDS * 1_000;
  const value = secrets.seal(JSON.stringify({ flow, until }), CONTEXT);
  return setCookie({ name: COOKIE, value, maxAgeSeconds: LASTS_SECONDS }, appUrl);
}

/** @returns a `Set-Cookie` header */
export const forgetFlow = (appUrl: string | undefined): string =>
  setCookie({ name: COOKIE, value: '', maxAgeSeconds: 0 }, appUrl);

/** The browser's current flow; undefined if there is none, or it took too long. */
export function readFlow(ctx: Context, { secrets, appUrl, now }: Kept): Flow | undefined {
  const [value, another] = cookieValues(ctx.req.headers.cookie, cookieName(COOKIE, appUrl));
  if (value === undefined || another !== undefined) return undefined;
  try {
    const { flow, until } = Sealed.parse(JSON.parse(secrets.open(value, CONTEXT)));
    return until > now.getTime() ? flow : undefined;
  } catch (error) {
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}
