/**
 * The API node's end of satellite connections: admits them, keeps their rows up to date, and forwards requests from its
 * inbox.
 */
import type { SecretBox } from '../../../platform/secrets.ts';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Orm } from '../../../db/orm.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { EventLog, LogEvent } from '../../../platform/event-log/index.ts';
import { asksForWebSocket, refuseUpgrade, type Refusal, type UpgradeHandler } from '../../../http/upgrades.ts';
import type { Logger } from '../../../platform/logger.ts';
import { inboxCancel, inboxRequest, replyEvent, replyStream } from '../calls/reply-stream.ts';
import type { DependencyGraphs } from '../graph/index.ts';
import { CLOSE, CONNECT_PATH, MAX_FRAME_BYTES, SILENCE_MS, SUBPROTOCOL } from '@casebook/wire';
import { SatelliteConnection } from './connection.ts';
import { refusalsOf } from '../tokens.ts';
import { Inbox } from './inbox.ts';
import { MAX_SATELLITES, Registrations, type Registration } from './registrations.ts';
import type { Admission, Admitted } from './upgrade.ts';

/** Interval for updating rows, rechecking tokens and closing silent connections, in ms. */
const UPKEEP_MS = 2_000;
/** Maximum number of connections of one node. */
const MAX_CONNECTIONS = 5_000;
/** How long a stopping node waits for its last events to be stored, in ms: the event log may be down. */
const SHUTDOWN_MS = 3_000;
/** How long a connection may take to identify itself, in ms. */
const HELLO_MS = 10_000;

export interface GatewayDeps {
  orm: Orm;
  events: EventLog;
  clock: Clock;
  log: Logger;
  secrets: Pick<SecretBox, 'open'>;
  graphs: Pick<DependencyGraphs, 'ingest' | 'forget'>;
  admission: Admission;
}

/** Admits satellites, or answers why not. */
export interface SatelliteGateway extends UpgradeHandler {
  /** The number of connected satellites and of requests in progress. */
  counts(): { connected: number; asked: number };
  /** Disconnects every satellite with the hint to reconnect at once. */
  stop(): Promise<void>;
}

export function createSatelliteGateway(deps: GatewayDeps): SatelliteGateway {
  return new Gateway(deps);
}

class Gateway implements SatelliteGateway {
  readonly #deps: GatewayDeps;
  readonly #registrations: Registrations;
  readonly #inbox: Inbox;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    // Most messages are small, and a compressed bomb would have to be unpacked to be measured.
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  readonly #connections = new Map<string, SatelliteConnection>();
  readonly #bySatellite = new Map<string, SatelliteConnection>();
  readonly #tending: NodeJS.Timeout;
  #tendingNow: Promise<void> | undefined;
  #stopping = false;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#registrations = new Registrations(deps.orm);
    this.#inbox = new Inbox(deps.events, (event) => this.#take(event));
    this.#tending = setInterval(() => {
      this.#tendingNow ??= this.#tend()
        .catch((error: unknown) => deps.log.warn({ err: error }, 'the rows of the satellites could not be updated'))
        .finally(() => (this.#tendingNow = undefined));
    }, UPKEEP_MS);
  }

  wants(request: IncomingMessage): boolean {
    return asksForWebSocket(request, CONNECT_PATH);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    void this.#upgrade(request, socket, head);
  }

  counts(): { connected: number; asked: number } {
    const asked = [...this.#connections.values()].reduce((sum, connection) => sum + connection.asked, 0);
    return { connected: this.#bySatellite.size, asked };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#tending);
    await this.#tendingNow;
    const connections = [...this.#connections.values()];
    for (const connection of connections) connection.close(CLOSE.restarting, 'This node is stopping; reconnect.');
    const dropped = Promise.all(connections.map((connection) => connection.drop().catch(() => undefined)));
    await Promise.race([dropped, sleep(SHUTDOWN_MS, undefined, { ref: false })]);
    await this.#disconnected(connections);
    for (const connection of connections) connection.terminate();
    await this.#inbox.stop();
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const admitted = await this.#admit(request);
      if ('status' in admitted) return refuseUpgrade(socket, admitted);
      // Nothing would close a connection admitted after all others were closed.
      if (this.#stopping) return refuseUpgrade(socket, NO_ROOM);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#opened(opened, admitted));
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'a satellite could not be admitted');
      refuseUpgrade(socket, { status: 503, code: 'dependency_down', detail: 'Casebook cannot check the token now.' });
    }
    return undefined;
  }

  async #admit(request: IncomingMessage): ReturnType<Admission> {
    if (this.#stopping || this.#connections.size >= MAX_CONNECTIONS) return NO_ROOM;
    const offered = request.headers['sec-websocket-protocol'] ?? '';
    if (!offered.split(/\s*,\s*/u).includes(SUBPROTOCOL))
      return { status: 426, code: 'upgrade_required', detail: `The WebSocket subprotocol must be ${SUBPROTOCOL}.` };
    const admitted = await this.#deps.admission(request);
    if ('status' in admitted) return admitted;
    const ofTeam = [...this.#connections.values()].filter(({ teamId }) => teamId === admitted.teamId).length;
    return ofTeam < MAX_SATELLITES ? admitted : TOO_MANY_OF_TEAM;
  }

  #opened(socket: WebSocket, { teamId, tokenId }: Admitted): void {
    const { events, clock, log, secrets } = this.#deps;
    const connection = new SatelliteConnection({
      socket,
      teamId,
      tokenId,
      events,
      clock,
      log,
      secrets,
      hooks: {
        registered: (one) => this.#registered(one),
        described: (one, what) => this.#registrations.describe(one.registration!, what),
        graph: (one, message) => this.#deps.graphs.ingest(one.registration!, message, one.id),
      },
    });
    this.#connections.set(connection.id, connection);
    // Oversized or invalid frames: the library closes the connection with the right code.
    socket.on('error', (error) =>
      log.warn({ err: error, teamId, satellite: connection.registration?.name }, 'satellite'),
    );
    socket.on('close', (code) => void this.#closed(connection, code));
  }

  async #registered(connection: SatelliteConnection): Promise<boolean> {
    const registration = connection.registration!;
    if (!(await this.#registrations.register(registration, this.#inbox.name))) return false;
    // Closed in the meantime: the close handler corrects the row, and a newer connection stays.
    if (!connection.open) return true;
    const before = this.#bySatellite.get(registration.id);
    this.#bySatellite.set(registration.id, connection);
    before?.close(CLOSE.replaced, REPLACED);
    this.#deps.log.info({ satellite: registration.name, teamId: registration.teamId }, 'satellite connected');
    return true;
  }

  async #closed(connection: SatelliteConnection, code: number): Promise<void> {
    if (!this.#connections.delete(connection.id)) return;
    const { registration } = connection;
    if (!registration) return;
    if (this.#bySatellite.get(registration.id) === connection) this.#bySatellite.delete(registration.id);
    this.#deps.graphs.forget(connection.id);
    this.#deps.log.info({ satellite: registration.name, teamId: registration.teamId, code }, 'satellite disconnected');
    await connection.drop();
    if (!this.#stopping) await this.#disconnected([connection]);
  }

  async #disconnected(connections: readonly SatelliteConnection[]): Promise<void> {
    const gone = connections.flatMap(({ registration }) => registration ?? []);
    await this.#registrations.disconnect(gone, this.#deps.clock.now()).catch((error: unknown) => {
      // Its heartbeats stop, which has the same effect a little later.
      this.#deps.log.warn({ err: error }, 'the end of a connection could not be recorded');
    });
  }

  async #tend(): Promise<void> {
    const now = performance.now();
    for (const connection of this.#connections.values()) {
      if (now - connection.heardAt > SILENCE_MS) connection.terminate();
      else if (!connection.registration && now - connection.openedAt > HELLO_MS)
        connection.close(CLOSE.protocolError, 'No hello was received.');
    }
    const tokens = new Set([...this.#connections.values()].map(({ tokenId }) => tokenId));
    if (tokens.size === 0) return;
    const refusals = await refusalsOf(this.#deps.orm.em.fork(), [...tokens], this.#deps.clock.now());
    for (const connection of this.#connections.values()) {
      const refusal = refusals.get(connection.tokenId);
      if (refusal !== undefined) connection.close(CLOSE.unauthorized, refusal);
    }
    await this.#beat([...this.#bySatellite.values()].filter(({ open }) => open));
  }

  async #beat(connections: readonly SatelliteConnection[]): Promise<void> {
    const inbox = this.#inbox.name;
    const beats = await this.#registrations.heartbeats(connections.map(registrationOf), inbox);
    for (const [index, connection] of connections.entries()) {
      if (beats[index] === 'replaced') connection.close(CLOSE.replaced, REPLACED);
      // The registration was deleted; a running satellite registers again, one that has just disconnected does not.
      if (beats[index] === 'deleted' && connection.open)
        await this.#registrations.register(registrationOf(connection), inbox);
    }
  }

  #take({ type, data }: LogEvent): void {
    if (type === 'cancel') {
      const cancel = inboxCancel.safeParse(data);
      if (cancel.success) this.#bySatellite.get(cancel.data.satelliteId)?.cancel(cancel.data.requestId);
      return;
    }
    const parsed = inboxRequest.safeParse(data);
    if (!parsed.success) {
      this.#deps.log.error({ err: parsed.error }, 'a request in the inbox is unreadable');
      return;
    }
    const { connectionId, attempt, deadline, request } = parsed.data;
    if (deadline < Date.now()) return;
    const connection = this.#connections.get(connectionId);
    if (connection?.open) return connection.request(parsed.data);
    const dropped = replyEvent(attempt, { type: 'dropped' });
    void this.#deps.events.append(replyStream(request.id), [dropped]).catch(() => undefined);
  }
}

const TOO_MANY_OF_TEAM: Refusal = {
  status: 429,
  code: 'too_many_satellites',
  detail: 'The team has the maximum number of satellites connected to this node.',
  retryAfterSeconds: 30,
};
const NO_ROOM: Refusal = {
  status: 503,
  code: 'too_many_satellites',
  detail: 'This node accepts no more satellites for now.',
};
const REPLACED = 'Another satellite with the same name connected.';

const registrationOf = (connection: SatelliteConnection): Registration => connection.registration!;
