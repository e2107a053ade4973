/**
 * Writes to one socket. Answers and the graph wait until little is queued before them, so they fill no memory and never
 * delay a heartbeat, which does not wait, by more than that.
 */
import type { WebSocket } from 'ws';
import { MAX_FRAME_BYTES, type SatelliteMessage } from '@casebook/wire';

/** Bytes in flight beyond which large messages wait. */
const MAX_BUFFERED_BYTES = 512 * 1024;
/** Maximum number of waiting messages: far more than running and queued queries, which have one each. */
const MAX_WAITING = 2_000;

/** The connection is gone. */
export class Disconnected extends Error {
  override name = 'Disconnected';
  constructor() {
    super('the connection is gone');
  }
}

interface Waiting {
  message: SatelliteMessage;
  resolve: () => void;
  reject: (error: Error) => void;
}

export class Outbox {
  readonly #socket: WebSocket;
  readonly #waiting: Waiting[] = [];
  readonly #onOverflow: () => void;
  #closed = false;

  /** @param onOverflow called when the peer keeps asking without reading its answers */
  constructor(socket: WebSocket, onOverflow: () => void) {
    this.#socket = socket;
    this.#onOverflow = onOverflow;
  }

  /** Sends at once. @returns false when the message is too large or the connection is gone */
  now(message: SatelliteMessage): boolean {
    const text = JSON.stringify(message);
    if (this.#closed || Buffer.byteLength(text) > MAX_FRAME_BYTES) return false;
    this.#write(text);
    return true;
  }

  /**
   * Sends in turn: messages of several answers alternate. Resolves once the message is on its way.
   * @throws {Disconnected}
   */
  inTurn(message: SatelliteMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Disconnected());
    if (this.#waiting.length >= MAX_WAITING) {
      this.#onOverflow();
      return Promise.reject(new Disconnected());
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject });
      this.#pump();
    });
  }

  /** Waiting senders learn that the connection is gone. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Disconnected());
  }

  #pump(): void {
    while (!this.#closed && this.#socket.bufferedAmount < MAX_BUFFERED_BYTES) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#write(JSON.stringify(next.message));
      next.resolve();
    }
  }

  #write(text: string): void {
    // An error of the socket itself ends the connection elsewhere.
    this.#socket.send(text, () => this.#pump());
  }
}
