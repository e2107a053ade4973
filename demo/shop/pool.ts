import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import { around } from './random.ts';

/** How long a request waits for a connection before giving up. */
const ACQUIRE_TIMEOUT_MS = 1_000;

/** No connection became free in time. */
export class PoolExhaustedError extends Error {
  override name = 'PoolExhaustedError';
}

/** A connection that a request has taken from the pool. */
export interface Connection {
  /** @returns how long the query took, ms */
  query(): Promise<number>;
  /** Gives it back; once is enough. */
  release(): void;
}

/** A connection pool of an imaginary database; only its timing is real. */
export class ConnectionPool {
  readonly size: number;
  inUse = 0;
  private leaked = 0;
  private readonly fault: Fault;
  private readonly waiters: (() => void)[] = [];

  constructor(size: number, fault: Fault) {
    this.size = size;
    this.fault = fault;
  }

  get waiting(): number {
    return this.waiters.length;
  }

  /**
   * Runs a query on a connection.
   * @param ms its mean duration
   * @returns its duration, ms, without the wait for the connection
   * @throws {PoolExhaustedError}
   */
  query(ms: number): Promise<number> {
    return this.within(ms, async (connect) => {
      const connection = await connect();
      const took = await connection.query();
      if (!this.fault.leaksConnection()) connection.release();
      return took;
    });
  }

  /**
   * Lets a request use connections. One that it does not give back is lost until the service starts again.
   * @param ms mean duration of a query
   */
  async within<T>(ms: number, use: (connect: () => Promise<Connection>) => Promise<T>): Promise<T> {
    let held = 0;
    const connect = async (): Promise<Connection> => {
      await this.acquire();
      held++;
      let isHeld = true;
      return {
        query: async () => {
          const began = performance.now();
          await delay(around(ms * this.fault.queryFactor()));
          return performance.now() - began;
        },
        release: () => {
          if (!isHeld) return;
          isHeld = false;
          held--;
          this.release();
        },
      };
    };
    try {
      return await use(connect);
    } finally {
      this.leaked += held;
    }
  }

  /** Recovers leaked connections, as a restart of the service would. */
  recover(): void {
    for (; this.leaked > 0; this.leaked--) this.release();
  }

  private async acquire(): Promise<void> {
    if (this.inUse < this.size) {
      this.inUse++;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.waiters.push(resolve);
    const timer = setTimeout(() => {
      this.waiters.splice(this.waiters.indexOf(resolve), 1);
      reject(
        new PoolExhaustedError(
          `connection pool exhausted: no connection became free within ${ACQUIRE_TIMEOUT_MS} ms ` +
            `(size ${this.size}, in use ${this.inUse}, waiting ${this.waiting})`,
        ),
      );
    }, ACQUIRE_TIMEOUT_MS);
    await promise.finally(() => clearTimeout(timer));
  }

  /** The connection goes to the longest waiting request. */
  private release(): void {
    const next = this.waiters.shift();
    if (next) next();
    else this.inUse--;
  }
}
