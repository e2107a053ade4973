/** Runs requests: each id only once, however often it is asked, within limits, and with every answer redacted. */
import type { LRUCache } from 'lru-cache';
import type { RequestMessage } from '@casebook/wire';
import { QueryError } from '@casebook/connectors';
import type { Log } from '../log.ts';
import type { Redactor } from '../redaction/index.ts';
import { within } from '../within.ts';
import { createActedStore, createAnswerStore, type Answer, deliver, type Outlet } from './answers.ts';
import { dispatch, type Systems, type Work } from './dispatch.ts';
import type { Slots } from './slots.ts';

interface Asker {
  outlet: Outlet;
  maxBytes: number;
}

interface Job {
  cancel: AbortController;
  /** The latest requester gets the answer: an earlier one's connection may be gone. */
  asker: Asker;
}

interface QueryRunnerOptions {
  systems: Systems;
  slots: Slots;
  redactor: Redactor;
  log: Log;
}

/** Why a job was stopped from outside. */
class Cancelled extends Error {
  override name = 'Cancelled';
}

const ANSWER_GONE: Answer = {
  code: 'failed',
  message: 'this call was made before, and its answer is no longer available; it may have acted, and is not repeated',
};

export class QueryRunner {
  readonly #options: QueryRunnerOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #answers: LRUCache<string, Answer> = createAnswerStore();
  readonly #acted: LRUCache<string, true> = createActedStore();
  /** The latest delivery of each answer in transit. */
  readonly #deliveries = new Map<string, AbortController>();
  readonly #pending = new Set<Promise<void>>();

  constructor(options: QueryRunnerOptions) {
    this.#options = options;
  }

  /** Starts the work, attaches to work in progress, or repeats an answer. The answer goes to `outlet`. */
  request(message: RequestMessage, outlet: Outlet): void {
    const { id, maxBytes } = message;
    const asker = { outlet, maxBytes };
    const known = this.#answers.get(id);
    if (known) return this.#deliver(id, known, asker);
    const job = this.#jobs.get(id);
    if (job) {
      job.asker = asker;
      return undefined;
    }
    if (this.#acted.has(id)) return this.#deliver(id, ANSWER_GONE, asker);
    const begun: Job = { cancel: new AbortController(), asker };
    this.#jobs.set(id, begun);
    return this.#track(this.#run(message, begun));
  }

  /** The requester has given up. */
  cancel(id: string): void {
    this.#jobs.get(id)?.cancel.abort(new Cancelled('the caller gave up'));
    this.#deliveries.get(id)?.abort();
  }

  /** Resolves when every answer in progress has been sent. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Stops all work in progress. */
  cancelAll(): void {
    for (const id of this.#jobs.keys()) this.cancel(id);
  }

  async #run(message: RequestMessage, job: Job): Promise<void> {
    const { id } = message;
    const begunAt = performance.now();
    let work: Work | undefined;
    let answer: Answer;
    try {
      work = dispatch(message, this.#options.systems);
      const text = await this.#work(work, job.cancel.signal);
      const bytes = Buffer.byteLength(text);
      if (bytes > work.maxBytes)
        throw new QueryError('too_large', `the answer has ${bytes} bytes, more than the ${work.maxBytes} allowed`);
      answer = { text, bytes, tookMs: performance.now() - begunAt };
    } catch (error) {
      answer = this.#failure(error, job.cancel.signal);
    }
    // A refused or abandoned request may be repeated, unless it may have had an effect.
    const again = 'code' in answer && (answer.code === 'busy' || (answer.code === 'cancelled' && !work?.mayAct));
    if (!again) this.#answers.set(id, answer);
    if (!again && work?.mayAct) this.#acted.set(id, true);
    this.#jobs.delete(id);
    const tookMs = Math.round(performance.now() - begunAt);
    const outcome = 'code' in answer ? { failed: answer.code } : { bytes: answer.bytes };
    this.#options.log.info({ id, target: work?.target, tookMs, ...outcome }, 'query');
    this.#deliver(id, answer, job.asker);
  }

  /** @returns the answer as JSON, redacted */
  async #work(work: Work, cancelled: AbortSignal): Promise<string> {
    const deadline = performance.now() + work.timeoutMs;
    const overdue = AbortSignal.timeout(work.timeoutMs);
    const signal = AbortSignal.any([cancelled, overdue]);
    const release = await this.#options.slots.take(work.target, signal);
    try {
      signal.throwIfAborted();
      const remainingMs = Math.max(1, deadline - performance.now());
      const result = await within(work.run({ signal, maxBytes: work.maxBytes, remainingMs }), signal);
      return JSON.stringify(this.#options.redactor.value(result ?? null)) ?? 'null';
    } finally {
      release();
    }
  }

  #failure(error: unknown, cancelled: AbortSignal): Answer {
    const { redactor, log } = this.#options;
    if (cancelled.aborted) return { code: 'cancelled', message: 'the query was cancelled' };
    if (error instanceof QueryError) return { code: error.code, message: redactor.text(error.message) };
    if (error instanceof Error && error.name === 'TimeoutError')
      return { code: 'timeout', message: 'the query timed out: ask for a shorter time range or fewer results' };
    // The message may hold anything; the log stays in the customer's network.
    log.warn({ err: error }, 'a query failed unexpectedly');
    const reason = error instanceof Error ? error.message : String(error);
    return { code: 'failed', message: redactor.text(reason) };
  }

  #deliver(id: string, answer: Answer, { outlet, maxBytes }: Asker): void {
    this.#deliveries.get(id)?.abort();
    const control = new AbortController();
    this.#deliveries.set(id, control);
    this.#track(
      deliver(id, answer, outlet, { maxBytes, signal: control.signal })
        // The connection is gone; the requester asks again over the next one.
        .catch((error: unknown) => this.#options.log.debug({ id, err: error }, 'an answer was not delivered'))
        .finally(() => {
          if (this.#deliveries.get(id) === control) this.#deliveries.delete(id);
        }),
    );
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }
}
