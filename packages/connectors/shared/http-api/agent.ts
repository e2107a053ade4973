import { readFile } from 'node:fs/promises';
import { Agent } from 'undici';
import type { Network } from '../../connector.ts';
import type { HttpApiConfig } from './config.ts';

/**
 * Connects where `network` allows, with the certificates of the configuration.
 * @throws when one of their files cannot be read
 */
export async function makeAgent(
  tls: HttpApiConfig['tls'],
  network: Network | undefined,
  options: Omit<Agent.Options, 'connect'> = {},
): Promise<Agent> {
  const read = (file: string | undefined) => (file === undefined ? undefined : readFile(file, 'utf8'));
  const [ca, cert, key] = await Promise.all([read(tls?.ca_file), read(tls?.cert_file), read(tls?.key_file)]);
  return new Agent({ ...options, connect: { ca, cert, key, lookup: network?.lookup } });
}
