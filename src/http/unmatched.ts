import type { Middleware } from 'koa';
import { MethodNotAllowed, NotFound } from './errors.ts';

interface MatchedLayer {
  methods: string[];
}

/** After the routers: a path that exists answers 405 with `Allow` (or OPTIONS with 200), one that does not 404. */
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
