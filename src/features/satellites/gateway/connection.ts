/** One satellite's connection: validates, bounds and passes on its messages; sends requests and receives answers. */
import { randomUUID } from 'node:crypto';
import { WebSocket, type RawData } from 'ws';
import type { Clock } from '../../../platform/clock.ts';
import type { EventLog } from '../../../platform/event-log/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { SecretError, type SecretBox } from '../../../platform/secrets.ts';
import type { InboxRequest } from '../calls/reply-stream.ts';
import { openConfig } from '../integrations.ts';
import {
  CLOSE,
  HEARTBEAT_MS,
  type GraphMessage,
  type RequestMessage,
  type SatelliteMessage,
  type ServerMessage,
} from '@casebook/wire';
import { allowances, type Allowances } from './allowance.ts';
import { parseMessage } from './parse.ts';
import { satelliteIdOf, type Registration } from './registrations.ts';
import { BadAnswer, Reply } from './reply.ts';
import { SerialQueue } from './serial-queue.ts';

/** Callbacks from the connection to its gateway. For each connection they are awaited in order. */
export interface ConnectionHooks {
  /** The satellite has identified itself. @returns false when there is no room for it */
  registered(connection: SatelliteConnection): Promise<boolean>;
  /** @returns false when a team may not announce that much */
  described(connection: SatelliteConnection, what: 'inventory' | 'clusters'): Promise<boolean>;
  graph(connection: SatelliteConnection, message: GraphMessage): Promise<'ok' | 'resync'>;
}

export interface ConnectionOptions {
  socket: WebSocket;
  teamId: string;
  tokenId: string;
  events: EventLog;
  clock: Clock;
  log: Logger;
  /** Opens what is sealed on its way to a satellite. */
  secrets: Pick<SecretBox, 'open'>;
  hooks: ConnectionHooks;
}

/** Bytes of unstored answers above which the socket is not read. */
const MAX_BUFFERED_BYTES = 8 * 1_048_576;
/** Bytes of unstored graph messages above which the socket is not read. */
const MAX_QUEUED_GRAPHS = 16;

/** Created on admission, before the satellite identifies itself; it reports its end to the gateway. */
export class SatelliteConnection {
  readonly id = randomUUID();
  readonly teamId: string;
  readonly tokenId: string;
  /** Undefined until the satellite has identified itself. */
  registration: Registration | undefined;
  /** When anything was last received, by `performance.now()`. */
  heardAt = performance.now();
  readonly openedAt = performance.now();
  readonly #options: ConnectionOptions;
  readonly #replies = new Map<string, Reply>();
  readonly #control: SerialQueue;
  readonly #graphs: SerialQueue;
  readonly #allowances: Allowances = allowances(performance.now());
  readonly #undescribed = new Set<'inventory' | 'clusters'>();
  #buffered = 0;
  #isWelcomed = false;
  /** A snapshot was requested; messages before it concern a graph we do not have. */
  #resyncing = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.teamId = options.teamId;
    this.tokenId = options.tokenId;
    const failed = (error: unknown): void => {
      options.log.warn({ err: error, satellite: this.registration?.name }, "a satellite's message could not be stored");
      this.close(CLOSE.restarting, 'A message could not be stored; reconnect.');
    };
    this.#control = new SerialQueue(failed);
    this.#graphs = new SerialQueue(failed);
    options.socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
  }

  get open(): boolean {
    return this.#options.socket.readyState === WebSocket.OPEN;
  }

  /** Number of requests in progress. */
  get asked(): number {
    return this.#replies.size;
  }

  send(message: ServerMessage): void {
    if (this.open) this.#options.socket.send(JSON.stringify(message));
  }

  /** Sends a request and stores its answer in the event log. */
  request(asked: InboxRequest): void {
    if (this.#isWelcomed) this.#request(asked);
    // Callers see the row a moment before the satellite is welcomed, and the welcome must go first.
    else this.#control.add(async () => this.#request(asked));
  }

  cancel(requestId: string): void {
    this.#replies.delete(requestId);
    this.send({ type: 'cancel', id: requestId });
  }

  close(code: number, reason: string): void {
    // A close reason has at most 123 bytes (RFC 6455, 5.5).
    this.#options.socket.close(code, Buffer.from(reason).subarray(0, 120).toString('utf8').replace(/�$/u, ''));
    // A peer that does not answer the closing handshake is cut off.
    setTimeout(() => this.#options.socket.terminate(), 2_000).unref();
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  /** Callers learn that no answer will come. Resolves when that is stored. */
  async drop(): Promise<void> {
    const replies = [...this.#replies.values()];
    this.#replies.clear();
    for (const reply of replies) reply.dropped();
    await Promise.all(replies.map((reply) => reply.stored()));
    await this.#control.idle();
  }

  #request({ attempt, deadline, request }: InboxRequest): void {
    const { events } = this.#options;
    const onBuffered = (bytes: number): void => {
      this.#buffered += bytes;
      this.#regulate();
    };
    const { id: requestId, maxBytes } = request;
    // Two attempts of a run may both have found nothing and sent the request: both read the answer to the first.
    if (this.#replies.has(requestId)) return;
    const reply = new Reply({ events, requestId, attempt, maxBytes, deadline, onBuffered });
    const opened = this.#opened(request);
    if (!opened) return reply.error('failed', 'The configuration of the integration cannot be opened.');
    this.#replies.set(requestId, reply);
    this.send(opened);
    // The caller has given up by then; the satellite may never answer.
    setTimeout(() => this.#replies.delete(requestId), Math.max(0, deadline - Date.now()) + 1_000).unref();
  }

  /** The configuration of an integration is sealed until it is sent. @returns undefined when it cannot be opened */
  #opened(request: RequestMessage): RequestMessage | undefined {
    const { target } = request;
    if (target.kind !== 'integration') return request;
    try {
      return {
        ...request,
        target: { ...target, config: openConfig(this.#options.secrets, this.registration!, target) },
      };
    } catch (error) {
      if (error instanceof SecretError) return undefined;
      throw error;
    }
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.heardAt = performance.now();
    if (!this.open) return;
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
    if (!this.#allowances.bytes.take(bytes.length, this.heardAt))
      return this.#refuse(CLOSE.tooMuch, 'Too many bytes were sent.');
    if (isBinary) return this.#refuse(CLOSE.protocolError, 'Messages are JSON text.');
    const message = parseMessage(bytes);
    if ('problem' in message) return this.#refuse(CLOSE.protocolError, message.problem);
    const { type } = message;
    if ((this.registration === undefined) !== (type === 'hello'))
      return this.#refuse(
        CLOSE.protocolError,
        type === 'hello' ? 'Two hellos were sent.' : 'The first message must be a hello.',
      );
    const kind = type === 'graph' ? 'graph' : type.startsWith('answer.') ? undefined : 'control';
    if (kind && !this.#allowances[kind].take(1, this.heardAt))
      return this.#refuse(CLOSE.tooMuch, `Too many ${kind === 'graph' ? 'graph' : 'control'} messages were sent.`);
    try {
      return this.#handle(message);
    } catch (error) {
      // One satellite's message must not end the node.
      this.#options.log.error(
        { err: error, satellite: this.registration?.name, type },
        "a satellite's message could not be handled",
      );
      return this.#refuse(CLOSE.protocolError, `A message (${type}) could not be handled.`);
    }
  }

  #handle(message: SatelliteMessage): void {
    const { hooks, clock } = this.#options;
    switch (message.type) {
      case 'hello': {
        this.#greet(message);
        break;
      }
      case 'heartbeat': {
        const of = this.registration!;
        of.lastHeartbeatAt = clock.now();
        of.clockOffsetMs = offset(message.sentAt, of.lastHeartbeatAt);
        of.health = message.health.map(({ checkedAgoMs, ...rest }) => ({
          ...rest,
          ...(checkedAgoMs !== undefined && { checkedAt: this.#ago(checkedAgoMs) }),
        }));
        this.send({ type: 'ack' });
        break;
      }
      case 'inventory': {
        this.registration!.inventory = message.inventory;
        this.registration!.announced.add('inventory');
        this.#describe('inventory');
        break;
      }
      case 'clusters': {
        this.registration!.clusters = message.clusters.map(({ observedAgoMs, ...rest }) => ({
          ...rest,
          observedAt: this.#ago(observedAgoMs),
        }));
        this.registration!.announced.add('clusters');
        this.#describe('clusters');
        break;
      }
      case 'graph': {
        if (message.seq === 0) this.#resyncing = false;
        if (this.#resyncing) break;
        this.#graphs.add(async () => {
          if (this.#resyncing) return;
          if ((await hooks.graph(this, message)) === 'resync') {
            this.#resyncing = true;
            this.send({ type: 'graph.wanted' });
          }
        });
        this.#regulate();
        void this.#graphs.idle().then(() => this.#regulate());
        break;
      }
      default:
        this.#answer(message);
    }
  }

  #greet({ name, version, instance, sentAt }: Extract<SatelliteMessage, { type: 'hello' }>): void {
    const now = this.#options.clock.now();
    this.registration = {
      id: satelliteIdOf(this.teamId, name),
      teamId: this.teamId,
      tokenId: this.tokenId,
      name,
      instance,
      connectionId: this.id,
      connectedAt: now,
      lastHeartbeatAt: now,
      clockOffsetMs: offset(sentAt, now),
      health: [],
      inventory: { version, labels: {}, connectors: [], tools: [], omittedTools: 0 },
      clusters: [],
      announced: new Set(),
    };
    const { id } = this.registration;
    this.#control.add(async () => {
      if (!(await this.#options.hooks.registered(this)))
        return this.close(CLOSE.tooMuch, 'The team has the maximum number of satellites.');
      this.send({ type: 'welcome', satelliteId: id, heartbeatMs: HEARTBEAT_MS });
      this.#isWelcomed = true;
    });
  }

  /** Repeated updates are written once, with the latest value. */
  #describe(what: 'inventory' | 'clusters'): void {
    if (this.#undescribed.has(what)) return;
    this.#undescribed.add(what);
    this.#control.add(async () => {
      this.#undescribed.delete(what);
      if (!(await this.#options.hooks.described(this, what)))
        this.close(CLOSE.tooMuch, "The team's satellites announce too much in total.");
    });
  }

  #answer(message: Extract<SatelliteMessage, { type: `answer.${string}` }>): void {
    const reply = this.#replies.get(message.id);
    if (!reply) {
      // Late, cancelled or made up: no caller waits for it.
      if (!this.#allowances.strays.take(1, this.heardAt))
        this.#refuse(CLOSE.tooMuch, 'Too many answers without a request were sent.');
      return;
    }
    try {
      if (message.type === 'answer.part') return reply.part(message.index, message.text);
      this.#replies.delete(message.id);
      if (message.type === 'answer.end') reply.end(message.parts, message.bytes, message.tookMs);
      else reply.error(message.code, message.message);
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error;
      this.#replies.delete(message.id);
      reply.error('failed', `The satellite's answer was invalid. ${error.message}`);
      this.#refuse(CLOSE.protocolError, error.message);
    }
  }

  #refuse(code: number, reason: string): void {
    this.#options.log.warn(
      { satellite: this.registration?.name, teamId: this.teamId, code, reason },
      'a satellite is disconnected',
    );
    this.close(code, reason);
  }

  /** What cannot be stored as fast as it arrives stays in the network. */
  #regulate(): void {
    const { socket } = this.#options;
    const full = this.#buffered > MAX_BUFFERED_BYTES || this.#graphs.length > MAX_QUEUED_GRAPHS;
    if (full && !socket.isPaused) socket.pause();
    else if (!full && socket.isPaused) socket.resume();
  }

  #ago(ms: number): string {
    return new Date(this.#options.clock.now().getTime() - Math.min(ms, OLDEST_MS)).toISOString();
  }
}

/** Caps ages at ten years. */
const OLDEST_MS = 10 * 365 * 86_400_000;
const MAX_OFFSET_MS = 2 ** 31 - 1;

function offset(sentAt: number, now: Date): number {
  const ms = Math.round(sentAt - now.getTime());
  return Math.max(-MAX_OFFSET_MS, Math.min(MAX_OFFSET_MS, ms));
}
