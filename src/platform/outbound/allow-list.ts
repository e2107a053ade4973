/** What an operator allows although it is not public: host names, addresses, and networks in CIDR notation. */
import ipaddr from 'ipaddr.js';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

export interface AllowList {
  /** Whether a URL's host is on the list, by name or by literal address. */
  namesHost(host: string): boolean;
  /** Whether an address, or a network that contains it, is on the list. */
  hasAddress(address: string): boolean;
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

const network = (entry: string): Network | undefined => {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  // isValid alone accepts the short and octal forms of IPv4, which nobody means.
  if (!ipaddr.IPv4.isValidFourPartDecimal(entry) && !ipaddr.IPv6.isValid(entry)) return undefined;
  const address = ipaddr.parse(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
};

const normal = (host: string): string => host.toLowerCase().replace(/\.$/, '');
/**
 * A name that ends in a number is an address in another form (https://url.spec.whatwg.org/#ends-in-a-number-checker).
 */
const isHostName = (entry: string): boolean => HOST_NAME.test(entry) && !/(^|\.)(\d+|0x[\da-f]*)$/.test(entry);

/** Whether an entry is valid. */
export const isAllowListEntry = (entry: string): boolean => network(entry) !== undefined || isHostName(normal(entry));

/**
 * @param entries host names, IP addresses, CIDRs
 * @throws {RangeError} naming an invalid entry
 */
export function createAllowList(entries: readonly string[]): AllowList {
  const wrong = entries.find((entry) => !isAllowListEntry(entry));
  if (wrong !== undefined) throw new RangeError(`"${wrong}" is not a host name, address or network.`);
  const networks = entries.map(network).filter((entry) => entry !== undefined);
  const names = new Set(entries.filter((entry) => network(entry) === undefined).map(normal));
  const hasAddress = (text: string): boolean => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    return networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  };
  return { hasAddress, namesHost: (host) => names.has(normal(host)) || hasAddress(host) };
}
