/** In front of a server that a test plays: answers are held back while the test does something else. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { addressOf } from './address.ts';

export interface HoldingProxy {
  url: string;
  /**
   * Holds the next answer to a request whose path includes this. The server has done its work by then.
   * @returns `held`: resolves when there is one; `release`: lets it go
   */
  holdNext(path: string): { held: Promise<void>; release(): void };
  stop(): Promise<void>;
}

export async function startHoldingProxy(upstream: string): Promise<HoldingProxy> {
  const holds: { path: string; held: () => void; released: Promise<void> }[] = [];
  const { host, hostname, port } = new URL(upstream);
  const pass = (message: IncomingMessage, response: ServerResponse): void => {
    const { method, url: path = '', headers } = message;
    const onward = httpRequest({ hostname, port, path, method, headers: { ...headers, host } }, (answer) => {
      const found = holds.findIndex((one) => path.includes(one.path));
      const [hold] = found === -1 ? [] : holds.splice(found, 1);
      hold?.held();
      void (hold?.released ?? Promise.resolve()).then(() => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
    });
    onward.on('error', () => response.destroy());
    message.pipe(onward);
  };
  const server = createServer(pass);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${addressOf(server).port}`,
    holdNext(path) {
      const held = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      holds.push({ path, held: held.resolve, released: released.promise });
      return { held: held.promise, release: released.resolve };
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
