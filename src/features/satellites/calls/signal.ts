/** A wake-up signal: wakes the waiter, or the next one if there is none. */
export class Signal {
  #raised = false;
  #wake: (() => void) | undefined;

  raise(): void {
    this.#raised = true;
    this.#wake?.();
  }

  /** @returns whether it was raised; false when `ms` elapsed first */
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
