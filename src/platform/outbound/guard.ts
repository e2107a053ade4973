/** Decides where a request may go: by its URL before it is made, and by every address of its host when it connects. */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import type { AllowList } from './allow-list.ts';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

/** Resolves names as the operating system does, including the hosts file. */
const systemResolve: Resolve = (host) => systemLookup(host, { all: true });

export interface Guard {
  /**
   * What is wrong with a URL as written, phrased for the person who entered it; undefined if nothing. No DNS look-up.
   */
  urlProblem(url: string | URL): string | undefined;
  /** The same for a host alone, a name or an address, that is reached by a protocol other than HTTP. */
  hostProblem(host: string): string | undefined;
  /**
   * Resolves for the connection itself, so that no second look-up can return something else. Fails with {@link
   * OutboundError} if any of the addresses is not allowed.
   */
  lookup: LookupFunction;
}

const HINT = 'The operator of this installation can allow it with CASEBOOK_OUTBOUND_ALLOW.';

/** The host of a URL as DNS and sockets take it: an IPv6 address without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

export function createGuard(allow: AllowList, resolve: Resolve = systemResolve): Guard {
  const allows = (address: string): boolean => isPublicAddress(address) || allow.hasAddress(address);

  const check = async (host: string): Promise<{ address: string; family: number }[]> => {
    const addresses = await resolve(host);
    if (addresses.length === 0) throw new OutboundError('unreachable', `${host} has no address.`);
    if (!allow.namesHost(host) && !addresses.every(({ address }) => allows(address))) {
      throw new OutboundError('refused', `${host} has an address that is not public. ${HINT}`);
    }
    return addresses;
  };

  const checkThen = callbackify(check);

  const addressProblem = (host: string): string | undefined =>
    // Sockets look up names but not addresses.
    isIP(host) !== 0 && !allow.namesHost(host) && !allows(host)
      ? `${host} is not a public address. ${HINT}`
      : undefined;

  return {
    urlProblem(text) {
      // The URL parser normalises every form of an address (hexadecimal, octal, single number, unabbreviated).
      const url = URL.parse(String(text));
      if (url === null) return 'This is not a URL.';
      const host = hostOf(url);
      const isListed = allow.namesHost(host);
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isListed))
        return 'The URL must begin with https://.';
      if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or password.';
      return addressProblem(host);
    },
    hostProblem(host) {
      // The URL parser knows every form of an address; what is left unchanged is a name.
      const url = URL.parse(`https://${isIP(host) === 6 ? `[${host}]` : host}`);
      if (url === null || url.host !== host.toLowerCase().replace(/^(.*:.*)$/u, '[$1]'))
        return 'This is not a host name or address.';
      return addressProblem(hostOf(url));
    },
    lookup(host, options, callback) {
      checkThen(host, (error, addresses) => {
        const [first] = addresses ?? [];
        if (error) callback(error, '');
        else if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      });
    },
  };
}

/** Publicly allocated, but an internal service: the virtual address of Azure's platform (DHCP, health, metadata). */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);

/** What the internet routes to IPv6 hosts; the rest is reserved. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether this is the address of a host on the public internet. Not public: loopback, private, link-local (cloud
 * metadata), shared, multicast, reserved, and IPv6 forms that carry an IPv4 address (mapped, NAT64, 6to4, Teredo),
 * whatever that address is. Registries: IANA special-purpose address spaces, by ipaddr.js.
 * @param text an IP address; anything else is not public
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST);
  return !PLATFORM_ADDRESSES.has(address.toString());
}

/**
 * Why a request was not made or not answered. `refused`: the guard forbids the destination. `redirect`: the response
 * redirects, which is not followed. `too_large`: the response exceeds the limit.
 */
export type OutboundFailure = 'refused' | 'redirect' | 'timeout' | 'too_large' | 'unreachable';

/**
 * The message names at most the host: a URL's path and query may be secret, and the addresses behind a name are
 * private.
 */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
