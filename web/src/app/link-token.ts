/**
 * The token of a one-time link. It comes in the fragment of the address, where no server and no log ever sees it, and
 * is taken out of there before anything else looks: it is not left in the address, nor in the history of the browser.
 */
let token: string | undefined;

function capture(): void {
  const found = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (found === undefined) return;
  token = found;
  // Not through the object: the router listens there, and would begin anew with a page whose token is gone.
  History.prototype.replaceState.call(history, history.state, '', location.pathname + location.search);
}

/** Looks for a token now, and whenever somebody puts a link into the address of a page that is open. Before the router. */
export function watchForLinkTokens(): void {
  capture();
  addEventListener('popstate', capture);
}

export const hasLinkToken = (): boolean => token !== undefined;

/** The token, once. */
export function takeLinkToken(): string | undefined {
  const taken = token;
  token = undefined;
  return taken;
}
