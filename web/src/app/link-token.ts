/**
 * The token of a one-time link. It arrives in the fragment, which no server or log sees, and is removed before anything
 * else looks, so that neither the address nor the browser history keeps it.
 */
let token: string | undefined;

function capture(): void {
  const found = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (found === undefined) return;
  token = found;
  // Bypass the history object: the router listens there and would restart on a page whose token is gone.
  History.prototype.replaceState.call(history, history.state, '', location.pathname + location.search);
}

/** Looks for a token now, and whenever a link is pasted into the address of an open page. Runs before the router. */
export function watchForLinkTokens(): void {
  capture();
  addEventListener('popstate', capture);
}

export const hasLinkToken = (): boolean => token !== undefined;

/** Returns the token, once. */
export function takeLinkToken(): string | undefined {
  const taken = token;
  token = undefined;
  return taken;
}
