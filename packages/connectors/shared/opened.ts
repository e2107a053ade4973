/** Opens a resource once, at its first use. After a failure it is opened again: a missing file may have appeared. */
export class Opened<T> {
  readonly #open: () => Promise<T>;
  #opening: Promise<T> | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  /** @throws whatever opening throws */
  get(): Promise<T> {
    if (this.#opening) return this.#opening;
    const opening = this.#open();
    this.#opening = opening;
    opening.catch(() => (this.#opening = undefined));
    return opening;
  }

  /** Closes it if it was ever opened. */
  async close(end: (opened: T) => unknown): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    if (opened !== undefined) await end(opened);
  }
}
