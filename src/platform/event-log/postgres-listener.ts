import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import type { Logger } from '../logger.ts';
import type { Nudges } from './nudges.ts';
import { Outage } from './outage.ts';

/** NOTIFY channel of all streams; the payload is the stream's name. */
export const channel = 'casebook_events';

const heartbeatMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 2_000;

/** The process's single LISTEN connection. Reconnects until it is closed. */
export class PostgresListener {
  readonly #connection: ClientConfig;
  readonly #nudges: Nudges;
  readonly #outage: Outage;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #pauseMs = firstPauseMs;

  constructor(options: { connection: ClientConfig; log: Logger; nudges: Nudges }) {
    this.#connection = options.connection;
    this.#nudges = options.nudges;
    this.#outage = new Outage(options.log, 'Listening for events in PostgreSQL');
  }

  /** Starts listening unless it already does. A process that only appends needs no such connection. */
  start(): void {
    if (!this.#closing.signal.aborted) this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const error = await this.#listen();
      if (signal.aborted) return;
      this.#outage.failed(error);
      // Jitter, so that processes do not all reconnect at the same instant.
      await sleep(this.#pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    }
  }

  /** The lifetime of one connection. @returns why it ended */
  async #listen(): Promise<unknown> {
    const client = new Client(this.#connection);
    const ended = Promise.withResolvers<unknown>();
    client.on('error', (error) => ended.resolve(error));
    client.on('end', () => ended.resolve(new Error('The connection ended')));
    client.on('notification', ({ payload }) => {
      if (payload) this.#nudges.nudge(payload);
    });
    const { signal } = this.#closing;
    const onClose = (): void => ended.resolve(new Error('The event log was closed'));
    signal.addEventListener('abort', onClose, { once: true });
    /** A client that is ended while connecting never settles its `connect`. */
    const unlessEnded = <T>(work: Promise<T>): Promise<T> =>
      Promise.race([
        work,
        ended.promise.then((reason): never => {
          throw reason;
        }),
      ]);
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      await unlessEnded(client.connect());
      await unlessEnded(client.query(`listen ${channel}`));
      this.#pauseMs = firstPauseMs;
      this.#outage.worked();
      // Catches up on what was appended while nobody listened.
      this.#nudges.nudgeAll();
      // A silently dropped connection (a firewall, a vanished host) shows only when it is used.
      heartbeat = setInterval(() => {
        client.query('select').catch((error: unknown) => ended.resolve(error));
      }, heartbeatMs).unref();
      return await ended.promise;
    } catch (error) {
      return error;
    } finally {
      clearInterval(heartbeat);
      signal.removeEventListener('abort', onClose);
      client.end().catch(() => undefined);
    }
  }
}
