/** A satellite's end of the protocol, for tests of Casebook's end: says exactly what it is told to say. */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import {
  CONNECT_PATH,
  SUBPROTOCOL,
  type Inventory,
  type RequestMessage,
  type SatelliteMessage,
  type ServerMessage,
} from '@casebook/wire';
import { waitUntil } from './wait-until.ts';

export interface WireSatelliteOptions {
  /** Base URL of an API node. */
  url: string;
  token: string;
  name?: string;
  /** Of the process; a new one unless given. */
  instance?: string;
  inventory?: Partial<Inventory>;
  /** What each request is answered with; nothing is sent for `undefined`. */
  onRequest?: (request: RequestMessage, satellite: WireSatellite) => void;
}

export interface WireSatellite {
  readonly id: string;
  readonly socket: WebSocket;
  readonly received: ServerMessage[];
  send(message: SatelliteMessage): void;
  heartbeat(sentAt?: number): void;
  /** Answers with one part for every `partSize` characters. */
  answer(id: string, result: unknown, partSize?: number): void;
  /** Code and reason of the close. */
  closed: Promise<{ code: number; reason: string }>;
  /** Cuts the connection without a closing handshake. */
  cut(): void;
}

/** The answer to an upgrade that was refused. */
export class UpgradeRefused extends Error {
  readonly status: number;
  readonly body: string;
  constructor(status: number, body: string) {
    super(`${status}: ${body}`);
    this.status = status;
    this.body = body;
  }
}

/** A bare connection: nothing was said yet. @throws {UpgradeRefused} */
export async function openSocket(
  url: string,
  token: string | undefined,
  subprotocol: string = SUBPROTOCOL,
): Promise<WebSocket> {
  const socket = new WebSocket(url.replace(/^http/u, 'ws') + CONNECT_PATH, subprotocol, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => reject(new UpgradeRefused(response.statusCode ?? 0, body)));
    });
  });
  socket.on('error', () => undefined);
  return socket;
}

/** A connection that has said hello, was welcomed, and has sent an inventory and a heartbeat. */
export async function connectWireSatellite(options: WireSatelliteOptions): Promise<WireSatellite> {
  const { url, token, name = 'wire', instance = randomUUID(), inventory, onRequest } = options;
  const socket = await openSocket(url, token);
  const received: ServerMessage[] = [];
  let id = '';
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  const send = (message: SatelliteMessage): void => socket.send(JSON.stringify(message));
  const satellite: WireSatellite = {
    get id() {
      return id;
    },
    socket,
    received,
    send,
    closed,
    heartbeat: (sentAt = Date.now()) => send({ type: 'heartbeat', sentAt, health: [] }),
    answer(requestId, result, partSize = 50_000) {
      const text = JSON.stringify(result);
      let parts = 0;
      for (let at = 0; at < text.length; at += partSize)
        send({ type: 'answer.part', id: requestId, index: parts++, text: text.slice(at, at + partSize) });
      send({ type: 'answer.end', id: requestId, parts, bytes: Buffer.byteLength(text), tookMs: 1 });
    },
    cut: () => socket.terminate(),
  };
  socket.on('message', (data: Buffer) => {
    const message: ServerMessage = JSON.parse(data.toString());
    received.push(message);
    if (message.type === 'welcome') id = message.satelliteId;
    if (message.type === 'request') onRequest?.(message, satellite);
  });
  send({ type: 'hello', name, version: '0.0.1', instance, sentAt: Date.now() });
  await waitUntil(async () => id !== '' || undefined, { what: 'the welcome' });
  const whole: Inventory = { version: '0.0.1', labels: {}, connectors: [], tools: [], omittedTools: 0, ...inventory };
  send({ type: 'inventory', inventory: whole });
  satellite.heartbeat();
  return satellite;
}
