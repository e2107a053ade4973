import type { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';
import type { Nudges } from './nudges.ts';
import { Outage } from './outage.ts';
import { channel } from './redis-scripts.ts';

const heartbeatMs = 5_000;

/** The process's single subscribing connection. ioredis reconnects until it is closed. */
export class RedisListener {
  readonly #connect: () => Redis;
  readonly #nudges: Nudges;
  readonly #outage: Outage;
  #client: Redis | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  /** @param options.connect returns a client that has not connected yet and does not resubscribe on its own */
  constructor(options: { connect: () => Redis; log: Logger; nudges: Nudges }) {
    this.#connect = options.connect;
    this.#nudges = options.nudges;
    this.#outage = new Outage(options.log, 'Listening for events in Redis');
  }

  /** Starts listening unless it already does. A process that only appends needs no such connection. */
  start(): void {
    if (this.#client) return;
    const client = this.#connect();
    this.#client = client;
    client.on('error', (error) => this.#outage.failed(error));
    client.on('message', (_, streams) => {
      for (const stream of streams.split('\0')) this.#nudges.nudge(stream);
    });
    client.on('ready', () => void this.#subscribe(client));
    client.connect().catch((error: unknown) => this.#outage.failed(error));
    // A silently dropped connection (a firewall, a vanished host) shows only when it is used.
    this.#heartbeat = setInterval(() => {
      if (client.status === 'ready') client.ping().catch((error: unknown) => this.#restart(client, error));
    }, heartbeatMs).unref();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#client?.disconnect();
  }

  async #subscribe(client: Redis): Promise<void> {
    try {
      await client.subscribe(channel);
      this.#outage.worked();
      // Catches up on what was appended while nobody listened.
      this.#nudges.nudgeAll();
    } catch (error) {
      this.#restart(client, error);
    }
  }

  #restart(client: Redis, error: unknown): void {
    this.#outage.failed(error);
    if (client.status === 'ready') client.disconnect(true);
  }
}
