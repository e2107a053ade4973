import type { Middleware } from 'koa';
import { MethodNotAllowed, NotFound } from './errors.ts';

interface MatchedLayer {
  methods: string[];
}

/** Runs after the routers: answers 405 with `Allow` (or OPTIONS with 200) for a path that exists, 404 otherwise. */
export const unmatched: Middleware = (ctx) => {
  if (ctx['routeMatched'] === true) return;
  const layers: MatchedLayer[] = ctx['matched'] ?? [];
  const allowed = [...new Set(layers.flatMap(({ methods }) => methods))].toSorted();
  if (allowed.length === 0) throw new NotFound('There is no such endpoint.');
  if (ctx.method !== 'OPTIONS') throw new MethodNotAllowed(allowed);
  ctx.status = 200;
  ctx.set('Allow', [...allowed, 'OPTIONS'].join(', '));
  ctx.body = '';
};
