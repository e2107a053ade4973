/** One address for several servers: each connection goes to the first of them that takes it. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { addressOf } from './address.ts';

export interface Balancer {
  url: string;
  /** From now on nobody is let through; the connections there are stay. */
  refuse(): void;
  accept(): void;
  stop(): Promise<void>;
}

/** @param urls of the servers, the preferred one first */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let refusing = false;
  const reach = async (url: URL): Promise<Socket | undefined> => {
    const socket = connect(Number(url.port), url.hostname);
    return once(socket, 'connect').then(
      () => socket,
      () => undefined,
    );
  };
  const join = async (client: Socket): Promise<void> => {
    client.on('error', () => undefined);
    for (const url of refusing ? [] : urls) {
      const upstream = await reach(new URL(url));
      if (!upstream) continue;
      upstream.on('error', () => undefined);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        open.add(from);
        from.on('close', () => {
          open.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
      return;
    }
    client.destroy();
  };
  const server = createServer({ pauseOnConnect: true }, (client) => void join(client));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${addressOf(server).port}`,
    refuse: () => void (refusing = true),
    accept: () => void (refusing = false),
    async stop() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
