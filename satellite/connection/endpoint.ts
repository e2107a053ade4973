/** Where the satellite connects. */
import { CONNECT_PATH } from '@casebook/wire';

interface Endpoint {
  /** `ws:` or `wss:`. */
  url: string;
  /** The token would be readable in transit. */
  exposed: boolean;
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** @param base Casebook's base URL: http, https, ws or wss; a path prefix is kept */
export function endpointOf(base: string): Endpoint {
  const url = new URL(base);
  const secure = url.protocol === 'https:' || url.protocol === 'wss:';
  url.protocol = secure ? 'wss:' : 'ws:';
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(CONNECT_PATH) ? path : path + CONNECT_PATH;
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  return { url: url.href, exposed: !secure && !LOOPBACK.test(url.hostname) };
}
