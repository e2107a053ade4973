/**
 * The token of a one-time link, taken out of the fragment of the address, where no server and no log ever sees it; it
 * is not left in the address either, and so not in the history of the browser.
 */
export function takeLinkToken(): string | undefined {
  const token = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
