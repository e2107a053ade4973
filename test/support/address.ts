import type { Server } from 'node:net';

/** Where a listening TCP server listens. */
export function addressOf(server: Server): { address: string; port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address;
}
