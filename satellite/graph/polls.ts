/** Asks connectors which service calls which. One that fails or hangs does not affect the others. */
import type { Connector, ObservedEdge } from '@casebook/connectors';
import type { Log } from '../log.ts';

type EdgesConnector = Pick<Connector, 'id' | 'edges'>;

/** A system that takes longer to answer is asked again, in ms. */
const POLL_TIMEOUT_MS = 30_000;

interface PollsOptions {
  connectors: readonly EdgesConnector[];
  windowSeconds: number;
  log: Log;
  /** Called with each answer as it arrives. */
  observe(connector: string, edges: readonly ObservedEdge[]): void;
}

export class Polls {
  readonly #options: PollsOptions;
  readonly #underWay = new Map<EdgesConnector, Promise<void>>();
  readonly #failing = new Set<EdgesConnector>();

  constructor(options: PollsOptions) {
    this.#options = options;
  }

  /** Polls every connector that has answered its previous poll. @returns when all polled connectors have answered */
  async round(signal: AbortSignal): Promise<void> {
    for (const connector of this.#options.connectors) {
      if (!connector.edges || this.#underWay.has(connector)) continue;
      const poll = this.#poll(connector, signal).finally(() => this.#underWay.delete(connector));
      this.#underWay.set(connector, poll);
    }
    await Promise.all(this.#underWay.values());
  }

  async #poll(connector: EdgesConnector, signal: AbortSignal): Promise<void> {
    const { windowSeconds, log, observe } = this.#options;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(POLL_TIMEOUT_MS)]);
    try {
      const edges = await Promise.race([connector.edges?.(windowSeconds, limit) ?? [], aborted(limit)]);
      if (signal.aborted) return;
      observe(connector.id, edges);
      if (this.#failing.delete(connector)) log.info({ connector: connector.id }, 'the connector reports edges again');
    } catch (error) {
      if (signal.aborted || this.#failing.has(connector)) return;
      this.#failing.add(connector);
      log.warn({ connector: connector.id, err: error }, 'a connector cannot report which service calls which');
    }
  }
}

/** Rejects when the signal fires and abandons a connector that ignores it. */
async function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(new Error('The connector did not answer in time.'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
