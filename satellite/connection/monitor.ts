/** Monitors the connectors in the background, each at its own pace: their health, and their clusters. */
import type { ClusterState, Health } from '@casebook/wire';
import type { Connector } from '@casebook/connectors';
import type { Log } from '../log.ts';
import type { Redactor } from '../redaction/index.ts';
import { within } from '../within.ts';

interface MonitorTimes {
  /** Interval between checks of one connector, and between inspections of one cluster. */
  everyMs: number;
  /** Timeout of a check. */
  timeoutMs: number;
}

const MONITOR: MonitorTimes = { everyMs: 15_000, timeoutMs: 10_000 };
const MAX_MESSAGE_CHARACTERS = 300;

interface Looked<T> {
  at: number;
  found: T;
}

export class Monitor {
  readonly #connectors: readonly Connector[];
  readonly #options: { redactor: Redactor; log: Log; onClusters: () => void } & MonitorTimes;
  readonly #health = new Map<string, Looked<string | undefined>>();
  readonly #clusters = new Map<string, Looked<ClusterState>>();
  readonly #closing = new AbortController();

  constructor(
    connectors: readonly Connector[],
    options: { redactor: Redactor; log: Log; onClusters: () => void } & Partial<MonitorTimes>,
  ) {
    this.#connectors = connectors;
    this.#options = { ...MONITOR, ...options };
  }

  start(): void {
    for (const connector of this.#connectors) {
      this.#repeat(() => this.#check(connector));
      if (connector.cluster) this.#repeat(() => this.#look(connector));
    }
  }

  /** The last known state; asks nothing. */
  health(): Health[] {
    return this.#connectors.map(({ id }): Health => {
      const looked = this.#health.get(id);
      if (!looked) return { id, of: 'connector', status: 'unknown' };
      const checkedAgoMs = Math.max(0, performance.now() - looked.at);
      if (looked.found === undefined) return { id, of: 'connector', status: 'ok', checkedAgoMs };
      return { id, of: 'connector', status: 'failing', message: looked.found, checkedAgoMs };
    });
  }

  clusters(): ClusterState[] {
    return [...this.#clusters.values()].map(({ at, found }) => ({
      ...found,
      observedAgoMs: Math.max(0, found.observedAgoMs + performance.now() - at),
    }));
  }

  close(): void {
    this.#closing.abort();
  }

  async #check(connector: Connector): Promise<void> {
    const { id } = connector;
    const before = this.#health.get(id);
    const found = await checkOnce(connector, this.#options.timeoutMs, this.#closing.signal).then(
      () => undefined,
      (error: unknown) => reasonOf(error, this.#options.redactor),
    );
    if (this.#closing.signal.aborted) return;
    this.#health.set(id, { at: performance.now(), found });
    if (found !== undefined && found !== before?.found)
      this.#options.log.warn({ connector: id, reason: found }, 'a connector is failing');
    else if (found === undefined && before?.found !== undefined)
      this.#options.log.info({ connector: id }, 'a connector answers again');
  }

  async #look(connector: Connector): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#options.timeoutMs)]);
    try {
      const found = await within(connector.cluster!(signal), signal);
      if (this.#closing.signal.aborted) return;
      this.#clusters.set(connector.id, { at: performance.now(), found });
      this.#options.onClusters();
    } catch (error) {
      // The connector's check reports the failure as well; the last state just ages.
      this.#options.log.debug({ connector: connector.id, err: error }, 'a cluster could not be inspected');
    }
  }

  #repeat(work: () => Promise<void>): void {
    const again = (): void => {
      if (this.#closing.signal.aborted) return;
      void work().finally(() => setTimeout(again, this.#options.everyMs * (0.9 + Math.random() / 5)).unref());
    };
    again();
  }
}

/** Checks a connector within `timeoutMs`. @throws when it does not answer */
export async function checkOnce(connector: Connector, timeoutMs: number, closing?: AbortSignal): Promise<void> {
  const overdue = AbortSignal.timeout(timeoutMs);
  const signal = closing ? AbortSignal.any([closing, overdue]) : overdue;
  await within(connector.check(signal), signal);
}

/** For people: bounded and redacted. */
export function reasonOf(error: unknown, redactor: Redactor): string {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  const words = isTimeout ? 'it did not answer in time' : error instanceof Error ? error.message : String(error);
  return redactor.text(words).slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed();
}
