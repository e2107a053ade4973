import { connect } from 'node:net';

export interface CancelTarget {
  host: string;
  port: number;
  processId: number;
  secretKey: number;
}

/** The code of PostgreSQL's CancelRequest message (protocol, "Message Formats"). */
const CANCEL_REQUEST = 80_877_102;
const TIMEOUT_MS = 2_000;

/**
 * Asks the server, over a separate connection, to cancel the current work of one of its connections. The message is
 * never encrypted: it holds only a process number and a random key.
 * @returns once the server has read it, or cannot be reached; it never answers
 */
export function requestCancel({ host, port, processId, secretKey }: CancelTarget): Promise<void> {
  const message = Buffer.alloc(16);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(CANCEL_REQUEST, 4);
  message.writeInt32BE(processId, 8);
  message.writeInt32BE(secretKey, 12);
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('close', () => resolve());
  socket.on('connect', () => socket.end(message));
  socket.resume();
  return promise;
}
