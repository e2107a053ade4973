/**
 * How Git talks to a repository on another host: over HTTP only, to addresses that the outbound guard allows, with a
 * credential that is neither in its arguments nor in a file.
 */
import type { LookupAddress } from 'node:dns';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { getCACertificates } from 'node:tls';
import { OutboundError, type Outbound } from '../outbound/index.ts';

export interface GitRemote {
  /** `https://…` without a credential; `http://` only to hosts that the operator allows. */
  url: string;
  credential?: { username: string; password: string };
  /** Where it may be. */
  network: Pick<Outbound['network'], 'lookup' | 'urlProblem'>;
}

/** What a command that talks to a remote is run with. */
export interface RemoteCall {
  /** The normalised URL, for the arguments. */
  url: string;
  /** For `GitOptions.env`. */
  env: Record<string, string>;
}

/** A host that prepares a large pack sends next to nothing for minutes; a connection that is this slow for so long is dead. */
const SLOW_BYTES_PER_SECOND = 1;
const SLOW_SECONDS = 300;

/**
 * Checks the URL, resolves its host once, and pins the connection to what was found: no second look-up can return
 * something else. Redirects are not followed.
 * @param authoritiesFile PEM file of trusted authorities: see {@link writeAuthorities}
 * @throws {OutboundError} `refused` when the URL or an address of its host is not allowed; `unreachable` when the host
 *   has none
 */
export async function callRemote(remote: GitRemote, authoritiesFile: string): Promise<RemoteCall> {
  const { lookup, urlProblem } = remote.network;
  const problem = urlProblem(remote.url);
  if (problem !== undefined) throw new OutboundError('refused', problem);
  const { href, origin, protocol, hostname, port } = new URL(remote.url);
  const host = hostname.replace(/^\[(.*)\]$/u, '$1');
  const settings: [string, string][] = [
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', String(SLOW_BYTES_PER_SECOND)],
    ['http.lowSpeedTime', String(SLOW_SECONDS)],
  ];
  if (isIP(host) === 0) {
    const addresses = (await addressesOf(host, lookup)).map(({ address, family }) =>
      family === 6 ? `[${address}]` : address,
    );
    const usedPort = port || (protocol === 'https:' ? '443' : '80');
    settings.push(['http.curloptResolve', `${host}:${usedPort}:${addresses.join(',')}`]);
  }
  if (remote.credential) {
    const { username, password } = remote.credential;
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    settings.push([`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  return {
    url: href,
    env: {
      ...asConfiguration(settings),
      // Wins over the configuration, which allows no protocol.
      GIT_ALLOW_PROTOCOL: protocol.slice(0, -1),
      GIT_SSL_CAINFO: authoritiesFile,
    },
  };
}

/** As variables, which unlike arguments other users of the machine cannot read. */
function asConfiguration(settings: readonly [string, string][]): Record<string, string> {
  const variables = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return Object.fromEntries([['GIT_CONFIG_COUNT', String(settings.length)], ...variables]);
}

function addressesOf(host: string, lookup: Outbound['network']['lookup']): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (error instanceof OutboundError) reject(error);
      else if (error || !Array.isArray(addresses))
        reject(new OutboundError('unreachable', `${host} could not be resolved.`));
      else resolve(addresses);
    });
  });
}

/**
 * Writes the authorities that this process trusts, those of `NODE_EXTRA_CA_CERTS` included, so that Git trusts the same
 * ones. Several processes may write the same file.
 */
export async function writeAuthorities(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}`;
  await writeFile(beside, getCACertificates('default').join('\n'));
  await rename(beside, file);
}
