import type Koa from 'koa';

/** Long responses that are open on an app; each is told when the app begins to stop. */
const openOn = new WeakMap<Koa, Set<() => void>>();

function listeners(app: Koa): Set<() => void> {
  let set = openOn.get(app);
  if (!set) {
    set = new Set();
    openOn.set(app, set);
  }
  return set;
}

/**
 * Calls `listener` when the app begins to stop.
 * @returns a function that takes the listener back
 */
export function onShutdown(app: Koa, listener: () => void): () => void {
  const set = listeners(app);
  set.add(listener);
  return () => void set.delete(listener);
}

/** Tells everything that is still open on the app that it begins to stop. */
export function announceShutdown(app: Koa): void {
  for (const listener of listeners(app)) listener();
}

/** How many long responses are open on the app. */
export const openStreams = (app: Koa): number => openOn.get(app)?.size ?? 0;
