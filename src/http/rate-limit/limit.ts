import type { Context } from 'koa';
import type { ApiDeps } from '../deps.ts';
import { TooManyRequests } from '../errors.ts';
import ipaddr from 'ipaddr.js';

/** The key a caller is counted under: its credential or team, or else its address. */
export const callerId = (ctx: Context, id: string | undefined): string => id ?? `address:${addressOf(ctx)}`;

/**
 * Takes one request out of the caller's allowance and reports the rest in `RateLimit-*` headers.
 * @param credentialId the caller; without one the address counts
 * @throws {TooManyRequests}
 */
export async function limitRate(
  ctx: Context,
  credentialId: string | undefined,
  { rateLimiter }: ApiDeps,
): Promise<void> {
  const taken = rateLimiter.take(callerId(ctx, credentialId));
  const verdict = taken instanceof Promise ? await taken : taken;
  if (!verdict) return;
  ctx.set('RateLimit-Limit', String(verdict.limit));
  ctx.set('RateLimit-Remaining', String(verdict.remaining));
  ctx.set('RateLimit-Reset', String(Math.ceil(verdict.resetSeconds)));
  if (!verdict.allowed) throw new TooManyRequests(verdict.retryAfterSeconds);
}

/** A subscriber gets at least this much of the IPv6 space, and could otherwise use a new address per request. */
const IPV6_PARTS_OF_ONE = 4;

/**
 * The address under which a caller without a key is counted: an IPv4 address, or the /64 network of an IPv6 one. Trusts
 * what a trusted proxy forwards (see `trustedProxies` in config.ts) unless it is not an address.
 */
export function addressOf(ctx: Context): string {
  for (const text of [ctx.ip, ctx.req.socket.remoteAddress]) {
    if (text === undefined || !ipaddr.isValid(text)) continue;
    const address = ipaddr.process(text);
    if (!(address instanceof ipaddr.IPv6)) return address.toString();
    const network = address.parts.slice(0, IPV6_PARTS_OF_ONE).map((part) => part.toString(16));
    return `${network.join(':')}::/64`;
  }
  return 'unknown';
}
