import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Above the last port that browsers and `fetch` refuse to connect to (10080), and below what systems give to connections
 * and to whoever wants any port: nobody gets it by chance before it is bound.
 */
const CHOSEN = { from: 10_081, to: 32_768 };

/** Briefly binds a port on one host. */
function canBind(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      // A machine without IPv6 has no such address, so nothing can occupy it.
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(true);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    if (!(await canBind(port, host))) return false;
  }
  return true;
}

/** The preferred TCP port, else any, if nobody listens on it on any local address. It is not reserved: bind it soon. */
export async function freePort(preferred = 0): Promise<number> {
  let port = preferred;
  while (port === 0 || !(await isFree(port))) port = randomInt(CHOSEN.from, CHOSEN.to);
  return port;
}
