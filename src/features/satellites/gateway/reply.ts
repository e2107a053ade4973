/** Moves one answer from a satellite's connection into the event log, where the caller reads it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EventLogError, type EventLog, type NewEvent } from '../../../platform/event-log/index.ts';
import { replyEvent, replyStream, type ReplyEvent } from '../calls/reply-stream.ts';
import { MAX_PART_BYTES, MAX_PARTS, type AnswerError } from '@casebook/wire';

const RETRY_MS = 200;
/** Bytes of parts appended at once. */
const BATCH_BYTES = 1_048_576;
/** Approximate overhead of an event: many without text are not free. */
const EVENT_BYTES = 256;

interface Queued {
  event: NewEvent;
  bytes: number;
}

/** An invalid answer: the connection is no longer trusted. */
export class BadAnswer extends Error {
  override name = 'BadAnswer';
}

export interface ReplyOptions {
  events: EventLog;
  requestId: string;
  attempt: number;
  maxBytes: number;
  /** When the caller gives up, unix ms. */
  deadline: number;
  /** Notified as the number of unstored bytes changes. */
  onBuffered: (bytes: number) => void;
}

export class Reply {
  readonly #options: ReplyOptions;
  readonly #queue: Queued[] = [];
  #parts = 0;
  #bytes = 0;
  #flushing: Promise<void> | undefined;
  /** A part could not be stored, so everything after it is worthless. */
  #broken = false;

  constructor(options: ReplyOptions) {
    this.#options = options;
  }

  /** @throws {BadAnswer} when it is not the next part, or more than was requested */
  part(index: number, text: string): void {
    if (index !== this.#parts)
      throw new BadAnswer(`Part ${index} of an answer arrived where part ${this.#parts} was expected.`);
    if (++this.#parts > MAX_PARTS) throw new BadAnswer(`An answer has more than ${MAX_PARTS} parts.`);
    if (Buffer.byteLength(JSON.stringify(text)) > MAX_PART_BYTES)
      throw new BadAnswer(`Part ${index} of an answer is larger than ${MAX_PART_BYTES} bytes.`);
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.#options.maxBytes)
      throw new BadAnswer(`An answer is larger than the ${this.#options.maxBytes} bytes requested.`);
    this.#add({ type: 'part', index, text }, text.length);
  }

  /** @throws {BadAnswer} when parts are missing */
  end(parts: number, bytes: number, tookMs: number): void {
    if (parts !== this.#parts || bytes !== this.#bytes)
      throw new BadAnswer(
        `An answer ended with ${this.#parts} of ${parts} parts and ${this.#bytes} of ${bytes} bytes.`,
      );
    this.#add({ type: 'end', parts, tookMs }, 0);
  }

  error(code: AnswerError, message: string): void {
    this.#add({ type: 'error', code, message }, 0);
  }

  /** The connection is gone: the caller may ask again. */
  dropped(): void {
    this.#add({ type: 'dropped' }, 0);
  }

  /** Resolves when everything so far is stored, or the caller has given up. */
  stored(): Promise<void> {
    return this.#flushing ?? Promise.resolve();
  }

  #add(event: ReplyEvent, textBytes: number): void {
    const bytes = textBytes + EVENT_BYTES;
    this.#queue.push({ event: replyEvent(this.#options.attempt, event), bytes });
    this.#options.onBuffered(bytes);
    this.#flushing ??= this.#flush().finally(() => (this.#flushing = undefined));
  }

  async #flush(): Promise<void> {
    // Events of the same tick (a part and the end after it) are stored together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch: Queued[] = [];
      let bytes = 0;
      while (this.#queue[0] && (batch.length === 0 || bytes + this.#queue[0].bytes <= BATCH_BYTES)) {
        bytes += this.#queue[0].bytes;
        batch.push(this.#queue.shift()!);
      }
      this.#broken ||= !(await this.#store(batch.map(({ event }) => event)));
      this.#options.onBuffered(-bytes);
    }
  }

  /**
   * Retries while the log is down and the caller waits; the keys make that harmless.
   * @returns whether they are stored
   */
  async #store(events: NewEvent[]): Promise<boolean> {
    const { events: log, requestId, deadline } = this.#options;
    if (this.#broken) return false;
    for (;;) {
      try {
        await log.append(replyStream(requestId), events);
        return true;
      } catch (error) {
        if (error instanceof EventLogError && error.kind !== 'unavailable') return false;
        if (Date.now() > deadline) return false;
        await sleep(RETRY_MS);
      }
    }
  }
}
