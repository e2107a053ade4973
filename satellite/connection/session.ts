/** One connection, from dialling to its end. */
import type { IncomingMessage } from 'node:http';
import { WebSocket, type RawData } from 'ws';
import {
  CLOSE,
  MAX_FRAME_BYTES,
  SILENCE_MS,
  SUBPROTOCOL,
  serverMessage,
  type SatelliteMessage,
  type ServerMessage,
} from '@casebook/wire';
import type { Ending } from './backoff.ts';
import { Outbox } from './outbox.ts';

interface SessionOptions {
  url: string;
  token: string;
  /** PEM of the authorities to trust; undefined for the defaults. */
  ca?: readonly string[];
  silenceMs?: number;
  hello: () => Extract<SatelliteMessage, { type: 'hello' }>;
  /** Receives everything but `ack`, starting with `welcome`. */
  onMessage: (message: Exclude<ServerMessage, { type: 'ack' }>, outbox: Outbox) => void;
}

export interface SessionEnd {
  ending: Ending;
  /** A sentence for the operator. */
  reason: string;
  /** How long it was up after the welcome, in ms. */
  stayedMs: number;
  /** Minimum delay before the next attempt that the peer asked for, in ms. */
  retryAfterMs?: number;
}

const HANDSHAKE_MS = 10_000;
const MAX_REFUSAL_BYTES = 2_000;

/**
 * Connects, says hello and passes on messages until the connection ends.
 * @param signal closes it with code 1000
 */
export function runSession(options: SessionOptions, signal: AbortSignal): Promise<SessionEnd> {
  const { silenceMs = SILENCE_MS } = options;
  return new Promise((resolve) => {
    const socket = new WebSocket(options.url, SUBPROTOCOL, {
      headers: { authorization: `Bearer ${options.token}` },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_FRAME_BYTES,
      // The token goes to the configured address and nowhere else.
      followRedirects: false,
      perMessageDeflate: { threshold: 8_192 },
      ...(options.ca && { ca: [...options.ca] }),
    });
    const outbox = new Outbox(socket, () => refuse('The answers are not being read.', CLOSE.tooMuch));
    let welcomedAt: number | undefined;
    let heardAt = performance.now();
    let over: Partial<SessionEnd> | undefined;

    const end = (found: { ending: Ending; reason: string; retryAfterMs?: number }): void => {
      clearInterval(watch);
      signal.removeEventListener('abort', leave);
      outbox.close();
      const stayedMs = welcomedAt === undefined ? 0 : performance.now() - welcomedAt;
      resolve({ ...found, ...over, stayedMs });
    };
    const leave = (): void => {
      over ??= { ending: 'failed', reason: 'the satellite is shutting down' };
      socket.close(1000, 'The satellite is shutting down.');
      setTimeout(() => socket.terminate(), 1_000).unref();
    };
    const refuse = (reason: string, code: number = CLOSE.protocolError): void => {
      over ??= { ending: 'failed', reason };
      socket.close(code, reason.slice(0, 100));
      setTimeout(() => socket.terminate(), 1_000).unref();
    };
    const watch = setInterval(
      () => {
        if (performance.now() - heardAt <= silenceMs) return;
        over ??= { ending: 'failed', reason: `nothing was received for ${silenceMs / 1_000} s` };
        socket.terminate();
      },
      Math.max(10, silenceMs / 20),
    );

    socket.on('open', () => {
      heardAt = performance.now();
      outbox.now(options.hello());
    });
    for (const event of ['ping', 'pong'] as const) socket.on(event, () => (heardAt = performance.now()));
    socket.on('message', (data, isBinary) => {
      heardAt = performance.now();
      if (socket.readyState !== WebSocket.OPEN) return;
      const message = isBinary ? undefined : parse(data);
      if (!message) return refuse('The server violated the protocol.');
      if ((message.type === 'welcome') !== (welcomedAt === undefined))
        return refuse('Exactly one welcome must come first.');
      welcomedAt ??= heardAt;
      if (message.type !== 'ack') options.onMessage(message, outbox);
    });
    socket.on('unexpected-response', (request, response) => {
      void refusalOf(response).then((refusal) => {
        over = refusal;
        request.destroy();
        return end(refusal);
      });
    });
    socket.on('close', (code, reason) => end(endingOf(code, reason.toString())));
    socket.on('error', (error) => {
      over ??= { ending: 'failed', reason: reasonOf(error) };
    });
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

function parse(data: RawData): ServerMessage | undefined {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
  try {
    return serverMessage.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

function endingOf(code: number, reason: string): { ending: Ending; reason: string } {
  const words =
    reason === '' ? `the connection was closed (${code})` : `the connection was closed (${code}): ${reason}`;
  if (code === CLOSE.unauthorized || code === CLOSE.replaced) return { ending: 'refused', reason: words };
  return { ending: code === CLOSE.restarting ? 'restarting' : 'failed', reason: words };
}

/** The meaning of a response to the upgrade request other than the upgrade. */
async function refusalOf(
  response: IncomingMessage,
): Promise<{ ending: Ending; reason: string; retryAfterMs?: number }> {
  const status = response.statusCode ?? 0;
  let body = '';
  try {
    for await (const chunk of response) {
      body += String(chunk);
      if (body.length > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // The status says enough.
  }
  const seconds = Number(response.headers['retry-after']);
  return {
    ending: status === 401 || status === 403 ? 'refused' : 'failed',
    reason: `the server answered ${status}${detailOf(body)}`,
    ...(Number.isFinite(seconds) && seconds > 0 && { retryAfterMs: Math.min(seconds, 300) * 1_000 }),
  };
}

function detailOf(body: string): string {
  try {
    const { detail }: { detail?: unknown } = Object(JSON.parse(body));
    return typeof detail === 'string' ? `: ${detail.slice(0, 500)}` : '';
  } catch {
    return '';
  }
}

function reasonOf(error: Error): string {
  // When several addresses were tried, the first one's error.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && first.message !== '' ? first.message : error.name;
}
