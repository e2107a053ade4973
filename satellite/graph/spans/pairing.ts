/**
 * Derives calls from spans as Grafana Tempo's service graph processor and the OpenTelemetry Collector's service graph
 * connector do: a CLIENT span and the SERVER span whose parent it is are the two sides of one call, as are a PRODUCER
 * span and the CONSUMER spans that have it as parent or link to it. Whichever side arrives first waits for the other.
 * An unmatched caller called something that sends no spans, which becomes a virtual node when the span names it. Unlike
 * there, a call to a database does not wait at all.
 * Only durations and arrival times are used: the services' clocks need not agree.
 */
import { isIP } from 'node:net';
import type { BorderSpan } from '../../otlp/index.ts';
import { cleanName } from '../live-graph.ts';
import type { Call } from './rates.ts';

interface Side {
  service: string;
  seconds: number;
  failed: boolean;
}

interface Waiting {
  until: number;
  caller?: Side & { peer?: string; messaging: boolean };
  /** By span id: several spans may consume one message, and a repeated span is not counted again. */
  callees: Map<string, Side>;
  /** Already counted as a call; kept only to recognize repeated spans. */
  counted: boolean;
}

/** Maximum number of callees distinguished per call. */
const MAX_CALLEES = 100;

interface PairingOptions {
  /** How long one side waits for the other, in ms. Exporters send in batches, every 5 s by default. */
  waitMs: number;
  /** Maximum number of calls remembered; the oldest are dropped first. */
  maxWaiting: number;
  onCall(call: Call): void;
}

/** Pure apart from its callback; times are in ms on any one monotonic clock. */
export class SpanPairing {
  readonly #options: PairingOptions;
  /** By trace id and the caller's span id, in order of arrival and therefore of `until`. */
  readonly #waiting = new Map<string, Waiting>();
  /** Callees of all waiting calls: up to {@link MAX_CALLEES} for each would exceed the memory. */
  #callees = 0;
  /** Sides dropped before their wait was over. */
  dropped = 0;

  constructor(options: PairingOptions) {
    this.#options = options;
  }

  take(span: BorderSpan, now: number): void {
    const service = cleanName(span.service);
    if (service === undefined) return;
    const side: Side = { service, seconds: span.seconds, failed: span.failed };
    if (span.kind === 'client' || span.kind === 'producer') this.#takeCaller(span, side, now);
    else this.#takeCallee(span, side, now);
  }

  /** Expires finished waits. */
  expire(now: number): void {
    for (const [key, waiting] of this.#waiting) {
      if (waiting.until > now) return;
      this.#forget(key, waiting);
      if (!waiting.counted) this.#countVirtual(waiting);
    }
  }

  get size(): number {
    return this.#waiting.size;
  }

  #takeCaller(span: BorderSpan, side: Side, now: number): void {
    const waiting = this.#wait(span.traceId + span.spanId, now);
    if (waiting.caller) return;
    const peer = peerOf(span.attributes);
    waiting.caller = { ...side, peer: peer && cleanName(peer), messaging: span.kind === 'producer' };
    for (const callee of waiting.callees.values()) this.#countPair(waiting, callee);
    if (!waiting.counted && callsDatabase(span)) this.#countVirtual(waiting);
  }

  #takeCallee(span: BorderSpan, side: Side, now: number): void {
    const callers = new Set(span.kind === 'consumer' ? span.links : []);
    if (span.parentSpanId !== '') callers.add(span.traceId + span.parentSpanId);
    for (const key of callers) {
      const waiting = this.#wait(key, now);
      if (waiting.callees.has(span.spanId) || waiting.callees.size >= MAX_CALLEES) continue;
      waiting.callees.set(span.spanId, side);
      this.#callees += 1;
      this.#countPair(waiting, side);
    }
  }

  #countPair(waiting: Waiting, callee: Side): void {
    const { caller } = waiting;
    if (!caller) return;
    waiting.counted = true;
    this.#options.onCall({
      caller: caller.service,
      callee: callee.service,
      // A caller waits for its answer, including network and queueing; a producer does not wait at all.
      seconds: caller.messaging ? callee.seconds : caller.seconds,
      failed: caller.failed || callee.failed,
    });
  }

  #countVirtual(waiting: Waiting): void {
    const { caller } = waiting;
    if (caller?.peer === undefined) return;
    waiting.counted = true;
    this.#options.onCall({
      caller: caller.service,
      callee: caller.peer,
      seconds: caller.seconds,
      failed: caller.failed,
    });
  }

  #wait(key: string, now: number): Waiting {
    const { maxWaiting } = this.#options;
    // Evicts a few more than necessary: a map finds its oldest entry more slowly the more entries were deleted one by
    // one.
    const spare = Math.floor(maxWaiting / 16);
    if (this.#callees >= 2 * maxWaiting) this.#makeRoom(() => this.#callees <= 2 * maxWaiting - spare);
    const known = this.#waiting.get(key);
    if (known) return known;
    if (this.#waiting.size >= maxWaiting) this.#makeRoom(() => this.#waiting.size < maxWaiting - spare);
    const waiting: Waiting = { until: now + this.#options.waitMs, callees: new Map(), counted: false };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  /** Drops the oldest. A wait cut short says nothing about the other side, so it creates no virtual node. */
  #makeRoom(isEnough: () => boolean): void {
    for (const [key, waiting] of this.#waiting) {
      if (isEnough()) return;
      this.#forget(key, waiting);
      if (!waiting.counted) this.dropped += 1;
    }
  }

  #forget(key: string, { callees }: Waiting): void {
    this.#waiting.delete(key);
    this.#callees -= callees.size;
  }
}

type Attributes = BorderSpan['attributes'];

/** Whether a span calls a database, which never sends the other side. */
const callsDatabase = ({ kind, attributes }: BorderSpan): boolean =>
  kind === 'client' && (attributes.has('db.system.name') || attributes.has('db.system'));

/**
 * The name of a virtual node, the first of: the peer's name as configured by the operator; the called host; the
 * database's system and name; the messaging system. A numeric address ranks after the database, since it changes; a
 * loopback address is ignored, since it means another host on each machine. Attribute names from
 * opentelemetry.io/docs/specs/semconv, including the older ones.
 */
function peerOf(attributes: Attributes): string | undefined {
  const address = firstOf(attributes, 'server.address', 'net.peer.name');
  const host = address !== undefined && !isLoopback(address) ? address : undefined;
  const system = firstOf(attributes, 'db.system.name', 'db.system');
  const database = [system, firstOf(attributes, 'db.namespace', 'db.name')].filter((part) => part !== undefined);
  return (
    firstOf(attributes, 'service.peer.name', 'peer.service') ??
    (host !== undefined && isIP(host) === 0 ? host : undefined) ??
    (database.length > 0 ? database.join('/') : undefined) ??
    firstOf(attributes, 'messaging.system') ??
    host
  );
}

function firstOf(attributes: Attributes, ...keys: string[]): string | undefined {
  return keys.map((key) => attributes.get(key)).find((value) => value !== undefined && value !== '');
}

function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/iu.test(address);
}
