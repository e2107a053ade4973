import ipaddr from 'ipaddr.js';
import type { Context } from 'koa';

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
