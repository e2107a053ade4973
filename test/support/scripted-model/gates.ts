/** Named gates at which a request waits until a test opens them. */
import type { ServerResponse } from 'node:http';

export class Gates {
  readonly #open = new Set<string>();
  readonly #held = new Map<string, Set<() => void>>();
  readonly #watchers = new Map<string, (() => void)[]>();

  /** Resolves when the gate is open or the client has gone. */
  async wait(gate: string, response: ServerResponse): Promise<void> {
    if (this.#open.has(gate) || response.destroyed) return;
    const held = this.#held.get(gate) ?? new Set();
    this.#held.set(gate, held);
    const released = Promise.withResolvers<void>();
    held.add(released.resolve);
    response.once('close', released.resolve);
    for (const seen of this.#watchers.get(gate) ?? []) seen();
    this.#watchers.delete(gate);
    await released.promise;
    held.delete(released.resolve);
  }

  release(gate: string): void {
    this.#open.add(gate);
    for (const resolve of this.#held.get(gate) ?? []) resolve();
  }

  /** Resolves once a request waits at the gate. */
  waitForHold(gate: string): Promise<void> {
    if (this.#held.get(gate)?.size) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.set(gate, [...(this.#watchers.get(gate) ?? []), resolve]));
  }

  /** Number of requests that wait, by gate. */
  waiting(): Record<string, number> {
    return Object.fromEntries([...this.#held].map(([gate, held]) => [gate, held.size]));
  }
}
