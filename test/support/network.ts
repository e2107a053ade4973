/** A network between a client and a server that fails in the two ways networks do: with a word, and without one. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Network {
  /** The server's URL, by way of this network. */
  url: string;
  /** Swallows everything on the connections there are, without a word, while new ones work: a failover. */
  swallow(): void;
  /** Swallows everything on one connection, from when its client says these words next. */
  swallowAt(words: string): void;
  /** Resets the connections there are. */
  cut(): void;
  stop(): Promise<void>;
}

interface Wire {
  ends: [Socket, Socket];
  dead: boolean;
}

/** @param serverUrl names host and port of the server */
export async function startNetwork(serverUrl: string): Promise<Network> {
  const target = new URL(serverUrl);
  const wires = new Set<Wire>();
  let lastWords: string | undefined;
  const server = createServer((client) => {
    const wire: Wire = { ends: [client, connect(Number(target.port), target.hostname)], dead: false };
    wires.add(wire);
    const [, upstream] = wire.ends;
    const join = (from: Socket, to: Socket): void => {
      from.on('data', (bytes) => wire.dead || to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => wire.dead || to.destroy());
    };
    client.on('data', (bytes: Buffer) => {
      if (lastWords === undefined || !bytes.includes(lastWords)) return;
      lastWords = undefined;
      wire.dead = true;
    });
    join(client, upstream);
    join(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The network has no port.');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  return {
    url: url.toString(),
    swallow() {
      for (const wire of wires) wire.dead = true;
    },
    swallowAt(words) {
      lastWords = words;
    },
    cut() {
      for (const { ends } of wires) for (const end of ends) end.resetAndDestroy();
    },
    async stop() {
      server.close();
      for (const { ends } of wires) for (const end of ends) end.destroy();
      await once(server, 'close');
    },
  };
}
