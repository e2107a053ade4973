import { createServer } from 'node:net';

/** Briefly binds a port on one host. Returns the bound port, or undefined if it is taken. */
function tryPort(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      // A machine without IPv6 has no such address, so nothing can occupy it.
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(port);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = address !== null && typeof address === 'object' ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}

async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    if ((await tryPort(port, host)) === undefined) return false;
  }
  return true;
}

/**
 * The preferred TCP port if nobody listens on it on any local address, else a free one chosen by the system.
 * The port is not reserved: bind it soon.
 */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred !== 0 && (await isFree(preferred))) return preferred;
  for (;;) {
    const port = await tryPort(0, '127.0.0.1');
    if (port !== undefined && (await isFree(port))) return port;
  }
}
