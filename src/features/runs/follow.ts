import type { EventLog, LogEvent, NewEvent } from '../../platform/event-log/port.ts';
import { FINAL_EVENT_TYPES } from './events.ts';

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
