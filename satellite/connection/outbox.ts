/**
 * What goes out over one socket. Answers and the graph wait until there is little before them, so that they fill no
 * memory and that a heartbeat, which does not wait, is never behind more than that.
 */
import type { WebSocket } from 'ws';
import { MOST_FRAME_BYTES, type SatelliteMessage } from '../../src/features/satellites/wire/index.ts';

/** Bytes that may be on their way before the next large message is written. */
const MOST_BUFFERED_BYTES = 512 * 1024;

/** The connection is gone. */
export class Disconnected extends Error {
  override name = 'Disconnected';
  constructor() {
    super('the connection is gone');
  }
}

export class Outbox {
  readonly #socket: WebSocket;
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #closed = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Sends at once. @returns false when the message is larger than one may be, or the connection is gone */
  now(message: SatelliteMessage): boolean {
    const text = JSON.stringify(message);
    if (this.#closed || Buffer.byteLength(text) > MOST_FRAME_BYTES) return false;
    this.#write(text);
    return true;
  }

  /**
   * Sends when it is its turn: messages of several answers alternate.
   * @throws {Disconnected}
   */
  async inTurn(message: SatelliteMessage): Promise<void> {
    if (this.#closed) throw new Disconnected();
    if (this.#waiting.length > 0 || this.#socket.bufferedAmount >= MOST_BUFFERED_BYTES)
      await new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    if (this.#closed) throw new Disconnected();
    this.#write(JSON.stringify(message));
  }

  /** Whoever waits is told that the connection is gone. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Disconnected());
  }

  #write(text: string): void {
    // An error of the socket itself ends the connection elsewhere.
    this.#socket.send(text, () => this.#next());
  }

  #next(): void {
    if (this.#closed || this.#socket.bufferedAmount >= MOST_BUFFERED_BYTES) return;
    this.#waiting.shift()?.resolve();
  }
}
