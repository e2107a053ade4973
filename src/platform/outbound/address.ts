import ipaddr from 'ipaddr.js';

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
