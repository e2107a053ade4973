import type { Logger } from '../logger.ts';

/** Logs once that a connection was lost and once that it is back, however many attempts there are in between. */
export class Outage {
  readonly #log: Logger;
  readonly #what: string;
  #since: number | undefined;

  /** @param what the connection, as the subject of a sentence */
  constructor(log: Logger, what: string) {
    this.#log = log;
    this.#what = what;
  }

  failed(error: unknown): void {
    if (this.#since !== undefined) return;
    this.#since = Date.now();
    this.#log.warn({ err: error }, `${this.#what} failed; retrying until it works`);
  }

  worked(): void {
    if (this.#since === undefined) return;
    this.#log.info({ outageMs: Date.now() - this.#since }, `${this.#what} works again`);
    this.#since = undefined;
  }
}
