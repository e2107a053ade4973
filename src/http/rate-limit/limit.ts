import type { Context } from 'koa';
import type { ApiDeps } from '../deps.ts';
import { TooManyRequests } from '../errors.ts';
import { addressOf } from './address.ts';

/** The key a caller is counted under: its API key, or else its address. */
export const callerId = (ctx: Context, apiKeyId: string | undefined): string => apiKeyId ?? `address:${addressOf(ctx)}`;

/**
 * Takes one request out of the caller's allowance and reports the rest in `RateLimit-*` headers.
 * @param apiKeyId the caller; without one the address counts
 * @throws {TooManyRequests}
 */
export async function limitRate(ctx: Context, apiKeyId: string | undefined, { rateLimiter }: ApiDeps): Promise<void> {
  const taken = rateLimiter.take(callerId(ctx, apiKeyId));
  const verdict = taken instanceof Promise ? await taken : taken;
  if (!verdict) return;
  ctx.set('RateLimit-Limit', String(verdict.limit));
  ctx.set('RateLimit-Remaining', String(verdict.remaining));
  ctx.set('RateLimit-Reset', String(Math.ceil(verdict.resetSeconds)));
  if (!verdict.allowed) throw new TooManyRequests(verdict.retryAfterSeconds);
}
