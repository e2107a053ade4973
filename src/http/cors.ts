import cors from '@koa/cors';
import type { Middleware } from 'koa';

/**
 * Lets pages of these origins call the API. Without origins there is no CORS, so no other origin can. Session cookies
 * are for our own pages: credentials are not allowed.
 * @param origins exact origins, or `*`
 * @returns zero or one middleware
 */
export function corsFor(origins: readonly string[]): Middleware[] {
  if (origins.length === 0) return [];
  const any = origins.includes('*');
  // Browsers send no trailing slash; people configure one.
  const known = new Set(origins.map((origin) => origin.replace(/\/+$/, '')));
  return [
    cors({
      origin: (ctx) => {
        const origin = ctx.get('Origin');
        return any ? '*' : known.has(origin) ? origin : '';
      },
      allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: ['Content-Type', 'Authorization', 'X-API-Key', 'Last-Event-ID', 'Idempotency-Key', 'X-Request-Id'],
      exposeHeaders: ['X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
      maxAge: 600,
    }),
  ];
}
