/** Decides where a request may go: by the URL before it is made, and by every address of its host when it connects. */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isPublicAddress } from './address.ts';
import type { AllowList } from './allow-list.ts';
import { OutboundError } from './errors.ts';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

/** As the operating system resolves names, hosts file included. */
export const systemResolve: Resolve = (host) => systemLookup(host, { all: true });

export interface Guard {
  /** What is wrong with a URL as it is written, in words for the person who gave it; undefined: nothing. Asks no DNS. */
  urlProblem(url: string | URL): string | undefined;
  /**
   * Resolves for the connection itself, so that no second look-up can give another answer. Fails with
   * {@link OutboundError} where any of the addresses is not allowed.
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

  return {
    urlProblem(text) {
      // The parser writes every form of an address (hexadecimal, octal, one number, full width) in the usual one.
      const url = URL.parse(String(text));
      if (url === null) return 'It is no URL.';
      const host = hostOf(url);
      const isListed = allow.namesHost(host);
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isListed))
        return 'The URL must begin with https://.';
      if (url.username !== '' || url.password !== '') return 'The URL must have no user name and no password in it.';
      // Sockets look names up, and addresses not.
      if (isIP(host) !== 0 && !isListed && !allows(host)) return `${host} is not a public address. ${HINT}`;
      return undefined;
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
