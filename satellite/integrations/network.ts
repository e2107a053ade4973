/** Where connections that Casebook configures may go: decided for the addresses that a name has when it is connected. */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { Network } from '@casebook/connectors';
import type { IntegrationsConfig } from './config.ts';

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

function listOf(places: readonly string[]): BlockList {
  const list = new BlockList();
  for (const place of places) {
    const [address = '', bits] = place.split('/');
    if (isIP(address) === 0) continue;
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return list;
}

const LINK_LOCAL = listOf(['169.254.0.0/16', 'fe80::/10', '::ffff:169.254.0.0/112', 'fd00:ec2::254']);

export function createNetwork({ allow }: Pick<IntegrationsConfig, 'allow'>): Network {
  const allowed = allow && listOf(allow);
  const names = new Set(allow);
  const addressProblem = (address: string, host = address): string | undefined => {
    if (allow && !names.has(host.toLowerCase()) && !allowed?.check(address, family(address)))
      return `${host} is not among the hosts that the satellite's configuration allows (integrations.allow).`;
    // Also where a name that is allowed leads there.
    return LINK_LOCAL.check(address, family(address)) && !allowed?.check(address, family(address))
      ? `${host} is a link-local address, which the satellite does not connect to.`
      : undefined;
  };
  const hostProblem = (host: string): string | undefined => {
    if (isIP(host) !== 0) return addressProblem(host);
    return /^[\w.-]{1,253}$/u.test(host) ? undefined : 'This is not a host name or address.';
  };
  return {
    hostProblem,
    urlProblem(text) {
      const url = URL.parse(text);
      if (url === null || !/^https?:$/u.test(url.protocol)) return 'This is not an http or https URL.';
      if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or password.';
      return hostProblem(url.hostname.replace(/^\[(.*)\]$/u, '$1'));
    },
    lookup(host, options, callback) {
      systemLookup(host, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '');
        const problem = addresses
          .map(({ address }) => addressProblem(address, host))
          .find((found) => found !== undefined);
        if (problem !== undefined) return callback(new Error(problem), '');
        if (options.all) return callback(null, addresses);
        const [first] = addresses;
        return callback(null, first?.address ?? '', first?.family);
      });
    },
  };
}
