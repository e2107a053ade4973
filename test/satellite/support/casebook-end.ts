/** Casebook's end of a satellite's connection: a real WebSocket server that checks everything a satellite says. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  CONNECT_PATH,
  HEARTBEAT_MS,
  MAX_FRAME_BYTES,
  MAX_PART_BYTES,
  SUBPROTOCOL,
  satelliteMessage,
  type RequestTarget,
  type SatelliteMessage,
  type ServerMessage,
} from '@casebook/wire';

export type Answered = { value: unknown; parts: string[]; tookMs: number } | { code: string; message: string };

export interface CasebookEndOptions {
  token?: string;
  heartbeatMs?: number;
  /** Instead of letting a satellite in. */
  refuse?: (
    request: IncomingMessage,
  ) => { status: number; body?: string; headers?: Record<string, string> } | undefined;
  /** Takes the connection and never says a word. */
  silent?: boolean;
}

/** One satellite that has connected. */
export class SatelliteEnd {
  readonly socket: WebSocket;
  readonly received: SatelliteMessage[] = [];
  /** What was not the protocol. */
  readonly violations: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #wakers = new Set<() => void>();

  constructor(socket: WebSocket, options: CasebookEndOptions) {
    this.socket = socket;
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#wake();
      }),
    );
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const parsed = satelliteMessage.safeParse(JSON.parse(text));
      if (!parsed.success) this.violations.push(`${text.slice(0, 200)}: ${parsed.error.message}`);
      else {
        const message = parsed.data;
        if (message.type === 'answer.part' && Buffer.byteLength(JSON.stringify(message.text)) > MAX_PART_BYTES)
          this.violations.push('a part is too large');
        this.received.push(message);
        if (message.type === 'hello' && options.silent !== true)
          this.send({ type: 'welcome', satelliteId: randomUUID(), heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS });
        if (message.type === 'heartbeat' && options.silent !== true) this.send({ type: 'ack' });
      }
      this.#wake();
    });
  }

  send(message: ServerMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  of<Type extends SatelliteMessage['type']>(type: Type): Extract<SatelliteMessage, { type: Type }>[] {
    return this.received.filter(
      (message): message is Extract<SatelliteMessage, { type: Type }> => message.type === type,
    );
  }

  /** Resolves when what was received satisfies a condition. @throws when the connection ends first, or after 20 s */
  async until<T>(found: () => T | undefined | false): Promise<T> {
    const deadline = AbortSignal.timeout(240_000);
    for (;;) {
      const value = found();
      if (value !== undefined && value !== false) return value;
      deadline.throwIfAborted();
      if (this.socket.readyState > 1) throw new Error('the connection has ended');
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#wakers.delete(wake);
          deadline.removeEventListener('abort', wake);
          resolve();
        };
        this.#wakers.add(wake);
        deadline.addEventListener('abort', wake, { once: true });
      });
    }
  }

  ask(target: RequestTarget, limits: { id?: string; timeoutMs?: number; maxBytes?: number } = {}): string {
    const { id = randomUUID(), timeoutMs = 60_000, maxBytes = 8 * 1_048_576 } = limits;
    this.send({ type: 'request', id, timeoutMs, maxBytes, target });
    return id;
  }

  /** The answer to a request, or to the newest of several with one id. */
  async answer(id: string): Promise<Answered> {
    return await this.until((): Answered | undefined => {
      const mine = this.received.filter((message) => 'id' in message && message.id === id);
      const last = mine.at(-1);
      if (last?.type === 'answer.error') return { code: last.code, message: last.message };
      if (last?.type !== 'answer.end') return undefined;
      const parts = mine.slice(-1 - last.parts, -1).map((message, i) => {
        if (message.type !== 'answer.part' || message.index !== i) throw new Error(`part ${i} is missing`);
        return message.text;
      });
      const text = parts.join('');
      if (Buffer.byteLength(text) !== last.bytes) throw new Error('the bytes of the answer are others');
      return { value: JSON.parse(text), parts, tookMs: last.tookMs };
    });
  }

  async query(connector: string, operation: string, parameters: Record<string, unknown> = {}): Promise<Answered> {
    return await this.answer(this.ask({ kind: 'connector', connector, operation, parameters }));
  }

  #wake(): void {
    for (const wake of this.#wakers) wake();
  }
}

export interface CasebookEnd {
  url: string;
  port: number;
  token: string;
  /** In the order of connecting; those that are gone too. */
  satellites: SatelliteEnd[];
  /** Of `performance.now()`, of every attempt to connect. */
  attempts: number[];
  /** The n-th satellite to connect (the next one by default), after its hello. */
  satellite(n?: number): Promise<SatelliteEnd>;
  /** Resolves at the n-th attempt to connect, refused ones too. */
  attempted(n: number): Promise<void>;
  close(): Promise<void>;
}

/** @param port 0 for any */
export async function startCasebookEnd(options: CasebookEndOptions = {}, port = 0): Promise<CasebookEnd> {
  const { token = `csat_${randomUUID()}` } = options;
  const http = createServer((_request, response) => response.writeHead(404).end());
  const sockets = new Set<Socket>();
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const satellites: SatelliteEnd[] = [];
  const attempts: number[] = [];
  const wakers = new Set<() => void>();
  const wake = (): void => {
    for (const waker of wakers) waker();
  };
  http.on('upgrade', (request, socket: Socket, head) => {
    attempts.push(performance.now());
    const isRight = request.url === CONNECT_PATH && request.headers.authorization === `Bearer ${token}`;
    const refusal = options.refuse?.(request) ?? (isRight ? undefined : { status: 401, body: '{"detail":"no"}' });
    if (refusal) {
      const headers = Object.entries(refusal.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${refusal.status} No\r\nConnection: close\r\n${headers.join('')}\r\n${refusal.body ?? ''}`);
    } else
      server.handleUpgrade(request, socket, head, (webSocket) => {
        satellites.push(new SatelliteEnd(webSocket, options));
        wake();
      });
    wake();
  });
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server's address
  const address = http.address() as AddressInfo;
  const until = async (isSo: () => boolean): Promise<void> => {
    const deadline = AbortSignal.timeout(240_000);
    while (!isSo()) {
      deadline.throwIfAborted();
      await new Promise<void>((resolve) => {
        const waker = (): void => {
          wakers.delete(waker);
          resolve();
        };
        wakers.add(waker);
        deadline.addEventListener('abort', waker, { once: true });
      });
    }
  };
  let taken = 0;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    token,
    satellites,
    attempts,
    async satellite(n = taken) {
      taken = n + 1;
      await until(() => satellites.length > n);
      const satellite = satellites[n]!;
      await satellite.until(() => satellite.of('hello').length > 0);
      return satellite;
    },
    attempted: (n) => until(() => attempts.length >= n),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
