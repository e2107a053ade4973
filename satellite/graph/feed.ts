/** The live dependency graph: polls, spans and timers around the pure parts. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connector } from '@casebook/connectors';
import type { Log } from '../log.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../otlp/index.ts';
import type { GraphConfig } from './config.ts';
import { LiveGraph } from './live-graph.ts';
import { Polls } from './polls.ts';
import type { GraphFeed } from './port.ts';
import { GraphPublisher } from './publisher.ts';
import { GraphSender } from './sender.ts';
import { SpanObserver } from './spans/observer.ts';

interface GraphFeedDeps {
  connectors: readonly Pick<Connector, 'id' | 'edges'>[];
  log: Log;
  /** A monotonic clock, in ms. */
  now?: () => number;
}

interface LiveGraphFeed extends GraphFeed {
  /** Base URL of the OTLP receiver, if enabled. */
  readonly otlpUrl: string | undefined;
}

/**
 * Starts observing, and listens for spans if configured. A disabled graph stays empty and is sent as such, which
 * removes an earlier one from Casebook.
 * @throws when the OTLP receiver's port is taken
 */
export async function createGraphFeed(config: GraphConfig, deps: GraphFeedDeps): Promise<LiveGraphFeed> {
  const now = deps.now ?? ((): number => performance.now());
  const spans =
    config.enabled && config.otlp.enabled ? new SpanObserver(config.window_seconds, config.max_edges, now) : undefined;
  const receiver =
    spans &&
    (await startOtlpReceiver({ ...config.otlp, log: deps.log, receive: (received) => spans.receive(received) }));
  return new ObservingFeed(config, { ...deps, now }, spans, receiver);
}

class ObservingFeed implements LiveGraphFeed {
  readonly otlpUrl: string | undefined;
  readonly #config: GraphConfig;
  readonly #deps: Required<GraphFeedDeps>;
  readonly #spans: SpanObserver | undefined;
  readonly #receiver: OtlpReceiver | undefined;
  readonly #graph: LiveGraph;
  readonly #polls: Polls;
  readonly #sender: GraphSender;
  readonly #closing = new AbortController();
  readonly #observing: Promise<void>;
  /** An early attach waits for the first round: an empty snapshot would erase what Casebook knows. */
  #waiting: Parameters<GraphFeed['attach']>[0] | undefined;
  #observed = false;
  #saidTooMany = false;
  #saidDropped = false;

  constructor(
    config: GraphConfig,
    deps: Required<GraphFeedDeps>,
    spans: SpanObserver | undefined,
    receiver: OtlpReceiver | undefined,
  ) {
    this.#config = config;
    this.#deps = deps;
    this.#spans = spans;
    this.#receiver = receiver;
    this.otlpUrl = receiver?.url;
    const { now, log } = deps;
    const graph = new LiveGraph({
      staleAfterMs: config.stale_after_seconds * 1_000,
      expireAfterMs: config.expire_after_seconds * 1_000,
      maxEdges: config.max_edges,
    });
    this.#graph = graph;
    this.#polls = new Polls({
      connectors: config.enabled ? deps.connectors : [],
      windowSeconds: config.window_seconds,
      log,
      observe: (connector, edges) => graph.observe(`connector ${connector}`, edges, now()),
    });
    const publisher = new GraphPublisher(config.significant_change, randomUUID);
    const merged = (): ReturnType<LiveGraph['merged']> => graph.merged(now());
    this.#sender = new GraphSender({
      snapshot: () => publisher.snapshot(merged(), now()),
      delta: () => publisher.delta(merged(), now()),
      log,
    });
    this.#observing = this.#observe();
  }

  attach(send: Parameters<GraphFeed['attach']>[0]): void {
    if (this.#observed) this.#sender.attach(send);
    else this.#waiting = send;
  }

  detach(): void {
    this.#waiting = undefined;
    this.#sender.detach();
  }

  snapshotWanted(): void {
    this.#sender.snapshotDue();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.detach();
    await this.#observing;
    await this.#receiver?.close();
  }

  async #observe(): Promise<void> {
    const { signal } = this.#closing;
    const intervalMs = this.#config.interval_seconds * 1_000;
    while (!signal.aborted) {
      const wait = sleep(intervalMs, undefined, { signal }).catch(() => undefined);
      // A slow connector delays nothing: its edges are merged when they arrive.
      await Promise.race([this.#polls.round(signal), wait]);
      if (!signal.aborted) this.#tick();
      await wait;
    }
  }

  /** Never throws: the next round may succeed. */
  #tick(): void {
    const { now, log } = this.#deps;
    try {
      if (this.#spans) this.#graph.observe('spans', this.#spans.edges(), now());
      const dropped = this.#graph.advance(now());
      this.#sayOnce(dropped);
      this.#observed = true;
      if (this.#waiting) this.#sender.attach(this.#waiting);
      else this.#sender.deltaDue();
      this.#waiting = undefined;
    } catch (error) {
      log.error({ err: error }, 'the dependency graph could not be updated');
    }
  }

  #sayOnce(dropped: number): void {
    const { log } = this.#deps;
    if (dropped > 0 && !this.#saidTooMany) {
      this.#saidTooMany = true;
      log.warn(
        { max_edges: this.#config.max_edges, dropped },
        'there are more edges than graph.max_edges: the least called are dropped',
      );
    }
    if (this.#spans && this.#spans.dropped > 0 && !this.#saidDropped) {
      this.#saidDropped = true;
      log.warn({ dropped: this.#spans.dropped }, 'more spans arrive than can be paired: their call rates are too low');
    }
  }
}
