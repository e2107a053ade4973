/** Connections to PostgreSQL: where they may go, and whether the server encrypts. */
import { connect, Socket } from 'node:net';
import type { Network } from '../connector.ts';
import type { PostgresConfig } from './config.ts';

/** A socket that resolves as the network demands. The client connects it by port and host. */
export function guardedSocket(network: Network | undefined): Socket {
  return network ? new GuardedSocket(network) : new Socket();
}

class GuardedSocket extends Socket {
  readonly #network: Network;

  constructor(network: Network) {
    super();
    this.#network = network;
  }

  override connect(...given: unknown[]): this {
    const [port, host] = given;
    if (typeof port !== 'number' || typeof host !== 'string') throw new TypeError('connects by port and host only');
    return super.connect({ port, host, lookup: this.#network.lookup });
  }
}

/** The code of PostgreSQL's SSLRequest message (protocol, "Message Formats"). */
const SSL_REQUEST = 80_877_103;
const ENCRYPTS = 0x53;
const TIMEOUT_MS = 10_000;

/**
 * Asks the server whether it encrypts, for `prefer`: the client knows only yes and no.
 * @throws if it does not answer: to take that for a no would have all later connections made without encryption
 */
export function encrypts({ url, host, port }: PostgresConfig, network: Network | undefined): Promise<boolean> {
  if (url !== undefined || host === undefined) return Promise.resolve(false);
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const message = Buffer.alloc(8);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(SSL_REQUEST, 4);
  const socket = connect({ port, host, lookup: network?.lookup }, () => socket.write(message));
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('it does not say whether it encrypts')));
  socket.once('data', (data) => {
    resolve(data[0] === ENCRYPTS);
    socket.destroy();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('it closed the connection')));
  return promise;
}
