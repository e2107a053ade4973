/**
 * The events of a run, as SSE clients receive them. State changes carry a key, so that a retried activity publishes
 * them once; deltas carry the attempt, so that clients drop the text of one that was cut off.
 */
import type { EventLog, NewEvent, LogEvent } from '../../platform/event-log/port.ts';
import type { ModelDelta } from '../../platform/anthropic/port.ts';
import { untilReachable } from '../../db/reach.ts';
import type { RunIdentity } from './contract.ts';

/** The stream of a conversation that is a single run. */
export const conversationStream = (conversationId: string): string => `conversation:${conversationId}`;

/** The stream of one run: its own if the conversation has several. */
export const runStream = ({ conversationId, runId }: Pick<RunIdentity, 'conversationId' | 'runId'>): string =>
  runId === undefined ? conversationStream(conversationId) : `run:${runId}`;

/** Event types that end a run's stream. */
export const FINAL_EVENT_TYPES: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/** A state change; `key` must be equal for every attempt to publish it. */
export function stateEvent(type: string, key: string, data: Record<string, unknown>): NewEvent {
  return { type, key, data };
}

/** A person's message, published when it is stored and again, without further effect, when a turn reads it. */
export function messageEvent({ id, text }: { id: string; text: string }): NewEvent {
  return stateEvent('message.added', `message:${id}`, { id, text });
}

/**
 * The first words are sent at once; what follows is batched for this long, so that a fast model does not flood the log.
 */
const FLUSH_AFTER_MS = 60;
const MAX_BUFFERED_CHARACTERS = 16_000;

/** Identifies the origin of a delta. */
export interface DeltaBase {
  step: number;
  attempt: number;
  nonce: string;
}

/**
 * Streams one attempt's deltas to the log: batched, in order, and buffered while the log is away.
 * @param base.nonce unique per attempt: attempt numbers restart if Temporal lost its last writes or was reset
 * @param opening events before all deltas, among them `turn.started`, which makes clients drop earlier text of the step
 */
export class DeltaPublisher {
  private readonly log: EventLog;
  private readonly stream: string;
  private readonly base: DeltaBase;
  private readonly signal: AbortSignal;
  private readonly dropped = new AbortController();
  private pending: ModelDelta[] = [];
  private characters = 0;
  private timer?: NodeJS.Timeout;
  private tail: Promise<void> = Promise.resolve();
  private failure?: unknown;

  constructor(log: EventLog, stream: string, base: DeltaBase, opening: NewEvent[], signal: AbortSignal) {
    this.log = log;
    this.stream = stream;
    this.base = base;
    this.signal = AbortSignal.any([signal, this.dropped.signal]);
    // The model is called meanwhile: the log must not delay its first word.
    this.send(opening);
  }

  push(delta: ModelDelta): void {
    const last = this.pending.at(-1);
    if (last && last.kind !== 'tool_call' && delta.kind === last.kind) last.text += delta.text;
    else this.pending.push({ ...delta });
    this.characters += delta.kind === 'tool_call' ? 0 : delta.text.length;
    if (this.sequence === 0 || this.characters >= MAX_BUFFERED_CHARACTERS) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS);
  }

  /** Waits until everything pushed is in the log. @throws if the log refused an event for good */
  async end(): Promise<void> {
    this.flush();
    await this.tail;
    if (this.failure) throw this.failure;
  }

  /** The attempt failed: drop what is not in the log yet. */
  drop(): void {
    clearTimeout(this.timer);
    this.pending = [];
    // What is retried because the log was away must not follow the next attempt's start.
    this.failure ??= new Error('The attempt has failed.');
    this.dropped.abort(this.failure);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.length === 0) return;
    const events = this.pending.map((delta) => this.event(delta));
    this.pending = [];
    this.characters = 0;
    this.send(events);
  }

  private send(events: NewEvent[]): void {
    this.tail = this.tail.then(async () => {
      if (this.failure) return;
      try {
        await untilReachable(() => this.log.append(this.stream, events), this.signal);
      } catch (error) {
        this.failure = error;
      }
    });
  }

  private sequence = 0;

  private event(delta: ModelDelta): NewEvent {
    const { step, nonce } = this.base;
    // The key deduplicates a delta that was appended but not acknowledged before the connection broke.
    const key = `delta:${step}:${nonce}:${(this.sequence += 1)}`;
    if (delta.kind === 'tool_call') return { type: 'tool.requested', key, data: { ...this.base, name: delta.name } };
    return { type: `${delta.kind}.delta`, key, data: { ...this.base, text: delta.text } };
  }
}

/** How often a follower checks whether the run has ended without its last event. */
const END_CHECK_MS = 5_000;
/** Small, so that a slow reader of an ended run takes little memory. */
const PAGE_EVENTS = 100;

export interface FollowOptions {
  /** The last event that was seen. */
  afterId?: string;
  /**
   * Reads the row. @returns the run's last event once it has ended; its key makes it the same one, whoever appends it
   */
  ending: () => Promise<NewEvent | undefined>;
  signal: AbortSignal;
  checkMs?: number;
}

/**
 * The events of a run from a position on, ending with the run or, without its last event, when the signal fires. The
 * row decides when a run has ended: a crash or an outage of the log may have prevented its last event, so whoever reads
 * the stream appends it.
 * @throws if the row or the log is out of reach at the start; it waits for later outages to end
 */
export async function* followRun(log: EventLog, stream: string, options: FollowOptions): AsyncGenerator<LogEvent> {
  const { afterId, ending, signal, checkMs = END_CHECK_MS } = options;
  let end: NewEvent | undefined;
  const completeStream = async (): Promise<boolean> => {
    // Read once: the row may be large, and a slow reader may take long to reach the end.
    end ??= await ending();
    if (!end) return false;
    await log.append(stream, [end]);
    return true;
  };
  const ended = await completeStream();
  const stopChecking = ended ? undefined : repeat(completeStream, checkMs);
  try {
    // A follower that has seen the last event would wait at the tail for ever.
    const events = ended ? everything(log, stream, afterId, signal) : log.tail(stream, { afterId, signal });
    for await (const event of events) {
      yield event;
      if (FINAL_EVENT_TYPES.has(event.type)) return;
    }
  } finally {
    stopChecking?.();
  }
}

/** Checks periodically, one check at a time; a failed one is simply repeated. @returns a function that stops it */
function repeat(check: () => Promise<unknown>, everyMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const wait = (): void => {
    if (!isStopped) timer = setTimeout(() => void check().then(wait, wait), everyMs);
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

async function* everything(
  log: EventLog,
  stream: string,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<LogEvent> {
  for (let afterId = from; !signal.aborted;) {
    const page = await log.read(stream, { afterId, limit: PAGE_EVENTS });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}
