/** Keeps the satellite connected: dials, announces what the satellite is, and redials whenever the connection ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  SILENCE_MS,
  type ClusterState,
  type GraphMessage,
  type Health,
  type Inventory,
  type RequestMessage,
} from '@casebook/wire';
import type { GraphFeed } from '../graph/port.ts';
import type { Log } from '../log.ts';
import type { Outlet, QueryRunner } from '../queries/index.ts';
import { Attempts, BACKOFF, backoffMs, type BackoffTimes } from './backoff.ts';
import { Disconnected, type Outbox } from './outbox.ts';
import { runSession, type SessionEnd } from './session.ts';

export interface ConnectionOptions {
  url: string;
  ca?: readonly string[];
  name: string;
  version: string;
  /** Identifies this process. */
  instance: string;
  /** Called before each attempt: the token may be replaced while the satellite runs. */
  token: () => Promise<string>;
  inventory: () => Inventory;
  clusters: () => ClusterState[];
  health: () => Health[];
  redactGraph: (message: GraphMessage) => GraphMessage;
  graph: GraphFeed;
  queries: Pick<QueryRunner, 'request' | 'cancel'>;
  log: Log;
  times?: Partial<BackoffTimes> & { silenceMs?: number };
}

/** Changes close together are sent as one. */
const SETTLE_MS = 500;
/** How often to resend clusters whose state is unchanged but was checked again. */
const CLUSTERS_INTERVAL_MS = 60_000;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #attempts = new Attempts();
  readonly #closing = new AbortController();
  #outbox: Outbox | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #settling = false;
  /** The last announcements sent to Casebook, as JSON. */
  #announced = { inventory: '', clusters: '' };
  #saidRefusal = '';

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Welcomed, and not disconnected since. */
  get connected(): boolean {
    return this.#outbox !== undefined;
  }

  /** Runs until {@link close}. */
  async run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const end = await this.#connect();
      this.#disconnected();
      if (signal.aborted) return;
      const times = { ...BACKOFF, ...this.#options.times };
      const attempt = this.#attempts.next(end.ending, end.stayedMs);
      const delay = Math.max(end.retryAfterMs ?? 0, backoffMs(end.ending, attempt, Math.random(), times));
      this.#report(end, delay);
      await sleep(delay, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Announces changes to the inventory and the clusters. */
  changed(): void {
    if (this.#settling) return;
    this.#settling = true;
    setTimeout(() => {
      this.#settling = false;
      this.#announce();
    }, SETTLE_MS).unref();
  }

  /** Closes the connection; {@link run} then returns. */
  close(): void {
    this.#closing.abort();
  }

  async #connect(): Promise<SessionEnd> {
    const { url, ca, name, version, instance, times } = this.#options;
    let token: string;
    try {
      token = await this.#options.token();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ending: 'refused', reason, stayedMs: 0 };
    }
    return await runSession(
      {
        url,
        token,
        ca,
        silenceMs: times?.silenceMs,
        hello: () => ({ type: 'hello', name, version, instance, sentAt: Date.now() }),
        onMessage: (message, outbox) => {
          if (message.type === 'welcome') this.#welcomed(outbox, message.heartbeatMs, message.satelliteId);
          else if (message.type === 'request') this.#request(message, outbox);
          else if (message.type === 'cancel') this.#options.queries.cancel(message.id);
          else this.#options.graph.snapshotWanted();
        },
      },
      this.#closing.signal,
    );
  }

  #welcomed(outbox: Outbox, heartbeatMs: number, satelliteId: string): void {
    const { graph, log, redactGraph } = this.#options;
    this.#outbox = outbox;
    this.#saidRefusal = '';
    this.#announced = { inventory: '', clusters: '' };
    log.info({ satelliteId }, 'connected');
    this.#announce();
    const beat = (): void => {
      if (!outbox.now({ type: 'heartbeat', sentAt: Date.now(), health: this.#options.health() }))
        log.warn({}, 'a heartbeat could not be sent');
    };
    beat();
    this.#heartbeat = setInterval(beat, Math.min(heartbeatMs, SILENCE_MS / 2));
    graph.attach(async (message) => {
      if (this.#outbox !== outbox) throw new Disconnected();
      await outbox.inTurn(redactGraph(message));
    });
  }

  #request(message: RequestMessage, outbox: Outbox): void {
    const outlet: Outlet = { send: (answer) => outbox.inTurn(answer) };
    this.#options.queries.request(message, outlet);
  }

  #announce(): void {
    const outbox = this.#outbox;
    if (!outbox) return;
    const { log } = this.#options;
    const inventory = this.#options.inventory();
    const inventoryText = JSON.stringify(inventory);
    if (inventoryText !== this.#announced.inventory) {
      this.#announced.inventory = inventoryText;
      if (!outbox.now({ type: 'inventory', inventory })) log.error({}, 'the inventory is too large to send');
    }
    const clusters = this.#options.clusters();
    // Ages always change; resend them only periodically.
    const ageless = JSON.stringify(clusters, (key, value: unknown) => (key === 'observedAgoMs' ? undefined : value));
    const clustersText = `${Math.floor(performance.now() / CLUSTERS_INTERVAL_MS)} ${ageless}`;
    if (clustersText !== this.#announced.clusters) {
      this.#announced.clusters = clustersText;
      if (!outbox.now({ type: 'clusters', clusters })) log.error({}, 'the clusters are too large to send');
    }
  }

  #disconnected(): void {
    clearInterval(this.#heartbeat);
    if (this.#outbox) this.#options.graph.detach();
    this.#outbox = undefined;
  }

  /** Log a repeated refusal only once. */
  #report({ ending, reason }: SessionEnd, delay: number): void {
    const { log } = this.#options;
    const nextAttemptInMs = Math.round(delay);
    if (ending !== 'refused') return log.warn({ reason, nextAttemptInMs }, 'not connected');
    if (reason === this.#saidRefusal) return log.debug({ reason, nextAttemptInMs }, 'refused again');
    this.#saidRefusal = reason;
    return log.error({ reason, nextAttemptInMs }, 'Casebook refuses this satellite: check its token and name');
  }
}
