/** Something happened: wakes who waits, and whoever comes to wait next when nobody did. */
export class Signal {
  #raised = false;
  #wake: (() => void) | undefined;

  raise(): void {
    this.#raised = true;
    this.#wake?.();
  }

  /** @returns whether it was raised; false when `ms` went by without it */
  async wait(ms: number): Promise<boolean> {
    if (!this.#raised) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    const raised = this.#raised;
    this.#raised = false;
    return raised;
  }
}
