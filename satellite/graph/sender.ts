/** Sends the graph over successive connections, one message at a time. */
import type { GraphMessage } from '@casebook/wire';
import type { Log } from '../log.ts';

type Send = (message: GraphMessage) => Promise<void>;

interface SenderOptions {
  snapshot(): GraphMessage[];
  delta(): GraphMessage[];
  log: Log;
}

/** The current connection, until it is replaced or gone. */
interface Attachment {
  send: Send;
  gone: Promise<'gone'>;
  end(): void;
}

export class GraphSender {
  readonly #options: SenderOptions;
  #attachment: Attachment | undefined;
  #due: 'snapshot' | 'delta' | undefined;
  #busy = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  attach(send: Send): void {
    this.detach();
    const { promise, resolve } = Promise.withResolvers<'gone'>();
    this.#attachment = { send, gone: promise, end: () => resolve('gone') };
    this.snapshotDue();
  }

  detach(): void {
    this.#attachment?.end();
    this.#attachment = undefined;
  }

  snapshotDue(): void {
    this.#due = 'snapshot';
    void this.#work();
  }

  /** The graph may have changed; a pending snapshot covers that. */
  deltaDue(): void {
    this.#due ??= 'delta';
    void this.#work();
  }

  /** Never rejects. Changes that arrive while sending wait: a slow connection gets fewer, larger deltas. */
  async #work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#attachment && this.#due) {
      const attachment = this.#attachment;
      const due = this.#due;
      this.#due = undefined;
      if (await this.#sendAll(attachment, due)) continue;
      // Any loss is covered: attaching starts the next connection with a snapshot.
      if (this.#attachment === attachment) this.detach();
    }
    this.#busy = false;
  }

  async #sendAll(attachment: Attachment, due: 'snapshot' | 'delta'): Promise<boolean> {
    try {
      const messages = due === 'snapshot' ? this.#options.snapshot() : this.#options.delta();
      for (const message of messages) {
        // A send that never settles must not block the next connection.
        if ((await Promise.race([attachment.send(message), attachment.gone])) === 'gone') return false;
      }
      return true;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the graph could not be sent');
      return false;
    }
  }
}
